import { describe, expect, test } from 'vitest'
import { Files, hasGnu, seeded } from './harness.ts'

const FILES = {
  f: 'a\nb\nc\n',
  g: 'x\ny',
  e: '',
  h: 'a^b a+b a.b a\tb\nfoo bar\n',
  u: 'é foo\nnaïve ÉCOLE\n漢字 foo\n😀x\n',
  n: '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n',
  bad: Uint8Array.of(0x61, 0xff, 0x62, 10, 0xc3, 10),
  'd/x': 'in d\n',
  script: 's/a/A/\n# comment\n/b/{\n  p\n  s//B/\n}\n',
  silent: '#n\np\n',
  broken: 'p\np\nk\n',
}

/** Scripts run on each of the files in turn. */
const SCRIPTS = [
  '',
  'p',
  '=',
  'F',
  'd',
  '2d',
  '$d',
  '$!d',
  '2!d',
  '1~2d',
  '0~3p',
  '2~0p',
  '2,4d',
  '2,4!d',
  '4,2p',
  '2,+1p',
  '3,~4p',
  '2,~0p',
  '0,/a/p',
  '0,/^/d',
  '1,/a/d',
  '/b/,/c/p',
  '/b/,$d',
  '/b/,1p',
  '/b/,+1p',
  '/a/I,/C/Ip',
  '\\,b,p',
  '\\|b|,\\|c|d',
  '/b/!p',
  '/a/,/b/!d',
  'n;d',
  '$!n;d',
  'N;P;D',
  '$!N;P;D',
  'N;N;s/\\n/+/g',
  '$!N;s/\\n/ /',
  'H;$!d;x;s/\\n/,/g',
  '1!G;h;$!d',
  'G',
  'x;G',
  'x;p;x',
  'h;G;g',
  'D',
  'z;s/^$/e/',
  'q',
  'q5',
  '2q',
  '2Q',
  'Q3',
  '2q;p',
  '$q7',
  'l',
  'l 0',
  'l 1',
  'l 5',
  's/a/b/',
  's/a/b/g',
  's/[ab]/<&>/g',
  's/o*/x/2g',
  's/x*/-/g',
  's/\\w*/<&>/2',
  's/\\w\\+/[\\u&]/g',
  's/\\(.\\)\\(.\\)/\\2\\1/g',
  's/\\b/X/g',
  's/\\B/X/g',
  's/\\</[/g;s/\\>/]/g',
  's/$/X/g',
  's/^/X/g',
  's/.*/"&"/',
  's/./&&/3',
  's/a\\|b//3',
  's/A/x/I;s/F/y/i',
  's/a/b/p',
  's/a/b/;ta;s/b/c/;:a',
  'tx;s/^/1/;tx;s/$/2/;:x',
  'Tx;s/^/1/;:x',
  ':a;N;ba',
  ':a;s/^.\\{1,5\\}$/ &/;ta',
  '/a/b end;s/^/X/;:end',
  '/a/{b};p',
  '1{:a};p',
  'b;p',
  'b ; p',
  't ; p',
  'bx;:x;p',
  's/foo bar/\\u\\L&/',
  's/a/\\L\\u&B/',
  's/foo/\\Ux\\Ey\\lABC/',
  's/\\(f\\)\\(oo\\)/\\U\\1\\E\\2/',
  's/\\(x*\\)\\(.\\)/\\u\\1\\2/',
  's/foo/\\n/',
  's/foo/a\\\nb/',
  's/a/x\\\ny/;s/x/z/g',
  's/a/[&\\&]/',
  's/a/\\//;s,/,\\,,',
  's|a\\|f|X|g',
  's+a\\+b+X+',
  's.a\\.b.X.g',
  's*a\\**X*',
  's/[/]/x/',
  's/[\\t]/X/;s/[\\n]/Y/',
  's/\\t/X/',
  's/[\\.]/X/g',
  's/\\x61/X/g',
  's/\\d97/X/;s/\\o142/Y/',
  's/b/\\x26/',
  's/\\x5e/X/',
  'N;s/^/X/mg',
  'N;s/$/X/mg',
  'N;s/\\`/X/mg',
  "N;s/\\'/X/mg",
  'N;s/a.b/X/M;s/a\\nb/Y/M;s/a\\sb/Z/M',
  'N;l;D',
  'y/abc/xyz/',
  'y/a\\/b/x\\/y/',
  'y,a\\,b,x\\,y,',
  'N;y/a\\nb/x\\ny/',
  'y/\\t/ /',
  'y/éo/oé/',
  'y/abc/\\n\\t\\q/',
  '1a\\text',
  '1a\\  text',
  '1a   text',
  '1a\\\n  text\\\nmore',
  '1a hello\\tworld',
  '1a\\thello',
  '1a foo\\',
  '1a\\',
  '$!{a foo\n}',
  '1i\\\nfoo',
  '1c\\\nfoo',
  '1,2c\\foo',
  '2!c\\foo',
  '$!N;c\\foo',
  '1a\\\\tfoo',
  '1a a\\nb',
  '1a \\  foo',
  'a\\\n',
  'i   x  ',
  '$c\\',
  'a b\\c\\\\d',
  'a foo\ns/a/b/',
  '/b/{i\\\nx\na y\n}',
  '1d;n;d',
  '2{N;N;p}',
  '5!s/a/b/',
  '{;}',
  '{p};p',
  ';p',
  'p#x',
  '#x',
  '1{p;p}',
  '1 ! p',
  '/foo/ I p',
  '//p',
  '/a/{s//b/;s//c/}',
  'r f',
  '1r f',
  '$r f',
  '0r f',
  'r nope',
  '2r f\na x',
  'R f',
  '1R g',
  'R nope',
  'w out',
  'w /dev/stdout',
  '1,2w out\ns/a/b/w out2',
  'W out',
  'N;W out',
  's/a/b/w /dev/stdout',
  'v 4.2',
  '#n\np',
  '1!{2!{3!p}}',
]

const ERRORS = [
  'k',
  '1',
  '1,',
  '1,p',
  '1!!p',
  '+1p',
  '~2p',
  '0p',
  '0,2p',
  '}',
  '{',
  '{p',
  '1,2}',
  'p}',
  '1{p}}',
  ':',
  '1:a',
  ':a}',
  'b foo',
  '1b}',
  'p x',
  'px',
  '=p',
  '{p}p',
  '1#p',
  '1,2q',
  '1,2Q',
  'q 5x',
  'l 200x',
  'y/a/bc/',
  'y/a/b',
  'y/a/b/g',
  'y/a\\q/bcd/',
  's/a',
  's/a/b',
  's/a/b/x',
  's/a/b/pp',
  's/a/b/gg',
  's/a/b/1 2',
  's/a/b/0',
  's/a/\\1/',
  's/\\(a\\)/\\2/',
  's/\\(a/b/',
  's/a\\{1/b/',
  's/a**/b/',
  's/[a/b/',
  's/a\\{x\\}/b/',
  's/\\(a\\)\\2/b/',
  '/a',
  '/a/,',
  '\\,a',
  '/[[:foo:]]/p',
  '/[:alpha:]/p',
  'sébébé',
  's//x/',
  's//x/I',
  'r',
  'w',
  'w ',
  'R',
  's/a/b/w',
  'v 9.0',
  '1a',
  'c',
  'a',
]

describe.runIf(hasGnu('sed'))('sed does what GNU sed does', () => {
  test('scripts', async () => {
    for (const script of SCRIPTS) {
      for (const args of [['f'], ['-n', 'h', 'g', 'f'], ['-s', 'g', 'n'], ['u']]) {
        // GNU sed takes bytes of characters apart where nothing is matched, and mixes up what 0r reads with a missing newline.
        if (args[0] === 'u' && /[ox]\*\/|\(x\*/.test(script)) continue
        if (args[0] === '-s' && script.startsWith('0r')) continue
        await new Files(FILES).same(['sed', '-e', script, ...args])
      }
    }
  })

  test('scripts on standard input in pieces', async () => {
    for (const script of SCRIPTS) {
      if (script.includes('F')) continue
      await new Files(FILES).same(['sed', script], { stdin: 'foo bar\nab\n\nb a c\nlast', chunkSize: 3, slow: true })
    }
  })

  test('errors', async () => {
    const files = new Files(FILES)
    for (const script of ERRORS) {
      await files.same(['sed', script, 'f'])
      await files.same(['sed', '-n', '-e', 'p', '-e', script, 'f'])
    }
    for (const args of [
      ['-E', 's/(a/b/'],
      ['-E', 's/a)/b/'],
      ['-E', 's/*a/b/'],
      ['-E', 's/a{1/b/'],
      ['-E', 's/(a)/\\2/'],
      ['--sandbox', 'w x'],
      ['--sandbox', 'r x'],
      ['-f', 'broken'],
      ['-f', 'nope'],
      ['p', 'nope'],
      ['p', 'nope', 'f'],
      ['p', 'd', 'f'],
      ['-i', 'p', 'd', 'f'],
      ['-n', '$p', 'f', 'nope'],
      ['-n', '$p', 'f', 'e'],
      ['-n', '$=', 'e', 'f'],
    ]) {
      await files.same(['sed', ...args])
    }
  })

  test('options', async () => {
    for (const args of [
      ['-n', 'p', 'f'],
      ['--quiet', 'p', 'f'],
      ['-f', 'script', 'f'],
      ['-f', 'silent', 'f'],
      ['-n', '-f', 'script', '-e', 'p', 'f'],
      ['-e', '1a\\', '-e', 'foo', 'f'],
      ['-e', '1a foo', '-e', '1i\\', '-e', 'bar', 'f'],
      ['-e', '1{p', '-e', '}', 'f'],
      ['-e', '#n', '-e', 'p', 'f'],
      ['-E', 's/(a|b)+/<&>/', 'f'],
      ['-r', 's/(a|b)+/<&>/', 'f'],
      ['-z', 's/\\n/+/g', 'f'],
      ['-z', '$!d', 'f'],
      ['-s', '-n', '$=', 'f', 'g'],
      ['-s', '1F', 'f', 'g'],
      ['-l', '5', '-n', 'l', 'h'],
      ['-l', '1', '-n', 'l', 'h'],
      ['-n', 'l', 'u'],
      ['--line-length=9', '-n', 'l', 'u'],
      ['-u', 'p', 'f'],
      ['--posix', 's/a/b/', 'f'],
      ['-i', 's/a/Z/', 'f'],
      ['-i.bak', 's/a/Z/', 'f', 'g'],
      ['-ib_*', '$d', 'f', 'g'],
      ['-i', '-n', 'p;p', 'f'],
      ['-i', '2q', 'n'],
      ['-i', '$s/$/!/;1i\\top', 'f', 'g', 'e'],
      ['-i', '-e', '/b/w out', '-e', 's/b/w/w /dev/stdout', 'f'],
      ['-i', '1r g', 'f'],
      ['-i', 'p', 'nope', 'f'],
      ['-n', '-s', '2{p;=}', 'f', 'g'],
      ['--expression=p', '-n', 'f'],
      ['p', '-n', 'f'],
      ['p', '--', 'f'],
    ]) {
      await new Files(FILES).same(['sed', ...args])
    }
  })

  test('bytes that are no characters', async () => {
    for (const LC_ALL of ['C', 'C.UTF-8']) {
      for (const script of [
        's/./X/g',
        's/[^a]/X/g',
        'l',
        's/\\xff/Y/',
        'y/a/b/',
        's/a/\\xe9/',
        's/\\xc3\\xa9/e/',
        's/é/e/g',
        's/\\W/_/g',
        's/.*/[&]/',
      ]) {
        await new Files(FILES).same(['sed', script, 'bad', 'u'], { env: { LC_ALL } })
      }
    }
  })

  test('any script', async () => {
    const random = seeded(5)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const address = (): string => pick(['', '', '1', '2', '3', '$', '/a/', '/b/', '/^$/', '1~2', '//'])
    const range = (): string => {
      const from = address()
      return from === '' || random(2) === 0 ? from : `${from},${pick(['2', '4', '$', '/a/', '/b/', '+1', '~2'])}`
    }
    const command = (): string =>
      pick([
        'p',
        'd',
        'D',
        'n',
        'N',
        'P',
        'h',
        'H',
        'g',
        'G',
        'x',
        '=',
        's/a/b/',
        's/a*/x/g',
        's/b/a/2',
        's/\\n/+/',
        's/^./<&>/',
        'y/ab/ba/',
        'a\\\napp\n',
        'i\\\nins\n',
        'c\\\nchg\n',
        'tz',
        'bz',
        'Tz',
        'q',
        'Q',
        'z',
        'l',
        'r f',
        'R f',
        '$!N',
      ])
    for (let i = 0; i < 300; i++) {
      let script = ''
      for (let count = 1 + random(4); count > 0; count--) {
        const chosen = command()
        const where = chosen.startsWith('$') ? '' : (/^[qQ]/.test(chosen) ? address() : range()) + pick(['', '', '', '!'])
        script += `${where}${chosen}\n`
      }
      let stdin = ''
      for (let line = random(7); line > 0; line--)
        stdin += `${Array.from({ length: random(4) }, () => pick(['a', 'b', 'c'])).join('')}${line === 1 && random(2) === 0 ? '' : '\n'}`
      // A script that goes round for ever in GNU sed too is not compared.
      const files = new Files({ f: 'F1\nF2\n' })
      if (/D/.test(script) && /[GHNi]|\\n/.test(script)) continue
      await files.same(['sed', ...pick([[], ['-n'], ['-s']]), `${script}:z`, ...pick([[], ['f', '-']])], {
        stdin,
        chunkSize: pick([2, 65_536]),
        slow: random(2) === 0,
      })
    }
  })
})

describe('sed', () => {
  test('answers', async () => {
    const files = new Files(FILES)
    expect(await files.ours(['sed', '--version'])).toEqual({ stdout: 'sed (mirage-runtime) 0.1.0\n', stderr: '', status: 0 })
    expect((await files.ours(['sed', '--help'])).stdout).toMatch(/^Usage: sed \[OPTION\]\.\.\./)
    expect((await files.ours(['sed'])).status).toBe(1)
    expect(await files.ours(['sed', '-Q', 'p'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^sed: invalid option -- 'Q'\nUsage: /),
    })
    expect(await files.ours(['sed', 'e date', 'f'])).toMatchObject({
      status: 1,
      stderr: 'sed: -e expression #1, char 1: the e command is not supported\n',
    })
  })

  test('no pattern takes long', async () => {
    const files = new Files({ long: `${'a'.repeat(100_000)}!\n` })
    for (const pattern of ['(a+)+$', '(a|aa)+$', 'a*a*a*a*b', '[a-z]*[0-9]']) {
      expect(await files.ours(['sed', '-E', `s/${pattern}/x/g;s/a{9}/b/g;s/b+//`, 'long'])).toEqual({
        stdout: 'a!\n',
        stderr: '',
        status: 0,
      })
    }
  })

  test('ends when it is told to, in a script that never would', async () => {
    const stop = new AbortController()
    stop.abort()
    await expect(new Files(FILES).ours(['sed', ':a;ba', 'f'], { signal: stop.signal })).rejects.toThrow()
  })
})
