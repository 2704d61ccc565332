import { describe, expect, it } from 'vitest'
import { run, Twin } from './harness.ts'

const SETUP = `
umask 022
mkdir -p d/sub e
echo one > a; echo two > b; echo three > d/one; : > empty; head -c 5000 /dev/zero > big
chmod 600 b; chmod 4755 d/one; chmod 1777 e
ln -s a link; ln -s d dirlink; ln -s nowhere dangling; ln -s loop loop; ln a hard; ln -s ../a d/up; ln -s sub/../one d/inner
: > 'a b'
touch -d '2020-01-02 03:04:05.678 UTC' a; touch -d '2021-01-01 UTC' b; touch -d '2022-02-02 UTC' d/one d e
touch -d '2020-01-01 UTC' -h link dangling loop dirlink d/up d/inner
`

const words = (line: string): string[] =>
  line.split(' ').map((word) => (word === "''" ? '' : word.replaceAll('~~', ' ').replaceAll('\\n', '\n')))

/** Each line starts from the same files. */
const CASES = `ln a c
ln -v a c
ln -s a c
ln -sv a c
ln a b
ln -s a b
ln -f a b
ln -sf a b
ln -sfv a b
ln -s a d
ln -sv a b d
ln -s ../a d
ln d c
ln -s d c
ln nope c
ln -s nope c
ln -sn a dirlink
ln -sfn e dirlink
ln -sfT e dirlink
ln -sT a d
ln -sfT a d
ln -sr a d/rel
ln -srv d/one e/rel
ln -sr d/sub/x e
ln -r a c
ln -t d a b
ln -st d a
ln -t nope a
ln -s d/one
ln d/one
ln -v d/one
ln -s d/one a
ln link c
ln -L link c
ln -P link c
ln dangling c
ln -L dangling c
ln -sb a b
ln -svb a b
ln -s --backup=numbered a b
ln -f a a
ln -f a hard
ln -sf a a
ln -sf link link
ln -sb a a
ln a b c
ln -s a b nope
ln -T a b d
ln -T a
ln
ln -s '' c
ln a nope/c
ln -s a nope/c
ln a d/one
ln -s b b d
ln -sf b b d
ln -q a b
link a c
link a b
link nope c
link d c
link a
link a b c
link
unlink a
unlink d
unlink nope
unlink link
unlink dirlink/
unlink a b
unlink
readlink link
readlink a
readlink -v a
readlink nope
readlink -v nope
readlink link dirlink
readlink -n link
readlink -n link dirlink
readlink -z link dirlink
readlink -f link dirlink/one nope nope/x a/ a/x dangling loop d/../a .
readlink -fv nope/x a/ a/x loop
readlink -e link nope dangling d/inner d/up
readlink -ev link nope dangling loop a/b
readlink -m nope/x/../y a/b/c dangling/x loop/x .. /
readlink -f /
readlink -f d/sub/../../link
readlink -f ''
readlink
readlink -k a
realpath a link dirlink d/up d/inner
realpath nope nope/x a/ a/x dangling loop d/
realpath -e a nope dangling
realpath -m nope/x/../y a/b
realpath -q nope/x a
realpath -s link dirlink/one dirlink/../a nope
realpath -L dirlink/../a
realpath -P dirlink/../a
realpath -z a b
realpath --relative-to=d a d/one d .
realpath --relative-to=d/sub a d/one
realpath --relative-to=nope a
realpath --relative-base=d a d/one
realpath --relative-base=. a d/one /etc
realpath --relative-to=d --relative-base=. a /etc
realpath --relative-to=/ --relative-base=. a /etc
realpath -e --relative-to=a b
realpath -e --relative-to=nope b
realpath ''
realpath
realpath .
realpath / //
basename a/b/c
basename a/b/c.txt .txt
basename .txt .txt
basename a/b/
basename /
basename //
basename ''
basename -a a/b c/d
basename -s .c a.c b/b.c c
basename -z a/b
basename -as .x a.x
basename a b c
basename
basename -- -a
basename a -a
basename -q
dirname a/b/c a a/ / // a//b ''
dirname /a /a/b/ ./a ../a
dirname -z a/b c
dirname
dirname -q
pathchk a
pathchk ''
pathchk -p a~~b
pathchk -p aaaaaaaaaaaaaaaaaaaa
pathchk -P -- -a
pathchk -P a/-b
pathchk --portability a/b
pathchk -p ''
pathchk a/b
pathchk
chmod 755 a
chmod 755 a b d
chmod u+x a
chmod +x a
chmod a+x a
chmod -x d/one
chmod -w a
chmod -r a
chmod u=rwx,go=rx a
chmod go= a
chmod go-rwx a d
chmod a=r b
chmod = a
chmod o=u a
chmod g=u,o=g b
chmod u+s,g+s,o+t a
chmod +t e
chmod -t e
chmod -- -t e
chmod +s a
chmod 0 a
chmod 4755 a
chmod 07777 a
chmod 755 d/one
chmod 0755 e
chmod 00755 e
chmod u-s d/one
chmod +X a d d/one
chmod a-x+X d/one a d
chmod -R go-rx d
chmod -R u+w,g=u d
chmod -v 755 a b
chmod -c 755 a b
chmod -c 644 a
chmod -cv u+x a
chmod -Rv 700 d
chmod -Rc 755 d
chmod 644 link
chmod 644 dangling
chmod 644 loop
chmod -v 644 nope
chmod -f 644 nope
chmod 644 nope a
chmod --reference=b a
chmod --reference=nope a
chmod -R 755 dirlink
chmod foo a
chmod 99 a
chmod 10000 a
chmod +q a
chmod u+rw+x,g-w+x a
chmod ug+w,o-r a
chmod u,g+x a
chmod +77 a
chmod =644 a
chmod -7 a
chmod u+7 a
chmod 755
chmod
chmod -x
chmod -k a
chmod --reference=a
chmod ,a a
chmod a
chmod u+ a
chmod -w+x a
chmod -v -w a
chown root a
chown -v root:root a
chown -v 5000:6000 a
chown -v 5000 a
chown -v :6000 a
chown -v : a
chown -v '' a
chown 5000: a
chown nosuch a
chown root:nosuch a
chown -v root: a
chown -c 5000 a b
chown -R -v 5000 e
chown -v root nope
chown -f root nope
chown root dangling
chown -h root dangling
chown --reference=nope a
chown --from=5000 -v root a
chown --from=root -v 5000 a
chown 5000.6000 a
chown
chown root
chgrp 6000 a
chgrp -v 6000 a
chgrp -c root a
chgrp -v root a
chgrp nosuch a
chgrp root nope
truncate -s 2 a
truncate -s 10 a
truncate -s 0 a
truncate -s +5 a
truncate -s -2 a
truncate -s -200 a
truncate -s <2 a
truncate -s >10 a
truncate -s /3 big
truncate -s %4096 big
truncate -s %0 big
truncate -s x a
truncate -s 1K new
truncate -s 1KB -c new
truncate -s 2 -o new
truncate -s 1 d
truncate -s 1 nope/x
truncate -r b a
truncate -r b -s +1 a
truncate -r b -s 1 a
truncate -r nope a
truncate -o a
truncate a
truncate -s 5
truncate -s 99Y a
truncate -s %4-3 a
truncate -s <-3 a
install a c
install -v a c
install -m 600 a c
install -m u=rw,g=r a c
install a b
install -v a b
install -b a b
install -vb a b
install a d
install -v a b d
install -t d a b
install -d x/y/z
install -dv x/y/z
install -d d
install -d -m 700 x/y
install -d a
install -D a x/y/c
install -Dv a x/y/c
install -D -t x/y a b
install -Dvt x/y a b
install d c
install nope c
install a nope/c
install -C a c
install -p a c
install -T a d
install -T a b
install -m foo a c
install -o root -g root a c
install -o nosuch a c
install
install a
install link c
install a link
touch a
touch new
touch -c new
touch nope/x
touch nope/
touch d/
touch d
touch a/x
touch dangling
touch loop
touch -h dangling
touch -h nope
touch -a new
touch --time=foo a
touch -t 13010101 a
touch -t 1 a
touch -t 202001010000 -d now a
touch -t 202001010000 -r a b
touch -d foo a
touch -r nope a
touch
touch -
touch -c -
touch ''
touch -q a
touch a new1 nope/x new2
mktemp foo
mktemp fooXX
mktemp -d foo
mktemp nope/fXXX
mktemp -d nope/fXXX
mktemp -q nope/fXXX
mktemp -t a/XXX
mktemp --tmpdir /a/XXX
mktemp --suffix=.c foo
mktemp --suffix=/c fooXXX
mktemp a b
mktemp -p nope XXX
mktemp --tmpdir=nope
mktemp fooXXX/x
mktemp -k
stat nope
stat -f nope
stat
stat -k a
stat -c %n|%N|%a|%A|%s|%F|%h|%u|%U|%g|%G|%f|%b|%B|%o|%t|%T a b d e link dirlink dangling hard empty d/one
stat -L -c %n|%N|%A|%F link dirlink
stat -L -c %n dangling
stat -c %y a b
stat -c %Y|%.Y|%.0Y|%.1Y|%.3Y|%.9Y|%.12Y|%20Y|%-20Y|%020Y|%20.3Y|%-20.3Y| a b
stat -c %10s|%-10s|%010s|%.10s|%5.2s|%+s|%~~s a big
stat -c %04a|%#a|%#5a|%10A|%-15A|%.3A|%10.3A|%3n|%-8n|%.1n a big
stat -c %#f|%#o|%08f|%-8f| a
stat -c %%|%Q|%z a --printf=x
stat -c %5% a
stat --printf=%n\\\\n|\\t|\\x41|\\101|\\e[0m|\\\\|\\" a b
stat --printf=\\q a
stat --printf=a\\ a
stat --printf=%n a
stat -c '' a
stat -c abc% a
stat -c %G:%U:%m /
stat -c %C a
stat -t nope`.split('\n')

describe('names, modes, owners, sizes', () => {
  it('are dealt with as by the real tools', async () => {
    for (const line of CASES) await new Twin(SETUP).same(words(line))
  }, 120_000)

  it('keeps the times that touch sets', async () => {
    const twin = new Twin(SETUP)
    const lines = `touch -t 202001020304.05 t1
touch -t 2001020304 t2
touch -t 0102030405 t4
touch -t 6901020304 t5
touch -t 202001010000.60 w
touch -d 2020-03-04~~05:06:07.25 d1
touch -d @1234567890 d2
touch -d 2020-03-04T05:06:07+0200 d3
touch -r a r1
touch -r a -d +1~~day r2
touch -a -t 199912312359 a
touch -m -t 199812312359 b
touch --time=mtime -d 2001-01-01 empty
touch --time=use -d 2001-01-01 hard
touch -d 2020-01-01 d
stat -c %n~~%y t1 t2 t4 t5 w d1 d2 d3 r1 r2 a b empty hard d
stat -c %n~~%Y~~%.Y t1 t2 t4 t5 w d1 d2 d3 b empty d
cp -p a copy
cp -a d copied
cp b plain
mv d1 moved
stat -c %n~~%y copy copied copied/one moved`.split('\n')
    for (const line of lines) await twin.same(words(line))
  })

  it('keeps owners', async () => {
    const twin = new Twin(SETUP)
    for (const line of [
      'chown 5000:6000 a',
      'chown -R 5001 d',
      'chown -R --dereference 5001 d',
      'chgrp 6001 b',
      'chown --from=5000 5002 a b',
      'chown --reference=a empty',
      'chown -h 5003 hard',
      'cp -p a kept',
      'install -o 5005 -g 6005 a placed',
      'stat -c %n:%u:%g:%U:%G a b d d/one d/sub empty hard kept placed',
      'ls -ln a b d/one',
      'ls -l a b d/one',
    ]) {
      await twin.same(words(line))
    }
  })

  it('shows all of a file', async () => {
    const twin = new Twin(SETUP)
    const plain = (text: string): string =>
      text
        .replace(/Device: \S+\tInode: \d+ +/g, 'Device: D Inode: I ')
        .replace(/(Access|Change|Birth): 20\d\d-.*/g, '$1: T')
        .replace(/ [0-9a-f]+ \d+ (\d+) 0 0 \d+ (\d+) \d+ \d+ 4096/g, ' D I $1 0 0 A $2 C B 4096')
    for (const line of ['stat a', 'stat d link', 'stat -L link', 'stat -t a b', 'stat dangling loop']) {
      expect(plain((await twin.ours(line.split(' '))).stdout)).toBe(plain(twin.real(line.split(' ')).stdout))
    }
  })

  it('makes temporary files', async () => {
    const twin = new Twin('mkdir tmp')
    const check = async (line: string, pattern: RegExp, env: Record<string, string> = {}): Promise<string> => {
      const result = await twin.ours(line.split(' '), { env })
      expect(result.stderr).toBe('')
      expect(result.stdout).toMatch(pattern)
      return result.stdout.trimEnd()
    }
    await run(twin.fs, ['mkdir', '-p', '/tmp'])
    const file = await check('mktemp', /^\/tmp\/tmp\.[A-Za-z0-9]{10}\n$/)
    expect((await twin.fs.stat(file)).mode).toBe(0o600)
    const directory = await check('mktemp -d', /^\/tmp\/tmp\.[A-Za-z0-9]{10}\n$/)
    expect((await twin.fs.stat(directory)).mode).toBe(0o700)
    await check('mktemp fooXXX', /^foo[A-Za-z0-9]{3}\n$/)
    await check('mktemp foo.XXXXXX.c', /^foo\.[A-Za-z0-9]{6}\.c\n$/)
    await check('mktemp --suffix=.c foo.XXXX', /^foo\.[A-Za-z0-9]{4}\.c\n$/)
    await check('mktemp -p tmp', /^tmp\/tmp\.[A-Za-z0-9]{10}\n$/)
    await check('mktemp -p tmp aXXXX', /^tmp\/a[A-Za-z0-9]{4}\n$/)
    await check('mktemp -t aXXXX', /^\/tmp\/a[A-Za-z0-9]{4}\n$/)
    await check('mktemp', new RegExp(`^${twin.directory}/tmp/tmp\\.[A-Za-z0-9]{10}\n$`), { TMPDIR: `${twin.directory}/tmp` })
    await check('mktemp --tmpdir aXXXX', new RegExp(`^${twin.directory}/tmp/a[A-Za-z0-9]{4}\n$`), { TMPDIR: `${twin.directory}/tmp` })
    const name = await check('mktemp -u bXXXXX', /^b[A-Za-z0-9]{5}\n$/)
    await expect((async () => twin.fs.stat(`${twin.directory}/${name}`))()).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
