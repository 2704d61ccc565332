import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { RegexOptions } from '../../../src/regex/regex.ts'
import { compileRegex, RegexError } from '../../../src/regex/regex.ts'
import { seeded } from '../commands-search/harness.ts'

const hasBash = spawnSync('bash', ['--version']).status === 0

/** The match and its groups; null for none. */
function groups(source: string, text: string, options: RegexOptions = { syntax: 'extended' }): (string | null)[] | null {
  const regex = compileRegex(source, options)
  const match = regex.exec(text, 0)
  expect(regex.test(text)).toBe(match !== null)
  return match === null ? null : Array.from({ length: regex.groups + 1 }, (_, n) => match.text(n))
}

/** What bash makes of `[[ text =~ source ]]`: BASH_REMATCH, or the status. */
function bash(cases: readonly (readonly [source: string, text: string])[]): string[] {
  const script =
    'while IFS= read -r re && IFS= read -r t; do if [[ $t =~ $re ]]; then printf "<%s>" "${BASH_REMATCH[@]}"; echo; else echo "$?"; fi; done'
  const done = spawnSync('bash', ['-c', script], {
    input: cases.map(([source, text]) => `${source}\n${text}\n`).join(''),
    env: { LC_ALL: 'C.UTF-8', PATH: process.env.PATH },
    encoding: 'utf8',
    timeout: 20_000,
  })
  return done.stdout.split('\n')
}

function ours(source: string, text: string): string {
  try {
    const found = groups(source, text)
    return found === null ? '1' : found.map((group) => `<${group ?? ''}>`).join('')
  } catch (error) {
    if (error instanceof RegexError) return '2'
    throw error
  }
}

const KNOWN: readonly (readonly [string, string])[] = [
  ['(a|ab)(c|bcd)(d*)', 'abcd'],
  ['((a)|b)*', 'ab'],
  ['((a)|(b))*', 'abab'],
  ['(a*)*', 'b'],
  ['(a*)*', 'aab'],
  ['(a*)+', 'b'],
  ['(a*)+', 'aab'],
  ['(a|b)*', 'abab'],
  ['(a*)(ab)*(b*)', 'abb'],
  ['a*(ab)?', 'ab'],
  ['(a?)*', 'aa'],
  ['(a?)(a?)(a?)', 'aa'],
  ['(a?){1,2}b', 'ab'],
  ['()*', 'a'],
  ['(a|())*b', 'aab'],
  ['(^a|b)*', 'ab'],
  ['((a)(b)?)*', 'aba'],
  ['(a{2}|b)*', 'aab'],
  ['((a)|b){2,3}', 'abb'],
  ['(x|xy|y)(y|z)?', 'xyz'],
  ['(wee|week)(knights|night)', 'weeknights'],
  ['(aa|aaa)*', 'aaaaaa'],
  ['(.*)(b+)', 'abbb'],
  ['(b|abc?)(c*)', 'abcc'],
  ['x{2', 'x{2'],
  [')', ')'],
  ['a)', 'a)'],
  ['*', 'x'],
  ['a|*', 'x'],
  ['()', 'x'],
  ['a||b', 'b'],
  ['(|a)', 'a'],
  ['(|a)b', 'ab'],
  ['\\w+', 'é_1-'],
  ['[[:alpha:]]+', 'éß1'],
  ['a**', 'aaa'],
  ['^*', 'a'],
  ['[a', 'a'],
  ['[z-a]', 'a'],
  ['(', 'a'],
  ['a{2,1}', 'a'],
  ['a{x}', 'a{x}'],
  ['a{99999}', 'a'],
  ['{', '{'],
  ['a{,2}', 'aaa'],
  ['a{1', 'a{1'],
  ['\\', 'a'],
  ['(a)\\1', 'aa'],
  ['\\1(a)', 'aa'],
  ['(a\\1)', 'aa'],
  ['(a)|b\\1', 'b'],
  ['(.)(.)\\2\\1', 'xabbay'],
  ['[[:foo:]]', 'a'],
  ['[[.a.]-c]', 'b'],
  ['[[=a=]]', 'a'],
  ['[a-]', '-'],
  ['[]a]', ']'],
  ['[^]a]', 'b'],
  ['[a\\]', '\\'],
  ['[a-c-e]', 'a'],
  ['[%--]', '-'],
  ['\\d', 'd'],
  ['a^b', 'a^b'],
  ['x(^b)', 'b'],
  ['a$b', 'a$b'],
  ['\\bfoo\\b', 'a foo b'],
  ['\\Boo', 'foo'],
  ['\\<f', 'a f'],
  ['f\\>', 'f a'],
  ["\\`a.*b\\'", 'ab'],
]

describe.runIf(hasBash)('extended patterns match as in bash', () => {
  test('known cases', () => {
    const theirs = bash(KNOWN)
    KNOWN.forEach(([source, text], index) => {
      expect({ source, text, found: ours(source, text) }).toEqual({ source, text, found: theirs[index] })
    })
  })

  test('any pattern: the same text is matched', () => {
    const random = seeded(7)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const atom = (depth: number): string =>
      depth > 0 && random(3) === 0 ? `(${either(depth - 1)})` : pick(['a', 'b', 'c', '.', '[ab]', '[^a]', '[[:alpha:]]', 'é', '\\w', '\\s'])
    const branch = (depth: number): string =>
      Array.from({ length: 1 + random(3) }, () => atom(depth) + pick(['', '', '', '', '*', '+', '?', '{2}', '{1,2}', '{2,}'])).join('')
    const either = (depth: number): string =>
      Array.from({ length: 1 + (random(4) === 0 ? 1 + random(2) : 0) }, () => branch(depth)).join('|')
    const cases = Array.from({ length: 3000 }, () => {
      const text = Array.from({ length: random(9) }, () => pick(['a', 'b', 'c', ' ', 'é'])).join('')
      return [`${pick(['', '', '^'])}${branch(2)}${pick(['', '', '$'])}`, text] as const
    })
    const theirs = bash(cases)
    const span = (found: string | undefined): string | undefined => found?.split('>')[0]
    cases.forEach(([source, text], index) => {
      expect({ source, text, found: span(ours(source, text)) }).toEqual({ source, text, found: span(theirs[index]) })
    })
  })

  test('any pattern: groups hold the same', () => {
    const random = seeded(8)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const group = (): string =>
      `(${Array.from({ length: 1 + random(2) }, () => pick(['a', 'b', 'ab', '[ab]', 'a+', 'b?a', '.'])).join('|')})`
    const cases = Array.from({ length: 2000 }, () => {
      const source = Array.from({ length: 1 + random(4) }, () =>
        pick([group() + pick(['', '', '+', '*', '?', '{2}']), 'a', 'b*', '.']),
      ).join('')
      return [source, Array.from({ length: random(9) }, () => pick(['a', 'b', 'c'])).join('')] as const
    })
    const theirs = bash(cases)
    cases.forEach(([source, text], index) => {
      expect({ source, text, found: ours(source, text) }).toEqual({ source, text, found: theirs[index] })
    })
  })
})

describe('patterns', () => {
  test('basic ones', () => {
    const basic = (source: string, text: string): (string | null)[] | null => groups(source, text, { syntax: 'basic' })
    expect(basic('*a', 'x*a')).toEqual(['*a'])
    expect(basic('\\(*a\\)', '*a')).toEqual(['*a', '*a'])
    expect(basic('^*a', '*a')).toEqual(['*a'])
    expect(basic('a\\{2\\}', 'aaa')).toEqual(['aa'])
    expect(basic('a\\|b\\+', 'bb')).toEqual(['bb'])
    expect(basic('a+b?', 'a+b?')).toEqual(['a+b?'])
    expect(basic('a^b$c', 'a^b$c')).toEqual(['a^b$c'])
    expect(basic('\\(^a\\)\\1', 'aa')).toEqual(['aa', 'a'])
    expect(basic('x\\(b$\\)', 'xb')).toEqual(['xb', 'b'])
  })

  test('errors say what GNU tools say', () => {
    const messages: [string, 'basic' | 'extended', string][] = [
      ['[a', 'extended', 'Unmatched [, [^, [:, [., or [='],
      ['(a', 'extended', 'Unmatched ( or \\('],
      ['a\\)', 'basic', 'Unmatched ) or \\)'],
      ['*a', 'extended', 'Invalid preceding regular expression'],
      ['a**', 'basic', 'Invalid preceding regular expression'],
      ['a{1', 'extended', 'Unmatched \\{'],
      ['a{1x}', 'extended', 'Invalid content of \\{\\}'],
      ['a{2,1}', 'extended', 'Invalid content of \\{\\}'],
      ['a{32768}', 'extended', 'Regular expression too big'],
      ['a\\', 'extended', 'Trailing backslash'],
      ['(a)\\2', 'extended', 'Invalid back reference'],
      ['[[:x:]]', 'extended', 'Invalid character class name'],
      ['[[.xy.]]', 'extended', 'Invalid collation character'],
      ['[b-a]', 'extended', 'Invalid range end'],
    ]
    for (const [source, syntax, message] of messages)
      expect(() => compileRegex(source, { syntax }).test('x'), source).toThrow(new RegexError(message))
  })

  test('options', () => {
    expect(groups('École', 'ÉCOLE', { syntax: 'extended', ignoreCase: true })).toEqual(['ÉCOLE'])
    expect(groups('(A)\\1', 'aA', { syntax: 'extended', ignoreCase: true })).toEqual(['aA', 'a'])
    expect(groups('[[:upper:]]', 'a', { syntax: 'extended', ignoreCase: true })).toEqual(['a'])
    expect(groups('^b', 'a\nb', { syntax: 'extended' })).toBeNull()
    expect(groups('^b', 'a\nb', { syntax: 'extended', multiline: true })).toEqual(['b'])
    expect(groups('a$', 'a\nb', { syntax: 'extended', multiline: true })).toEqual(['a'])
    expect(groups('a.b', 'a\nb', { syntax: 'extended' })).toEqual(['a\nb'])
    expect(groups('a.b', 'a\nb', { syntax: 'extended', multiline: true })).toBeNull()
    expect(groups('a\nb', 'a\nb', { syntax: 'extended', multiline: true })).toEqual(['a\nb'])
    expect(groups('a\\sb', 'a\nb', { syntax: 'extended', lines: true })).toBeNull()
    expect(groups('a.*(b', 'a.*(b', { syntax: 'fixed' })).toEqual(['a.*(b'])
  })

  test('stray bytes are no characters, unless bytes are', () => {
    expect(groups('.', '\udcff')).toBeNull()
    expect(groups('[^a]', '\udcff')).toBeNull()
    expect(groups('\udcff', 'a\udcff')).toEqual(['\udcff'])
    expect(groups('a.', 'a\udcff', { syntax: 'extended', bytes: true })).toEqual(['a\udcff'])
    expect(groups('^.$', '😀')).toEqual(['😀'])
    expect(groups('\\B', '😀')).toEqual([''])
  })

  test('places', () => {
    const match = compileRegex('(b)(x)?(c)', { syntax: 'extended' }).exec('abc', 0)
    expect([match?.start, match?.end, match?.group(1), match?.group(2), match?.group(3)]).toEqual([
      1,
      3,
      { start: 1, end: 2 },
      null,
      { start: 2, end: 3 },
    ])
    const longest = compileRegex('(a|ab)(c|bcd)?', { syntax: 'extended' }).exec('xabcd', 1)
    expect([longest?.start, longest?.end, longest?.group(1), longest?.group(2)]).toEqual([1, 5, { start: 1, end: 2 }, { start: 2, end: 5 }])
    expect(compileRegex('^a', { syntax: 'extended' }).exec('aa', 1)).toBeNull()
    expect(compileRegex('.*', { syntax: 'extended' }).exec('😀x', 1)).toMatchObject({ start: 2, end: 3 })
  })

  test('none takes long', () => {
    const patterns = [
      '(a+)+$',
      '(a|aa)+$',
      '(a|a)*b',
      '(a*)*b',
      '(.*)*x',
      '([a-z]+)*\\d',
      'a*a*a*a*a*b',
      '.*.*.*=.*;',
      '(a|b|ab)*c',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(x+x+)+y',
      'a.*b.*c.*d',
      '[a-z]*[0-9]',
      '([ab]*)+c',
    ]
    for (const length of [30, 1000, 100_000]) {
      const text = `${'a'.repeat(length)}!`
      for (const source of patterns) {
        const regex = compileRegex(source, { syntax: 'extended' })
        expect([source, regex.test(text), regex.exec(text, 0)]).toEqual([source, false, null])
      }
      expect(compileRegex('(a?){20}a{20}', { syntax: 'extended' }).exec(text, 0)?.end).toBe(Math.min(length, 40))
    }
    const text = 'a'.repeat(50_000)
    expect(compileRegex('(a|b)*', { syntax: 'extended' }).exec(text, 0)?.end).toBe(50_000)
    expect(() => compileRegex('(a*)*(b|\\1a)*\\1c', { syntax: 'extended' }).test(`${'a'.repeat(300)}c${'a'.repeat(300)}`)).not.toThrow()
    expect(() => compileRegex('.{1,32767}b', { syntax: 'extended' }).test(text)).toThrow(RegexError)
  })
})
