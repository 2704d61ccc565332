import { describe, it } from 'vitest'
import { Twin } from './harness.ts'

const SETUP = `
umask 022
mkdir -p d/sub/deep e empty .hid
echo hello > f.txt; printf 'abc' > b.tar.gz; : > empty.c; : > .dot; : > back~; : > 'a b'; : > "it's"; : > 'new
line'; : > x10; : > x9; : > x1.5; : > README; : > file.b; : > file.a; : > 'semi;colon'; : > 'c:d'
head -c 5000 /dev/zero > big; head -c 123456 /dev/zero > d/bigger
chmod 755 README; chmod 4711 x9; chmod 2750 e; chmod 1777 empty; chmod 600 f.txt
ln -s f.txt link; ln -s d dirlink; ln -s nowhere dangling; ln f.txt hard; ln -s README toprog
: > d/one; : > d/two; ln -s .. d/sub/up; : > 'd/sub/ü'
touch -d '2020-01-02 03:04:05.678901 UTC' f.txt; touch -d '2021-05-06 07:08:09 UTC' big d e; touch -d '2030-01-01 UTC' empty.c
touch -d '1999-12-31 UTC' d/one; touch -h -d '2011-01-01 UTC' link dirlink dangling toprog d/sub/up
touch -d '2022-01-01 UTC' .dot 'a b' back~ b.tar.gz "it's" x10 x9 x1.5 file.b file.a README 'semi;colon' 'c:d' 'new
line' d/bigger d/two d/sub/deep d/sub 'd/sub/ü' empty .hid .
touch -d '2021-05-06 07:08:09 UTC' d
touch -a -d '2001-01-01 UTC' f.txt x10 'a b'
`

const LINES = `ls
ls -a
ls -A
ls -1
ls -l
ls -la d
ls -lA
ls -lh
ls -l --si
ls -C
ls -x
ls -m
ls -C -w 40
ls -x -w 40
ls -m -w 40
ls -C -w 20
ls -C -w 1
ls -C -w 0
ls -m -w 0
ls -CF -w 60
ls -Cs -w 60
ls -C -T 0 -w 60
ls -C -T 4 -w 60
ls -CQ -w 60
ls -Cb -w 60
ls -C --quoting-style=shell -w 70
ls -C --quoting-style=shell-escape -w 70
ls --quoting-style=shell-always
ls --quoting-style=shell-escape-always
ls --quoting-style=c-maybe
ls --quoting-style=escape
ls --quoting-style=locale
ls --quoting-style=clocale
ls -l --quoting-style=shell-escape
ls -q
ls -N
ls -R
ls -lR
ls -aR d
ls -R d e
ls -R -1 d/sub
ls d
ls d e
ls f.txt d
ls f.txt big
ls nope
ls nope d
ls nope f.txt e
ls -d d e
ls -ld d dirlink
ls -ld .
ls -d
ls dirlink
ls -l dirlink
ls -F dirlink
ls -lH dirlink
ls -lL
ls -L
ls -lL dangling
ls -H dangling
ls -l dangling link
ls -F
ls -p
ls --file-type
ls -lF
ls -lp
ls --indicator-style=classify
ls -t
ls -tr
ls -S
ls -Sr
ls -X
ls -v
ls -r
ls --sort=size
ls --sort=width
ls --sort=none f.txt big README
ls --sort=version
ls -n
ls -g
ls -o
ls -lG
ls -go
ls -s
ls -sk
ls -sh
ls -ls
ls -s --block-size=1
ls -l --block-size=K
ls -l --block-size=KB
ls -l --block-size=1M
ls -l --block-size=kiB
ls -lk
ls -l --full-time f.txt big
ls --full-time d
ls -l --time-style=long-iso
ls -l --time-style=iso
ls -l --time-style=full-iso
ls -l --time-style=+%s
ls -l --time-style=+%Y/%m/%d_%H
ls -l --time-style=posix-iso
ls -l --time-style=l
ls -l --time-style=bad
ls --group-directories-first
ls -l --group-directories-first
ls --group-directories-first -r
ls -I *.txt
ls -I x* -I *~
ls -B
ls --hide=x*
ls -a --hide=x*
ls --hide=[a-f]*
ls -I ?*[0-9]
ls --color=always
ls --color=always -l
ls --color=always -C -w 60
ls --color=always -F
ls --color=always -R d
ls --color=never -l
ls --color=auto
ls --color=bad
ls --zero
ls -l --author d
ls -Z d
ls -lZ d
ls -f d --sort=name
ls --sort=
ls --sort=foo
ls --time=foo
ls --format=long d
ls --format=bad
ls --form=commas
ls -T x
ls -w x
ls --block-size=x
ls --block-size=1Q
ls --block-size=9999999999999999Y
ls -j
ls --nope
ls --s
ls -l1 d
ls -1l d
ls -lC d
ls -Cl d
ls d/
ls d/.
ls ./d
ls ..//nonexistent
ls f.txt/
ls -l README x9 e empty
ls -RL e
ls -RF d
ls -Rs d
ls -m d
ls -xF d
ls -k
ls -lnh
ls -w 30 -x -i f.txt
dir
dir d
vdir d`.split('\n')

// The second half of each first character's UTF-16 looks like a stray byte.
const CHARACTERS = `ls --quoting-style=shell-escape
ls --quoting-style=c
ls --quoting-style=escape
ls -q
rm 🂠x
stat b\u3000x d\u00a0x
rm 🃃x $'\\xa0x' 'x y'`.split('\n')

describe('ls', () => {
  it('shows characters beyond the first 65,536 as the real one does', async () => {
    const twin = new Twin(`: > 🂠; : > 🃃; : > b\u3000c; : > d\u00a0e`)
    for (const line of CHARACTERS) await twin.same(line, { env: { LC_ALL: 'C.UTF-8' } })
  })

  it('lists as the real one does', async () => {
    const twin = new Twin(SETUP)
    for (const line of LINES) {
      if (line.includes('-i')) continue
      await twin.same(line, { env: { TERM: 'xterm' } })
    }
  })

  it('heeds the environment', async () => {
    const twin = new Twin(SETUP)
    await twin.same('ls -C', { env: { COLUMNS: '50' } })
    await twin.same('ls', { env: { QUOTING_STYLE: 'c' } })
    await twin.same('ls -l', { env: { TIME_STYLE: 'long-iso' } })
    await twin.same('ls -l', { env: { TIME_STYLE: '+%j' } })
    await twin.same('ls -l', { env: { TZ: 'America/New_York' } })
    await twin.same('ls -ls', { env: { BLOCK_SIZE: 'human-readable' } })
    await twin.same('ls -ls', { env: { BLOCKSIZE: '512' } })
    await twin.same('ls -ls', { env: { LS_BLOCK_SIZE: '1' } })
    await twin.same('ls --color -l', { env: { LS_COLORS: 'di=1:*.txt=31:ex=32:or=40;31:mi=05:ln=36:su=37;41:tw=30;42:*.gz=33' } })
    await twin.same('ls --color', { env: { LS_COLORS: 'ln=target:di=1:or=31' } })
    await twin.same('ls --color', { env: { LS_COLORS: 'foo' } })
    await twin.same('ls --color', { env: { LS_COLORS: 'zz=1' } })
    await twin.same('ls -C', { env: { LC_ALL: 'C.UTF-8' }, cwd: `${twin.directory}/d/sub` })
    await twin.same('ls -b', { env: { LC_ALL: 'C' }, cwd: `${twin.directory}/d/sub` })
    await twin.same('ls -b', { env: { LC_ALL: 'C.UTF-8' }, cwd: `${twin.directory}/d/sub` })
  })
})
