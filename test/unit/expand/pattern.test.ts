import { describe, expect, it } from 'vitest'
import { compilePattern, escapePattern, hasPatternCharacters, unescapePattern } from '../../../src/shell/expand/pattern.ts'
import { replaceMatch } from '../../../src/shell/expand/replace-match.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

interface Case {
  readonly pattern: string
  readonly text: string
  readonly extglob: boolean
  readonly nocase: boolean
}

function ours({ pattern, text, extglob, nocase }: Case): string {
  const folding = compilePattern(pattern, { extglob, nocase })
  const exact = compilePattern(pattern, { extglob })
  const without = (longest: boolean): string => {
    const length = exact.prefix(text, longest)
    return length < 0 ? text : text.slice(length)
  }
  const cut = (longest: boolean): string => {
    const start = exact.suffix(text, longest)
    return start < 0 ? text : text.slice(0, start)
  }
  const replaced = (where: 'first' | 'all' | 'prefix' | 'suffix'): string => replaceMatch(text, folding, where, (match) => `<${match}>`)
  return [
    folding.matches(text) ? 'yes' : 'no',
    without(false),
    without(true),
    cut(false),
    cut(true),
    replaced('first'),
    replaced('all'),
    replaced('prefix'),
    replaced('suffix'),
  ].join('\u0001')
}

function bashs(cases: readonly Case[]): string[] {
  const lines = ['shopt -s patsub_replacement']
  let state = ''
  for (const { pattern, text, extglob, nocase } of cases) {
    const wanted = `shopt -${extglob ? 's' : 'u'} extglob; shopt -${nocase ? 's' : 'u'} nocasematch`
    if (wanted !== state) lines.push(wanted)
    state = wanted
    lines.push(
      `p=${quote(pattern)} t=${quote(text)}; case $t in $p) m=yes;; *) m=no;; esac; printf '%s\\1%s\\1%s\\1%s\\1%s\\1%s\\1%s\\1%s\\1%s\\0' "$m" "\${t#$p}" "\${t##$p}" "\${t%$p}" "\${t%%$p}" "\${t/$p/<&>}" "\${t//$p/<&>}" "\${t/#$p/<&>}" "\${t/%$p/<&>}"`,
    )
  }
  return runBash(`${lines.join('\n')}\n`)
    .toString()
    .split('\0')
    .slice(0, -1)
}

/** Where bash's replacement is at odds with its own matching: patterns that match nothing at all, and a few faults in how long it takes a pattern to be. */
function isQuirky({ pattern, extglob }: Case): boolean {
  return compilePattern(pattern, { extglob }).matches('') || ['[!]]', '\\', 'a\\', '(a)', '+(', '[[=ab=]]'].includes(pattern)
}

function differences(cases: readonly Case[], columns = 9): unknown[] {
  const expected = bashs(cases)
  expect(expected.length).toBe(cases.length)
  const shown = (one: Case, result: string): string => result.split('\u0001', isQuirky(one) ? 5 : columns).join(' ~ ')
  return cases
    .map((one, at) => ({ ...one, ours: shown(one, ours(one)), bash: shown(one, expected[at] as string) }))
    .filter((one) => one.ours !== one.bash)
}

const TEXTS = [
  '',
  'a',
  'abc',
  'aXb',
  'a.b.c',
  'foo.tar.gz',
  '/usr/lib/x.so',
  'aaaa',
  'abab',
  'é',
  'aéb',
  'x😀y',
  '[',
  ']',
  'a]b',
  'a-b',
  '*',
  '?',
  '\\',
  'a\\b',
  'a b',
  '-',
  '!',
  '^',
  'A',
  'ÀÉ',
  '1234',
  'a1b2',
  ' x ',
  'a\tb\n',
  '(a)',
  '+(a)',
  'a|b',
  '.a',
  '{a}',
  'b',
  'ab',
  'ba',
  'c',
  '_',
  ':',
  ';',
  'foo',
  'bar',
  'foobar',
]
const PATTERNS = [
  '',
  '*',
  '?',
  '??',
  '*.*',
  '*.',
  '.*',
  'a*',
  '*a',
  '*a*',
  'a*b',
  '*/',
  '/*',
  '*[!/]',
  '[abc]',
  '[!abc]',
  '[^abc]',
  '[a-c]',
  '[c-a]',
  '[]]',
  '[!]]',
  '[]a]',
  '[a',
  '[',
  '[]',
  '[!',
  '[!]',
  'a[',
  '[a-]',
  '[-a]',
  '[a\\-c]',
  '[\\]]',
  '[\\]a]',
  '[a\\]b]',
  '\\*',
  '\\?',
  '\\[',
  '\\\\',
  '\\',
  'a\\',
  '\\a',
  '*\\*',
  '[[:alpha:]]',
  '[[:digit:]]',
  '[![:digit:]]',
  '[[:alnum:]_]*',
  '[[:upper:]]*',
  '[[:lower:]]*',
  '[[:space:]]*',
  '*[[:space:]]',
  '[[:punct:]]',
  '[[:foo:]]',
  '[[:alpha:]',
  '[[:alpha',
  '[:alpha:]',
  '[[:alpha:][:digit:]]',
  '[[:word:]]',
  '[[:ascii:]]',
  '[[:blank:]]',
  '[[:cntrl:]]',
  '[[:graph:]]*',
  '[[:print:]]*',
  '[[:xdigit:]]',
  '[[=a=]]',
  '[[=é=]]',
  '[[.a.]]',
  '[[.-.]]',
  '[[.a.]-c]',
  '[a-[.c.]]',
  '[a-zé]',
  '[é-z]',
  '[à-ï]',
  '[A-z]',
  '[Z-a]',
  '[*]',
  '[?]',
  '[a*]',
  '**',
  '*?*',
  '?*?',
  '***a',
  '@(a)',
  '@(a|b)',
  '*(a)',
  '+(a)',
  '?(a)',
  '!(a)',
  '!(a|b)',
  '@(a|ab)(c|bcd)',
  'a@(b|c)',
  '*(a|b)',
  '+(a|b)',
  '+([0-9])',
  '*([a-z])',
  '!(*.*)',
  '!(*a*)',
  '!(a)*',
  '!()',
  '@()',
  '*()',
  '+()',
  '?()',
  '@(|a)',
  '@(a|)',
  'a!(b)c',
  '+(a)+(b)',
  '*(*(a))',
  '*(+(a))',
  '+(*(a)b)',
  '!(!(a))',
  '!(a)!(b)',
  '@(*)',
  '@(a*|*b)',
  '@([ab]|c)',
  '@(a|[)])',
  '@(a\\|b)',
  '@(a',
  'a(b)',
  '(a)',
  '+(',
  '@(a|@(b|c)d)',
  '*.@(gz|so)',
  '@(foo|bar)',
  '!(foo)bar',
  '*(foo|bar)',
  '+(?)',
  '*(?)',
  '?(?)',
  '@(?)',
  '!(?)',
  'x?y',
  'a é',
  '*.tar*',
  '*.t*.gz',
  '+([[:alpha:]])',
  '*([!.]).*',
  '[[:alpha:]-z]',
  '[a-c-e]',
  '[--a]',
  '[!-a]',
  '[^-a]',
  '[a^]',
  '[a!]',
  '[\\!a]',
  '[\\^a]',
  '[!!]',
  '[^^]',
  '[[]',
  '[[a]',
  '[]-a]',
  '[+--]',
  '[a]]',
  '[a]b]',
  '*[a]',
  '[a]*',
  'a?',
  '?b',
  '[.]',
  '[.a]',
  '[=a=]',
  '[[:]]',
  '[[=ab=]]',
  '[[:ALPHA:]]',
  '[[::]]',
]

describe.runIf(hasBash)('patterns against bash', () => {
  it('agree on a table', () => {
    const cases = PATTERNS.flatMap((pattern) => TEXTS.map((text) => ({ pattern, text, extglob: true, nocase: false })))
    expect(differences(cases)).toEqual([])
  }, 60_000)

  it('agree without extended patterns', () => {
    const cases = PATTERNS.filter((pattern) => pattern.includes('(')).flatMap((pattern) =>
      TEXTS.map((text) => ({ pattern, text, extglob: false, nocase: false })),
    )
    expect(differences(cases)).toEqual([])
  }, 60_000)

  it('agree where case counts for nothing', () => {
    const cases = PATTERNS.flatMap((pattern) =>
      ['a', 'A', 'É', 'é', 'AbC', 'aXb', 'FOO', 'ÀÉ', '_', '[', 'Z'].map((text) => ({ pattern, text, extglob: true, nocase: true })),
    )
    expect(differences(cases)).toEqual([])
  }, 60_000)

  it('agree on random patterns', () => {
    const random = createRandom(11)
    const pick = (list: readonly string[]): string => list[random(list.length)] as string
    const sequence = (depth: number): string => Array.from({ length: 1 + random(3) }, () => element(depth)).join('')
    const element = (depth: number): string => {
      switch (depth > 0 ? random(8) : random(6)) {
        case 0:
          return '*'
        case 1:
          return '?'
        case 2:
          return pick(['[ab]', '[!a]', '[a-c]', '[é.]', '[[:alpha:]]', '\\*'])
        case 6:
        case 7:
          return `${pick(['?', '*', '+', '@', '!'])}(${Array.from({ length: 1 + random(2) }, () => sequence(depth - 1)).join('|')})`
        default:
          return pick(['a', 'b', 'c', '.', 'é'])
      }
    }
    // Behind a star bash misses groups that match the empty text.
    const cases = Array.from({ length: 4000 }, () => ({
      pattern: sequence(2),
      text: Array.from({ length: random(6) }, () => pick(['a', 'b', 'c', '.', 'é', 'a'])).join(''),
      extglob: true,
      nocase: false,
    })).filter(({ pattern }) => !/\*.*\(/.test(pattern))
    expect(differences(cases, 8)).toEqual([])
  }, 60_000)
})

describe('patterns', () => {
  const match = (pattern: string, text: string): boolean => compilePattern(pattern, { extglob: true }).matches(text)

  it('know the one text they match', () => {
    expect(compilePattern('a\\*b', { extglob: true }).literal).toBe('a*b')
    expect(compilePattern('a.b', { extglob: true }).literal).toBe('a.b')
    expect(compilePattern('a*', { extglob: true }).literal).toBe(null)
    expect(compilePattern('@(a)', { extglob: false }).literal).toBe('@(a)')
  })

  it('cannot be made to run for ever', () => {
    const long = 'a'.repeat(20_000)
    expect(match('+(a|aa)*(a|+(a))b', long)).toBe(false)
    expect(match('*a*a*a*a*a*a*a*a*a*b', long)).toBe(false)
    expect(match('!(*(a|aa))', long)).toBe(false)
    expect(match('!(!(!(+(a|aa|aaa))))', long)).toBe(false)
    expect(match('*(*(*(*(a))))', long)).toBe(true)
    expect(compilePattern('+(a|aa)b', { extglob: true }).find(long, 0)).toBe(null)
    expect(compilePattern('*(a|b)c*d', { extglob: true }).suffix(long, true)).toBe(-1)
    expect(match('@('.repeat(5000), long)).toBe(false)
    expect(match(`${'@('.repeat(150)}a${')'.repeat(150)}`, 'a')).toBe(true)
    expect(match(`*${'?'.repeat(1000)}b`, long)).toBe(false)
  })

  it('take a byte that is not UTF-8 for a character, and never half of one', () => {
    const stray = '\udc80'
    expect(match('?', stray)).toBe(true)
    expect(match('[[:alpha:]]', stray)).toBe(false)
    expect(match(`*${stray}`, `a${stray}`)).toBe(true)
    // U+1F480 is D83D DC80: its second half is not that byte.
    expect(compilePattern(stray, { extglob: true }).find('\u{1f480}', 0)).toBe(null)
    expect(compilePattern(`*${stray}`, { extglob: true }).suffix('\u{1f480}', true)).toBe(-1)
    expect(compilePattern('?', { extglob: true }).prefix('\u{1f480}x', false)).toBe(2)
    expect(compilePattern('?', { extglob: true }).suffix('x\u{1f480}', false)).toBe(1)
  })

  it('match hidden names only with a dot of their own', () => {
    const name = (pattern: string, text: string): boolean => compilePattern(pattern, { extglob: true }).matchesName(text)
    expect(['*', '?a', '[.]a', '*a', '!(b)', '@(*)', '*(.)a'].map((pattern) => name(pattern, '.a'))).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
    ])
    expect(['.*', '.a', '\\.?', '@(.a|b)', '?(.)a', '+(.|a)'].map((pattern) => name(pattern, '.a'))).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
    ])
  })

  it('are quoted and unquoted', () => {
    const specials = 'a*b?c[d]e\\f+(g)@(h|i)!(j)-k^l:m=n'
    expect(compilePattern(escapePattern(specials), { extglob: true }).literal).toBe(specials)
    expect(unescapePattern(escapePattern(specials))).toBe(specials)
    expect(match(`[a${escapePattern('-')}c]`, 'b')).toBe(false)
    expect(match(`[${escapePattern('!')}a]`, 'b')).toBe(false)
    expect(unescapePattern('a\\')).toBe('a\\')
  })

  it('are told from plain words', () => {
    const has = (pattern: string, extglob = true): boolean => hasPatternCharacters(pattern, extglob)
    expect(['*', 'a?', '[a]', '[!]]', '@(a)', '+(a|b)', 'a]*'].every((pattern) => has(pattern))).toBe(true)
    expect(['', 'a', '[', 'a[b', 'a]', '\\*', '\\[a]', '[\\]', '[/]', '@(a', '+', '@a', 'a\\?'].some((pattern) => has(pattern))).toBe(false)
    expect(has('@(a)', false)).toBe(false)
  })

  it('replace a long text in one pass', () => {
    const text = '0123456789'.repeat(20_000)
    const one = compilePattern('1', { extglob: true })
    const digits = compilePattern('+([0-4])', { extglob: true })
    expect(replaceMatch(text, one, 'all', () => 'one').length).toBe(240_000)
    expect(replaceMatch(text, digits, 'all', () => 'x')).toBe('x56789'.repeat(20_000))
  })
})
