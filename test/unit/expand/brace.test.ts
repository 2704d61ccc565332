import { describe, expect, it } from 'vitest'
import { expandBraces } from '../../../src/shell/expand/brace.ts'
import type { Word, WordPart } from '../../../src/shell/syntax/ast.ts'
import { createRandom, hasBash, runBash } from './bash-reference.ts'

/** A word of plain text and '…'. */
function word(source: string): Word {
  const parts = source
    .split("'")
    .flatMap((text, at): WordPart[] => (at % 2 === 0 && text === '' ? [] : [{ type: 'text', text, quoted: at % 2 === 1 }]))
  return { type: 'word', parts, raw: source }
}

/** The words made; one of no parts at all is no argument. */
function expand(source: string): readonly string[] {
  return expandBraces(word(source))
    .filter(({ parts }) => parts.length > 0)
    .map(({ parts }) =>
      parts.map((part) => (part.type === 'text' ? part.text : part.type === 'tilde' ? `~${part.user}` : `(${part.type})`)).join(''),
    )
}

const TABLE = [
  '{a,b}',
  'a{b,c}d',
  '{a}',
  '{}',
  '{,}',
  '{a,}',
  '{,a}',
  'a{,}b',
  '{a,b}{c,d}',
  '{a,{b,c}}',
  '{{a,b},c}',
  '{a,b',
  '{{a,b}}w',
  'x{y,z}w',
  '{1..5}',
  '{5..1}',
  '{1..10..2}',
  '{10..1..3}',
  '{1..5..-2}',
  '{1..5..0}',
  '{01..10}',
  '{1..010}',
  '{-5..5..5}',
  '{-05..5..5}',
  '{001..3}',
  '{a..e}',
  '{e..a}',
  '{a..e..2}',
  '{A..c}',
  '{a..1}',
  '{1..a}',
  '{1..}',
  '{..1}',
  '{1..2..}',
  '{1..2..x}',
  '{1.5..2}',
  '{+1..3}',
  '{1..+3}',
  '{-1..-3}',
  '{a..b..c}',
  '{aa..cc}',
  "'{'a,b}",
  "{a','b,c}",
  "{'a,b',c}",
  "{a,b}'x'",
  "{a,b'}'",
  "'{a,b}'",
  "{'',''}",
  "{'',a}",
  "{a,''}",
  "{'1'..3}",
  "{1'..'3}",
  "{'{',b}",
  "{a,'}'}",
  'a{1..3}b{x,y}',
  '{a..c}{1..2}',
  '{a,b}}',
  '}{a,b}',
  '{a,b}{',
  '{{{a,b}}}',
  '{a{b,c}}',
  '{a{b}}',
  '{a,{b}}',
  '{{a},b}',
  '{,,}',
  '{a,,b}',
  '{x,{1..3}}',
  '{x{1..3}}',
  '{1..3,a}',
  '{a,1..3}',
  '{1..3}..{4..5}',
  '{{1..2}..3}',
  '{1..{2,3}}',
  '{9..11}',
  '{09..11}',
  '{0..-2}',
  '{-0..2}',
  '{00..2}',
  '{-00..1}',
  '{1..3..1}',
  '{1..3..2..1}',
  '{z..x}',
  '{Z..a}',
  '{X..b}',
  '{a..é}',
  '{é..ë}',
  '{9223372036854775806..9223372036854775807}',
  '{2147483647..2147483648}',
  '{1..2..9223372036854775807}',
  '{99999999999999999999..1}',
  '{0x1..3}',
  '{a,b}[c]',
  '{x=1,y}',
  '{}{a,b}',
  'a{}b',
  '{{}}',
  '{a,{}}',
  '{{},b}',
  '{,{,}}',
  '{a,b}{}',
  'x{}',
  '{},{a,b}',
  '{a,b,c',
  '{a,b,{c,d}',
  '{a,{b,c}',
  'a{b,c{d,e}',
  '{a,b}{c,d',
  '{1..2}{',
  '{1..2}}',
  '{a}{b,c}',
  '{a}{b}{c,d}',
  '{a},b}',
  'a{},b}',
  '{a..z..5}',
  '{1..-3..2}',
  '{-1..3..2}',
  '{10..-10..5}',
  '{1..1}',
  '{a..a}',
  '{1..1..5}',
  '{a..c..-1}',
  '{c..a..1}',
  '{c..a..-1}',
  '{1..10..-3}',
  '{10..1..-3}',
  '{010..1..4}',
  '{1..100..33}',
  '{-10..010..10}',
  '{0010..2..4}',
  '{1..5..+2}',
  '{1..5..02}',
  '{-9..09}',
  '{1..0}',
  '{a..}',
  '{..}',
  '{...}',
  '{a...b}',
  '{,a}{,b}',
  '{{,a},{b,}}',
  '{a,b}{c{d,e},f}',
  '.{x,y}.',
  '{a,b}.{1..2}',
  'a,b',
  'a..b',
  '{a,b},{c,d}',
  "{a,'b c'}",
  '{1..3}{a,b}{x,y}',
  '{{1..3},{a,b}}',
]

describe.runIf(hasBash)('brace expansion against bash', () => {
  const compare = (sources: readonly string[]): void => {
    const script = sources.map((source) => `set -- ${source}; printf '%s' "$#"; for w in "$@"; do printf '\\1%s' "$w"; done; printf '\\0'`)
    const expected = runBash(`set -f\n${script.join('\n')}\n`)
      .toString()
      .split('\0')
      .slice(0, -1)
    const actual = sources.map((source) => {
      const words = expand(source)
      return [String(words.length), ...words].join('\u0001')
    })
    const shown = (text: string | undefined): string | undefined => text?.replaceAll('\u0001', '|')
    expect(
      sources
        .map((source, at) => ({ source, actual: shown(actual[at]), expected: shown(expected[at]) }))
        .filter((one) => one.actual !== one.expected),
    ).toEqual([])
  }

  it('agrees on a table', () => compare(TABLE))

  it('agrees on random words', () => {
    const random = createRandom(17)
    const alphabet = ['{', '{', '}', '}', ',', ',', '..', 'a', 'b', '1', '3', '-', '0', "'x'"]
    compare(
      Array.from(
        { length: 6000 },
        () => `${Array.from({ length: 1 + random(12) }, () => alphabet[random(alphabet.length)] as string).join('')}`,
      ),
    )
  }, 60_000)
})

describe('brace expansion', () => {
  const parameter: WordPart = { type: 'parameter', name: 'x', subscript: null, operation: null, indirect: false, braced: false }
  const text = (value: string): WordPart => ({ type: 'text', text: value, quoted: false })

  it('gives back the word itself where there is nothing to expand', () => {
    for (const source of ['abc', '{', '{}', '{a}', "'{a,b}'"]) {
      const given = word(source)
      expect(expandBraces(given)).toEqual([given])
    }
  })

  it('passes other parts through', () => {
    const made = expandBraces({ type: 'word', parts: [text('{a'), parameter, text(',b}-'), parameter], raw: '{a$x,b}-$x' })
    expect(made.map(({ parts }) => parts)).toEqual([
      [text('a'), parameter, text('-'), parameter],
      [text('b-'), parameter],
    ])
  })

  it('comes before parameters and tildes', () => {
    const made = expandBraces({ type: 'word', parts: [parameter, text('{a,-}')], raw: '$x{a,-}' })
    expect(made.map(({ parts }) => parts)).toEqual([
      [{ ...parameter, name: 'xa' }, text('')],
      [parameter, text('-')],
    ])
    expect(expandBraces(word('{~,~u/x,a~}')).map(({ parts }) => parts)).toEqual([
      [{ type: 'tilde', user: '' }],
      [{ type: 'tilde', user: 'u' }, text('/x')],
      [text('a~')],
    ])
  })

  it('ends with an error rather than with the memory', () => {
    expect(expandBraces(word('{1..100000}')).length).toBe(100_000)
    expect(() => expandBraces(word('{1..10000}{1..10000}'))).toThrow('brace expansion')
    expect(() => expandBraces(word('{1..9223372036854775807}'))).toThrow('brace expansion')
    expect(() => expandBraces(word('{a,b}'.repeat(64)))).toThrow('brace expansion')
    expect(() => expandBraces(word(`${'{a,'.repeat(20_000)}${'}'.repeat(20_000)}`))).toThrow('brace expansion')
    expect(() => expandBraces(word('{'.repeat(100_000)))).toThrow('brace expansion')
  })
})
