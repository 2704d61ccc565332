import { describe, expect, it } from 'vitest'
import { Twin } from './harness.ts'

const SETUP = `
umask 022
mkdir -p d/sub/deep e f/x other
echo one > a; echo two > b; echo three > d/one; echo four > d/sub/two; echo five > e/a; : > f/x/y; : > f/a
chmod 755 b; chmod 600 d/one; chmod 700 d/sub
ln -s a link; ln -s d dirlink; ln -s nowhere dangling; ln a hard; ln -s sub/two d/inner; : > d/again
: > 'a b'; : > "it's"
touch -d '2020-01-01 UTC' a hard d/one; touch -d '2021-01-01 UTC' b e/a
`

/** Each line starts from the same files. */
const CASES = `cp a c
cp a b
cp -v a c
cp a d
cp -v a b d
cp a b c
cp a b nope
cp a nope/c
cp a nope/
cp nope c
cp nope d
cp d c
cp a
cp
cp -r d c
cp -rv d e/new
cp -r d e
cp -r d/ c
cp -r d/. e
cp -r d .
cp -rT d e
cp -a d c
cp -av d/one c
cp -r link dirlink dangling e
cp link c
cp -P link c
cp -d dirlink c
cp -L dirlink c
cp -rL d c
cp -rH dirlink c
cp -rP dirlink c
cp -r dirlink c
cp dangling c
cp -P dangling c
cp a dangling
cp -f a dangling
cp --remove-destination a dangling
cp a a
cp a ./a
cp a hard
cp a link
cp link a
cp -f a a
cp -b a a
cp -fb a a
cp -b a b
cp -bv a b
cp --backup=numbered a b
cp --backup=simple -S .bak a b
cp --backup=none a b
cp --backup=nope a b
cp -S .x a b
cp -n a b
cp -nv a b
cp -u a b
cp -u b a
cp -uv b a
cp -l a c
cp -lv a b
cp -lf a b
cp -l d c
cp -rl d c
cp -s a c
cp -s a b
cp -sf a b
cp -s a d/c
cp -rs d/sub c
cp -ls a c
cp -t d a b
cp -t nope a b
cp -t a b
cp -t d -T a
cp -T a d
cp -T a b d
cp -T d e
cp -rT d c
cp a d/one/x
cp d/one/x c
cp -r d a
cp a f/x
cp f/a e/a .
cp -r a e
cp a e/a f
cp --parents d/sub/two e
cp --parents -v d/sub/two e
cp -r --parents d/sub e
cp --parents a b
cp --attributes-only b c
cp --attributes-only a b
cp -p a c
cp --preserve=mode b c
cp --preserve=all d/one d/again e
cp --preserve=links d/one d/again e
cp d/one d/again e
cp --preserve=foo a c
cp --no-preserve=mode b c
cp --no-preserve=mode -r d c
cp --strip-trailing-slashes a/ c
cp a/ c
cp -x -r d c
cp --reflink=always --sparse=x a c
cp -Z a c
cp -i a c
cp a|b c
cp -r d/sub d/one e
cp -R d/one d/sub c
cp d/one d/one e
cp -r d d e
cp b 'x
cp -j a b
cp --recurs d c
cp --no-clobber --backup a b
mv a c
mv -v a c
mv a b
mv -v a d
mv a b d
mv a b c
mv nope c
mv a nope/c
mv a nope/
mv a
mv
mv d c
mv -v d e
mv d e
mv d/ c
mv d a
mv a d
mv -T a d
mv -T d e
mv -T d f/x
mv -T d other
mv d d
mv d d/new
mv d d/sub/x
mv a a
mv a hard
mv -v a hard
mv a link
mv link c
mv dirlink c
mv dangling c
mv link d
mv -n a b
mv -nv a b
mv -u a b
mv -u b a
mv -b a b
mv -bv a b
mv --backup=t a b
mv -t d a b
mv e/a .
mv f/a e/a .
mv f/x f/a d/sub .
mv a/ c
mv a b/
mv -T a b d
mv --strip-trailing-slashes d/ c
mv d/sub d/one/x
mv f e
mv e f
mv -f a b
mv 'a b' c
mv -k a b
mv --no-clobber --backup a b
rm a
rm -v a b
rm nope
rm -f nope
rm -f
rm
rm d
rm -d d
rm -d other
rm -dv other
rm -r d
rm -rv f
rm -rf d nope e
rm -r nope
rm link dirlink dangling
rm dirlink/
rm -r dirlink/
rm -rv dirlink
rm a/
rm -f a/x
rm a/x
rm -r --preserve-root=foo d
rm --interactive=never a
rm --interactive=foo a
rm -x a
rm -rv --one-file-system d
rm hard
rm -- a
rm -r d a e
rmdir other
rmdir d
rmdir -v other
rmdir a
rmdir nope
rmdir -p f/x
rmdir -pv other
rmdir --ignore-fail-on-non-empty d other
rmdir -p --ignore-fail-on-non-empty d/sub/deep
rmdir -pv d/sub/deep
rmdir -pv ./other
rmdir other/
rmdir .
rmdir dirlink
rmdir dirlink/
rmdir
mkdir new
mkdir new other
mkdir a
mkdir -p new/x/y
mkdir -pv new/x/y
mkdir -pv ./new/../new2
mkdir -p d
mkdir -p a
mkdir -p a/x
mkdir -p d/sub/deep/more
mkdir -m 700 new
mkdir -m 1777 new
mkdir -m u=rwx,go= new
mkdir -m go-w new
mkdir -m +t new
mkdir -m a=rwx -p new/x
mkdir -m foo new
mkdir -m 99 new
mkdir -v new new/x
mkdir nope/new
mkdir dangling
mkdir -p dangling
mkdir -p dangling/x
mkdir dirlink
mkdir -p dirlink/z
mkdir new/
mkdir a/
mkdir ''
mkdir
mkdir -pm 700 n/m/o`.split('\n')

describe('cp, mv, rm, rmdir, mkdir', () => {
  it('do to files what the real ones do', async () => {
    for (const line of CASES) await new Twin(SETUP).same(line.split(' ').map((word) => (word === "''" ? '' : word)))
  })

  // What follows is never given to the real tools: only their failsafe would stand between it and the disk.
  it('refuse to remove the root and what one stands in', async () => {
    const twin = new Twin(SETUP)
    const before = await twin.files()
    const refuses = async (line: string, stderr: string): Promise<void> => {
      expect(await twin.ours(line.split(' '))).toEqual({ stdout: '', stderr, status: 1 })
    }
    for (const name of ['.', '..', 'd/.', 'd/..']) {
      await refuses(`rm -r ${name}`, `rm: refusing to remove '.' or '..' directory: skipping '${name}'\n`)
    }
    const failsafe = (name: string): string =>
      `rm: it is dangerous to operate recursively on ${name}\nrm: use --no-preserve-root to override this failsafe\n`
    await refuses('rm -rf /', failsafe("'/'"))
    await refuses('rm -rf //', failsafe("'//' (same as '/')"))
    await refuses('chmod -R --preserve-root 700 /', failsafe("'/'").replaceAll('rm:', 'chmod:'))
    expect(await twin.files()).toEqual(before)
  })

  // How much the real cp copies first depends on the order of names on the disk.
  it('copy no directory into itself for ever', async () => {
    for (const [line, name] of [
      ['cp -r d d', 'd/d'],
      ['cp -r d d/new', 'd/new'],
      ['cp -a d d/new', 'd/new'],
    ] as const) {
      const twin = new Twin(SETUP)
      expect(await twin.ours(line.split(' '))).toEqual({
        stdout: '',
        stderr: `cp: cannot copy a directory, 'd', into itself, '${name}'\n`,
        status: 1,
      })
      expect((await twin.files())[`./${name}/sub/two`]).toBe('file 644 1 four\n')
      expect(await twin.files()).not.toHaveProperty(`./${name}/${name.slice(2)}`)
    }
  })

  it('ask as the real ones do', async () => {
    const lines: [string, string][] = [
      ['cp -i a b', 'y\n'],
      ['cp -i a b', 'n\n'],
      ['cp -i a b', ''],
      ['cp -ri d/. e', 'y\n'],
      ['cp -iv a b d', 'y\nn\n'],
      ['cp -ni a b', 'y\n'],
      ['cp -in a b', 'y\n'],
      ['mv -i a b', 'yes\n'],
      ['mv -i a b', 'no\n'],
      ['mv -fi a b', 'n\n'],
      ['mv -if a b', 'n\n'],
      ['rm -i a b', 'y\nn\n'],
      ['rm -i link d f/a', 'y\ny\n'],
      ['rm -ri f/x', 'y\ny\ny\n'],
      ['rm -ri f/x', 'y\nn\n'],
      ['rm -rI d e', 'y\n'],
      ['rm -rI d', 'n\n'],
      ['rm -I a b hard', 'n\n'],
      ['rm -I a b hard link', 'n\n'],
      ['rm -I a b hard link', 'y\n'],
      ['rm -id other', 'y\n'],
      ['rm -if a', 'n\n'],
      ['rm -fi nope', 'n\n'],
      ['rm --interactive=once a b hard link', 'y\n'],
      ['rm --interactive a', 'y\n'],
    ]
    for (const [line, stdin] of lines) await new Twin(SETUP).same(line, { stdin })
  })
})
