import { describe, expect, it } from 'vitest'
import type { Entry } from './harness.ts'
import { Files, hasGnu } from './harness.ts'

const TREE: Readonly<Record<string, Entry>> = {
  'a/f': { content: 'hi\n', mode: 0o640, mtime: 1_709_618_828 },
  'a/z': '',
  'a/b/up': { link: '..' },
  'a/broken': { link: 'nowhere' },
  'a/lb': { link: 'b' },
  'a/e': null,
  'a/.h': 'x'.repeat(600),
  'a/é': { content: 'y'.repeat(5000), mode: 0o755, mtime: 1_609_459_200 },
  'a/same': { hard: 'a/.h' },
  'a/sp ace"q\\back': 'q',
  'a/deep/er/F.TXT': 'text',
  'a/deep/er/x.ts': 'text\n',
}

const gnu = hasGnu('find')

/** Words by spaces; `_` stands for an empty one. */
const wordsOf = (line: string): string[] => ['find', ...line.split(' ').map((word) => (word === '_' ? '' : word))]

describe.skipIf(!gnu)('find finds what GNU find finds', () => {
  const lines = `
a
a/ -name f
.
a b
a -name f
a -iname F*
a -name *
a -name .*
a -name [!a-z]
a -name [[:upper:]]*
a -name \\f
a -name _
a/ -name a
a/ -name a/
a -path a/deep*
a -path *er/x*
a -wholename a/f
a -ipath A/F
a -iwholename A/DEEP/*
a -regex f
a -regex .*f
a -regex a/[fz]
a -regex a/\\(f\\|z\\)
a -regex a/.+
a -iregex A/F
a -regextype egrep -regex a/(f|z)
a -regextype posix-extended -regex a/d.{2}p
a -regextype posix-basic -regex a/d.\\{2\\}p
a -regextype sed -regex a/[fz]\\+
a -regextype posix-extended -regex (
a -regextype foo
a -type f
a -type d
a -type l
a -type f,d
a -type s
a -xtype l
a -xtype d
a -xtype f
-L a -xtype l
-L a/deep
-L a -type l
-L a -name up
-H a/lb
-H a/lb a/broken nope
a/lb
a/lb/
a//
./a/f
a/../a -maxdepth 1 -type f
a -follow -name f
a -size 0
a -size 1
a -size 2
a -size -1
a -size +1 -type f
a -size +0c -type f
a -size 3c
a -size 5k
a -size 600c
a -size 1k -type f
a -size 1w -type f
a -size 2w -type f
a -size 1M -type f
a -size -1M -type f
a -empty
a -empty -type d
a -links 2 -type f
a -links +1 -type f
a -samefile a/.h
a -perm 640
a -perm 0640
a -perm -600
a -perm /111
a -perm -u=rw,g+r
a -perm /u+x,o+x
a -perm u=rw,g=r
a -perm +x
a -perm -u+X
a -perm u
a -perm +111
a -perm 0888
a -perm /000
a -perm zzz
a -user root
a -user 0
a -group root
a -uid 0
a -uid +0
a -gid -1
a -nouser
a -nogroup
a -user nobodyx
a -group nopex
a -user _
a -group _
a -readable
a -writable
a -executable
a -lname b
a -ilname NO*
a -lname *
a -newer a/f -type f
a ! -newer a/f -type f
a -newermt 2023-01-01 -type f
a -newermt garbage
a -newermm a/f -type f
a -mtime +30
a -mtime -30 -type f
a -mmin +10 -type f
a -mmin -600 -type f
a -mtime 0 -type f
a -daystart -mtime -1 -type f
a -atime -1 -type d
a -amin -100 -type d
a -mtime -1.5
a -maxdepth 0
a -maxdepth 1
a -mindepth 1 -maxdepth 1
a -mindepth 2
a -depth
a -d -maxdepth 1
a -depth -mindepth 1
a -name deep -prune -o -print
a -depth -name deep -prune -o -print
a -name deep -print -quit
a -true
a -false
a -not -name f
a ! ! -name f
a -name f -o -name z
a -name f -or -name z -and -true
a ( -name f -o -name z ) -type f
a -name f , -name z
a -name f -print -o -name z -print0
a -name f -print0
a -xdev -mount -noleaf -ignore_readdir_race -noignore_readdir_race -maxdepth 0
-O3 a -name f
-D foo a -maxdepth 0
-P -L -P a/lb
-- a -name f
a -warn -prune -depth -name f
a -warn -d -maxdepth 0
a -warn -name x/y
a -warn -iname x/y
a -warn -path a/
a -warn -type d -depth -mindepth 1 -xdev
a -warn ( -name f -o -xdev )
a -name f -maxdepth 1
nope
_
a/f/
a/f/x
-foo
a -type q
a -type f,f
a -type _
a -type f,
a -type fd
a -xtype z
a -name
a -maxdepth x
a -maxdepth -1
a -maxdepth 99999999999
a -size x
a -size 1q
a -size _
a -size +5kk
a -size -
a -size k
a -mtime x
a -mtime _
a -amin 1x
a -newer nope
a -uid x
a -links x
a -links -
a -inum x
a -used x
a -samefile nope
( -name x
a ( -name x
a -name x )
a )
a ( )
a (
a !
a ! !
a ! )
a -print !
a -print -o
a -print (
a -print ! )
a -name x -o
a -name x -a !
a -o -name x
a -a
a ,
a -name f ,
a ( ) -o -name f
a ! -o -name f
a -type f -a -a -name f
a -name f ( -o )
a -exec
a -exec echo
a -exec echo +
a -exec echo {} {} +
a -exec echo x{} +
a -exec ;
a -exec echo {} x +
a -ok ;
a -ok echo {} +
a -name x a
a -name x b
a -print a
a foo bar
a -newerXY f
a -newerXX b
a -newertm a
a -newert b
a -context x
-D
-Ox a
-O a
a -D foo
a -printf
a -printf %
a -fprintf x
a -delete -prune
a -files0-from x
-files0-from nope
-files0-from a
-Z a
a -H
a -fstype foo
a -name f -printf %p|%f|%h|%P|%H|%d|%y|%Y|%l|%s|%m|%#m|%M|%n|%u|%U|%g|%G\\n
a -printf %p|%f|%h|%P|%H|%d|%y|%Y|%l\\n
a/ -printf %p|%f|%h|%P|%H|%d|%y|%Y|%l\\n
a/deep/ / ./ a/../a -maxdepth 0 -printf [%p|%P|%H|%h|%f]\\n
a -printf [%10f|%-10f|%.3f|%05d|%+d|%3d|%-3d|%5y]\\n
a/f -printf %k|%b|%05s|%-8s|%8m|%08m|%S|%%|\\101\\t\\n
a/f -printf %t|%Tk|%TY-%Tm-%Td|%T@|%T+|%TT|%Tc|%TX|%TS|%Tq|%Tj\\n
a/f -printf \\a\\b\\f\\r\\v\\0\\\\\\1234\\8
a/f -printf abc\\cdef
a/f -printf \\q\\n
a/f -printf %q
a/f -printf %T
a/f -printf abc\\
-H a/lb -printf %p|%y|%Y|%l|%f\\n
-L a/lb a/broken -maxdepth 0 -printf %p|%y|%Y|%l\\n
a/lb a/broken -printf %p|%y|%Y\\n
a -fprint /dev/stdout
a -name f -fprint out -fprint0 out -fprintf out %p|%s\\n
a -fprint no/such
a -maxdepth 1 -exec echo {} ;
a -maxdepth 1 -exec echo a{}b{} {} ;
a -name f -exec false ; -print
a -name f -exec false {} +
a -name f -exec true {} + -print
a -execdir echo {} ;
/ a/b/ -maxdepth 0 -execdir echo {} ;
a -name f -delete
a -name deep -delete
a -type f -delete
a -depth -type l -delete -print
a -delete
a -maxdepth 0 -name f -delete
`
    .split('\n')
    .filter((line) => line !== '')

  it.each(lines)('find %s', async (line) => {
    await new Files(TREE).same(wordsOf(line), { unordered: true })
  })

  it('asks before it runs', async () => {
    const files = new Files(TREE)
    await files.same(wordsOf('a/f a/z -ok echo got {} ;'), { stdin: 'y\nn\n' })
    await files.same(wordsOf('a/f a/z -okdir echo got {} ;'), { stdin: 'no\nYes\n' })
    await files.same(wordsOf('a/f -ok echo got {} ;'), { stdin: '' })
    await files.same(wordsOf('a/f a/z -exec cat ;'), { stdin: 'once\n' })
  })

  it('takes operands from a file', async () => {
    const files = new Files({ ...TREE, list: 'a/f\0a/z\0', empty: '' })
    await files.same(wordsOf('-files0-from list'))
    await files.same(wordsOf('-files0-from empty'))
    await files.same(wordsOf('-files0-from - -print'), { stdin: 'a/f\0a/z' })
    await files.same(wordsOf('-files0-from - -ok echo ;'), { stdin: 'a/f\0' })
    await files.same(wordsOf('a -files0-from list'))
  })

  it('refuses to run commands where PATH is not safe', async () => {
    const files = new Files(TREE)
    await files.same(wordsOf('a/f -execdir echo ;'), { env: { PATH: ':/usr/bin' } })
    await files.same(wordsOf('a/f -execdir echo ;'), { env: { PATH: 'rel:/usr/bin' } })
  })

  it('goes on where each answer is a promise', async () => {
    const settings = { slow: true, unordered: true }
    await new Files(TREE).same(wordsOf('a -type f -exec echo {} ; -o -printf %p\\n'), settings)
    await new Files(TREE).same(wordsOf('a -name f -exec echo {} + , -name x* -printf %s%l\\n , -name z -print'), settings)
    await new Files(TREE).same(wordsOf('a -empty -delete'), settings)
  })

  it.each([
    'a -maxdepth 1 -exec echo {} +',
    'a -maxdepth 1 -exec echo 1 {} + -o -exec echo 2 {} +',
    'a -type d -exec echo {} + , -type f -exec echo {} +',
    'a -exec echo {} + -name a -quit',
  ])('find %s, in any order', async (line) => {
    const files = new Files(TREE)
    const sorted = (text: string): string[] => text.split(/[ \n]/).sort()
    expect(sorted((await files.ours(wordsOf(line))).stdout)).toEqual(sorted(files.real(wordsOf(line)).stdout))
  })

  it('gathers as many arguments as one command line takes', async () => {
    const files = new Files(Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`big/${'n'.repeat(200)}${i}`, ''])))
    const counts = (text: string): number[] =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(' ').length)
    const argv = wordsOf('big -exec echo x {} +')
    const ours = counts((await files.ours(argv)).stdout)
    expect(ours.length).toBe(counts(files.real(argv).stdout).length)
    expect(ours.reduce((sum, n) => sum + n - 1, 0)).toBe(901)
  })
})

describe('find', () => {
  it('lists as ls does', async () => {
    const files = new Files({ 'a/f x': { content: 'hi\n', mode: 0o640, mtime: 1_709_618_828 }, 'a/é': { link: 'f x' } })
    const { stdout } = await files.ours(['find', 'a/f x', 'a/é', '-ls'])
    const [first = '', second = ''] = stdout.split('\n')
    expect(first.slice(9)).toBe('      4 -rw-r-----   1 root     root            3 Mar  5  2024 a/f\\ x')
    expect(second).toMatch(/^ {1,9}\d+ {6}0 lrwxrwxrwx {3}1 root {5}root {12}3 \w{3} [ \d]\d \d\d:\d\d a\/\\303\\251 -> f\\ x$/)
  })

  it('tests when a file was read', async () => {
    const files = new Files({ f: 'x' })
    const at = Date.now() + 73 * 3_600_000
    files.ram.setattr(`${files.directory}/f`, { atimeMs: at })
    const found = async (n: string): Promise<boolean> => (await files.ours(['find', 'f', '-used', n])).stdout !== ''
    const answers: boolean[] = []
    for (const n of ['3', '4', '+3', '+4', '-3', '-4']) answers.push(await found(n))
    expect(answers).toEqual([false, true, true, false, false, true])
  })

  it('stops for an abort', async () => {
    const files = new Files(TREE)
    const controller = new AbortController()
    controller.abort(new DOMException('ended', 'AbortError'))
    const many = new Files(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`d/${i}`, ''])))
    await expect(many.ours(['find', 'd'], { signal: controller.signal })).rejects.toThrow()
    expect((await files.ours(['find', 'a/f'])).stdout).toBe('a/f\n')
  })
})
