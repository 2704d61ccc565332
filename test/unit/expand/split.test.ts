import { describe, expect, it } from 'vitest'
import type { WordPiece } from '../../../src/shell/expand/split.ts'
import { readSplit, splitFields } from '../../../src/shell/expand/split.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

const expansion = (text: string): WordPiece => ({ text, quoted: false, split: true, breakBefore: false })
const quoted = (text: string): WordPiece => ({ text, quoted: true, split: false, breakBefore: false })
const literal = (text: string): WordPiece => ({ text, quoted: false, split: false, breakBefore: false })
const texts = (pieces: readonly WordPiece[], ifs: string): readonly string[] => splitFields(pieces, ifs).map((field) => field.text)

describe.runIf(hasBash)('field splitting against bash', () => {
  it('agrees on random words', () => {
    const random = createRandom(3)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const cases = Array.from({ length: 4000 }, () => {
      const ifs = pick([' \t\n', ':', ': ', '', ' ', ':,', 'é', '\t:', 'x'])
      const pieces = Array.from({ length: 1 + random(4) }, () => {
        const text = Array.from({ length: random(6) }, () => pick(['a', 'b', ' ', ' ', ':', ',', '\t', 'é', 'x', '\n'])).join('')
        switch (random(4)) {
          case 0:
            return quoted(text)
          case 1:
            return literal(text.replace(/[ \t\n]/g, '') || 'z')
          default:
            return expansion(text)
        }
      })
      return { ifs, pieces }
      // A character of several bytes in IFS splits what is quoted or written out, too: a fault of bash.
    }).filter(({ ifs, pieces }) => !(ifs.includes('é') && pieces.some((piece) => !piece.split && piece.text.includes('é'))))
    const lines = cases.map(({ ifs, pieces }) => {
      const assign = pieces.map((piece, at) => `v${at}=${quote(piece.text)}`).join(' ')
      const word = pieces
        .map((piece, at) =>
          piece.quoted
            ? `"$v${at}"`
            : piece.split
              ? `\${v${at}}`
              : piece.text.replace(/./gu, (char) => (/[a-z:,é]/.test(char) ? char : `\\${char}`)),
        )
        .join('')
      return `${assign}; IFS=${quote(ifs)}; set -- ${word}; IFS=' '; printf '%s' "$#"; for f in "$@"; do printf '\\1%s' "$f"; done; printf '\\0'`
    })
    const expected = runBash(`set -f\n${lines.join('\n')}\n`)
      .toString()
      .split('\0')
      .slice(0, -1)
    const actual = cases.map(({ ifs, pieces }) => {
      const fields = texts(pieces, ifs)
      return [String(fields.length), ...fields].join('\u0001')
    })
    const described = cases.map(({ ifs, pieces }, at) => ({
      word: pieces.map((piece) => `${piece.quoted ? 'quoted' : piece.split ? 'split' : 'literal'}:${piece.text}`).join('|'),
      ifs,
      actual: actual[at],
      expected: expected[at],
    }))
    expect(described.filter((one) => one.actual !== one.expected)).toEqual([])
  }, 60_000)

  it('reads lines as `read` does', () => {
    const random = createRandom(5)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const cases = Array.from({ length: 4000 }, () => ({
      line: Array.from({ length: random(10) }, () => pick(['a', 'b', ' ', ' ', ':', ',', '\t', 'é', '\\', 'x'])).join(''),
      ifs: pick([' \t\n', ':', ': ', '', ' ', ':,', 'é', 'x\\']),
      count: pick([0, 1, 2, 3, Number.POSITIVE_INFINITY]),
      raw: pick([true, false]),
      // bash takes a quoted character of several bytes apart.
    })).filter(({ line, ifs, raw }) => raw || ifs !== 'é' || !line.includes('\\é'))
    const lines = cases.map(({ line, ifs, count, raw }) => {
      const flags = raw ? '-r' : ''
      const names = ['a', 'b', 'c'].slice(0, count === Number.POSITIVE_INFINITY ? 0 : count)
      const target = count === Number.POSITIVE_INFINITY ? '-a a' : names.join(' ')
      const result =
        count === Number.POSITIVE_INFINITY ? '"${a[@]}"' : count === 0 ? '"$REPLY"' : names.map((name) => `"$${name}"`).join(' ')
      return `unset a; IFS=${quote(ifs)} read ${flags} ${target} <<< ${quote(line)}; set -- ${result}; printf '%s' "$#"; for f in "$@"; do printf '\\1%s' "$f"; done; printf '\\0'`
    })
    const expected = runBash(`${lines.join('\n')}\n`)
      .toString()
      .split('\0')
      .slice(0, -1)
    const actual = cases.map(({ line, ifs, count, raw }) => {
      const fields = readSplit(line, ifs, count, raw)
      return [String(fields.length), ...fields].join('\u0001')
    })
    expect(
      cases.map((one, at) => ({ ...one, result: actual[at], expected: expected[at] })).filter((one) => one.result !== one.expected),
    ).toEqual([])
  }, 60_000)
})

describe('field splitting', () => {
  it('keeps elements of "$@" apart', () => {
    const next = (piece: WordPiece): WordPiece => ({ ...piece, breakBefore: true })
    expect(texts([literal('a'), quoted('1'), next(quoted('')), next(quoted('3')), literal('b')], ' ')).toEqual(['a1', '', '3b'])
    expect(texts([expansion('1 2'), next(expansion('')), next(expansion('3'))], ' ')).toEqual(['1', '2', '3'])
    expect(texts([], ' ')).toEqual([])
  })

  it('gives patterns with what was quoted escaped', () => {
    expect(splitFields([literal('*'), quoted('*'), expansion('? x')], ' ')).toEqual([
      { text: '**?', pattern: '*\\*?' },
      { text: 'x', pattern: null },
    ])
    expect(splitFields([quoted('a*'), literal('.b')], ' ')).toEqual([{ text: 'a*.b', pattern: null }])
    expect(splitFields([expansion('@(a)')], ' ', false)).toEqual([{ text: '@(a)', pattern: null }])
  })

  it('drops line continuations of read', () => {
    expect(readSplit('a\\\nb c', ' ', 2, false)).toEqual(['ab', 'c'])
  })
})
