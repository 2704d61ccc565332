import { describe, expect, test } from 'vitest'
import { Files, hasGnu, seeded } from './harness.ts'

const FILES = {
  a: 'foo\nbar\nfoobar\nbaz qux\nfoo bar foo\n\nFOO\nlast foo',
  b: 'x\ny\nfoo\nz\nw\nv\nfoo\nu\n',
  empty: '',
  'sub/c.txt': 'foo in c\nno\n',
  'sub/deep/d.h': 'foo in d\n',
  'sub/.git/e': 'foo in e\n',
  bin: 'x\0foo\nfoo again\n',
  'enc.txt': Uint8Array.of(0x66, 0xff, 0x6f, 0x6f, 0x20, 0x66, 0x6f, 0x6f, 0x0a, 0x66, 0x6f, 0x6f, 0x0a),
  'utf.txt': 'é foo\nnaïve\nÉCOLE\n漢字 foo\n😀x\n',
  link: { link: 'a' },
  'sub/link': { link: '../b' },
  'sub/up': { link: '..' },
  pats: 'foo\nqux\n',
  globs: '*.h\n# no comment\n',
}

describe.runIf(hasGnu('grep'))('grep does what GNU grep does', () => {
  const files = new Files(FILES)
  const same = (line: string, settings = {}) => files.same(words(line), settings)

  test('selects lines', async () => {
    for (const line of [
      'grep foo a',
      'grep -v foo a',
      'grep -i foo a',
      'grep -c foo a b empty',
      'grep -l foo a b empty',
      'grep -L foo a b empty',
      'grep -n foo a',
      'grep -b foo a utf.txt',
      'grep -nb o utf.txt',
      'grep -H foo a',
      'grep -h foo a b',
      'grep -w foo a',
      'grep -x foo a',
      'grep -xv foo a',
      'grep -o foo a',
      'grep -on o a',
      'grep -ob o utf.txt',
      'grep -ov foo a',
      'grep -q foo a',
      'grep -q nothing a',
      'grep -s foo none',
      'grep foo none a',
      'grep -q foo none a',
      'grep foo sub',
      'grep -s foo sub',
      'grep -d skip foo sub a',
      'grep -D skip foo a',
      'grep -m1 foo a b',
      'grep -m0 foo a',
      'grep -m-1 foo a',
      'grep -cm2 foo a',
      'grep -vm2 foo a',
      'grep -e foo -e qux a',
      'grep -f pats a',
      'grep -f pats -e FOO a',
      'grep -f empty a',
      'grep -vf empty a',
      'grep -f none a',
      "grep '' a",
      "grep -w '' a",
      "grep -x '' a",
      "grep -c '' a empty bin",
      'grep -F foo a',
      'grep -F -e foo. -e bar a',
      'grep -Fx foo a',
      'grep -Fw foo a',
      'grep -Fiw FOO a',
      'grep -E fo+|qu? a',
      'grep -G fo\\+ a',
      'egrep fo+ a',
      'fgrep fo+ a',
      'grep -T foo a',
      'grep -nT foo a b',
      'grep -Z foo a b',
      'grep -lZ foo a b',
      'grep -cZ foo a b',
      'grep --label=in -H foo',
      'grep -H foo - a',
      'grep -c foo - a',
      'grep -l foo -',
      'grep -y foo a',
      'grep -u foo a',
      'grep -U foo a',
      'grep --line-buffered foo a',
      'grep --no-ignore-case -i foo a',
      'grep -i --no-ignore-case foo a',
    ]) {
      await same(line, { stdin: 'in foo\nno\n' })
    }
  })

  test('prints context', async () => {
    for (const options of [
      '-A1',
      '-B1',
      '-C1',
      '-1',
      '-A2 -B1',
      '-C5',
      '-A0',
      '-B0',
      '-C1 --no-group-separator',
      '-A1 --group-separator=##',
      '-n -C1',
      '-nb -A1',
      '-C1 -v',
      '-A1 -m1',
      '-A3 -m1',
      '-C1 -c',
      '-C1 -l',
      '-C1 -o',
      '-m2 -A1',
      '-m1 -C1 -v',
    ]) {
      for (const pattern of ['foo', 'x', 'nothing', '^$', 'bar', '[uv]']) {
        for (const names of ['a', 'b', 'a b', 'b a empty']) await same(`grep ${options} ${pattern} ${names}`)
      }
    }
  })

  test('walks directories', async () => {
    for (const line of [
      'grep -r foo',
      'grep -r foo .',
      'grep -r foo ./',
      'grep -r foo sub',
      'grep -r foo sub/',
      'grep -rh foo sub',
      'grep -rl foo',
      'grep -rL foo',
      'grep -rc foo sub',
      'grep -rn foo sub a',
      'grep -r foo a',
      'grep -r foo link',
      'grep -rH foo a',
      'grep -r foo sub/up/sub/c.txt',
      "grep -r --include='*.txt' foo",
      "grep -r --include='*.txt' --include='*.h' foo",
      "grep -r --exclude='*.txt' foo",
      "grep -r --exclude='*.txt' --include='*' foo",
      "grep -r --include='*.txt' --exclude='c*' foo",
      'grep -r --exclude-dir=.git foo',
      'grep -r --exclude-dir=deep foo sub',
      'grep -r --exclude-dir=sub foo sub',
      'grep -r --exclude-dir=sub/ foo .',
      'grep -r --exclude-from=globs foo',
      "grep --exclude='a*' foo a b",
      "grep --include='b' foo a b",
      'grep -d recurse foo sub',
      'grep -rI foo',
      'grep -ra foo enc.txt bin',
      'grep -rw c',
    ]) {
      await same(line, { unordered: true })
    }
  })

  test('follows links with -R', async () => {
    const linked = new Files({ 'd/f': 'foo\n', 'd/loop': { link: '.' }, 'd/gone': { link: 'nowhere' }, e: { link: 'd' } })
    await linked.same(['grep', '-R', 'foo', 'd'], { unordered: true })
    await linked.same(['grep', '-r', 'foo', 'e'], { unordered: true })
    await linked.same(['grep', '-r', 'foo', 'd'], { unordered: true })
  })

  test('knows binary files', async () => {
    for (const line of [
      'grep foo bin',
      'grep -c foo bin',
      'grep -o foo bin',
      'grep -v foo bin',
      'grep -l foo bin',
      'grep -q foo bin',
      'grep -a foo bin',
      'grep -I foo bin a',
      'grep --binary-files=text foo bin',
      'grep --binary-files=without-match -c foo bin',
      'grep foo enc.txt',
      'grep -n foo enc.txt',
      'grep -v x enc.txt',
      'grep -a foo enc.txt',
      'grep -c . enc.txt',
      'grep -ao . enc.txt',
      'grep -c foo enc.txt',
      'grep -A1 -n foo enc.txt',
    ]) {
      await same(line)
    }
  })

  test('colours', async () => {
    for (const line of [
      'grep --color=always foo a',
      'grep --color=always -nH foo a',
      'grep --colour=always -o foo a b',
      'grep --color=always -v foo a',
      'grep --color=always -n -C1 foo b',
      'grep --color=always -v -C1 foo b',
      'grep --color=always -c foo a b',
      'grep --color=always -l foo a b',
      'grep --color=always -b o utf.txt',
      'grep --color=auto foo a',
      'grep --color=never foo a',
      "grep --color=always '' a",
      "grep --color=always 'o*' a",
    ]) {
      for (const GREP_COLORS of ['', 'mt=01;32', 'ms=34:mc=35:sl=1:cx=2:fn=3:ln=4:bn=5:se=6', 'sl=1:cx=2:rv:ne'])
        await same(line, { env: { GREP_COLORS } })
    }
  })

  test('takes records that end with a zero byte', async () => {
    const stdin = 'a\nfoo\0foo\0bar\n\0'
    for (const line of [
      'grep -z foo',
      'grep -zc .',
      'grep -zx foo',
      'grep -zo [a-z]*',
      'grep -z ^foo',
      'grep -zn foo',
      'grep -zv foo',
      'grep -z a$',
      'grep -z a.f',
      'grep -zA1 foo',
      'grep -zl foo',
    ])
      await same(line, { stdin })
  })

  test('complains', async () => {
    for (const line of [
      'grep',
      'grep -E',
      'grep -Q x',
      'grep --nonsense x',
      'grep --in x',
      'grep -A x foo',
      'grep -m x foo',
      'grep -A',
      'grep -d foo x',
      'grep -D foo x',
      'grep --binary-files=foo x',
      'grep -E -F x',
      'grep -P -G x',
      'grep -X foo x',
      'grep --context=-1 x a',
      "grep '[a' a",
      "grep '\\(' a",
      "grep 'a\\{1' a",
      "grep 'a\\{2,1\\}' a",
      "grep '[[:foo:]]' a",
      "grep '[:alpha:]' a",
      "grep '[z-a]' a",
      "grep 'a\\' a",
      "grep '\\(a\\)\\2' a",
      "grep -E '*a' a",
      "grep -E '(*a|+b){1}' a",
      "grep -E '{1}a' a",
      "grep -E 'a{1' a",
      "grep -E ')' a",
      "grep -P '(' a",
      "grep -P '*a' a",
      "grep -P 'a{2,1}' a",
      "grep -P '\\g{9}' a",
      "grep -P '(?<=a+)b' a",
    ]) {
      await same(line)
    }
  })

  test('has characters as the locale does', async () => {
    for (const LC_ALL of ['C.UTF-8', 'C']) {
      for (const line of [
        'grep -o . utf.txt',
        'grep -c é utf.txt',
        'grep -i École utf.txt',
        'grep [é] utf.txt',
        'grep -w foo utf.txt',
        'grep ^.$ utf.txt',
        'grep ^..$ utf.txt',
        'grep -ob x utf.txt',
        'grep -o [[:alpha:]]* utf.txt',
        'grep -E ^.{2,4}$ utf.txt',
        'grep -F 漢 utf.txt',
        'grep -P ^\\w utf.txt',
        'grep -Po . utf.txt',
      ]) {
        await same(line, { env: { LC_ALL } })
      }
    }
  })

  test('takes Perl patterns', async () => {
    for (const pattern of [
      '(?<=foo)bar',
      '(?<!foo)bar',
      'foo(?=bar)',
      'foo(?!bar)',
      'foo\\Kbar',
      '^(?!foo).*',
      '\\bfoo\\b',
      '\\d+',
      '(?i)foo',
      '(?i:f)oo',
      '(o)\\1',
      '(?<x>o)\\k<x>',
      '(?P<x>o)(?P=x)',
      'fo{2}',
      'f[[:alpha:]]+?o',
      '\\Afoo',
      'foo\\z',
      'o++b',
      '(?>fo*)b',
      '(?>fo*)o',
      '[^\\W_]+',
      '\\Qfoo b\\E',
      'fo(?#comment)o',
      '(?x) f o o # end',
      '\\x66oo',
      '\\x{66}oo',
      '\\p{Lu}',
      '\\P{L}',
      '\\h',
      'b.z\\s',
      '^$',
      '(?:foo|bar)+',
      'a|b|',
      '(f)?(?!x)o',
      '.{3}$',
    ]) {
      for (const options of ['-P', '-Po', '-Pc', '-Pw', '-Px', '-Pi', '-Pv', '-Pon'])
        await files.same(['grep', options, pattern, 'a', 'utf.txt'])
    }
  })

  test('any pattern, option, chunk', async () => {
    const random = seeded(11)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    for (let i = 0; i < 400; i++) {
      let content = ''
      for (let line = random(12); line > 0; line--) {
        for (let word = random(5); word > 0; word--) content += pick(['a', 'b', 'ab', 'aa', ' ', 'é', 'A', '_', '.', 'x1'])
        content += line === 1 && random(2) === 0 ? '' : '\n'
      }
      let pattern = ''
      for (let piece = 1 + random(4); piece > 0; piece--)
        pattern += pick([
          'a',
          'b',
          '.',
          '[ab]',
          'a*',
          'ab*',
          '^',
          '$',
          '\\<',
          '\\>',
          '\\b',
          '\\w',
          'é',
          '\\(a\\)',
          '\\(a\\|b\\)*',
          'b\\{1,2\\}',
          '[^a]',
          '\\(a*\\)\\1',
        ])
      const options = Array.from({ length: random(4) }, () =>
        pick(['-i', '-v', '-n', '-b', '-c', '-o', '-w', '-x', '-A1', '-B2', '-C1', '-m1', '-m2', '--color=always', '-H', '-T']),
      )
      await new Files().same(['grep', ...options, '-e', pattern], {
        stdin: content,
        chunkSize: pick([1, 3, 7, 65_536]),
        slow: random(2) === 0,
      })
    }
  })

  test('many strings', async () => {
    const random = seeded(3)
    const word = (): string => Array.from({ length: 1 + random(4) }, () => 'abc'[random(3)]).join('')
    const list = new Files({ list: Array.from({ length: 40 }, word).join('\n'), text: Array.from({ length: 200 }, word).join('\n') })
    for (const options of ['', '-v', '-x', '-w', '-o', '-c', '-i']) await list.same(words(`grep -F ${options} -f list text`))
  })
})

describe('grep', () => {
  test('gives back what follows the last line it wanted', async () => {
    const files = new Files()
    expect(await files.ours(['grep', '--help'])).toMatchObject({ status: 0, stderr: '' })
    expect(await files.ours(['grep', '--version'])).toMatchObject({ status: 0, stdout: 'grep (mirage-runtime) 0.1.0\n' })
  })

  test('no pattern takes long', async () => {
    const files = new Files({ long: `${'a'.repeat(50_000)}!\n` })
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(.*)*x', 'a*a*a*a*b', '(a?){30}a{30}b']) {
      expect(await files.ours(['grep', '-cE', pattern, 'long'])).toMatchObject({ stdout: '0\n', status: 1 })
      expect(await files.ours(['grep', '-cP', pattern, 'long'])).toMatchObject({ stdout: '0\n', status: 1 })
    }
    expect(await files.ours(['grep', '-E', '(a*)*\\1\\1\\1!!', 'long'])).toMatchObject({ stdout: '' })
    expect(await files.ours(['grep', '-P', '(?=(a+)+!!)', 'long'])).toMatchObject({
      status: 2,
      stderr: "grep: exceeded PCRE's backtracking limit\n",
    })
  })
})

/** A line as a shell would split it, with single quotes. */
function words(line: string): string[] {
  return (line.match(/(?:'[^']*'|[^' ])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}
