import { describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { quoteDouble, quoteKey, quoteMinimal, quoteReusable, quoteSingle, quoteTraced, quoteWord } from '../../../src/shell/expand/quote.ts'
import { decodeAnsiC, decodeEcho, decodeFormat, decodePercentB } from '../../../src/shell/syntax/escape-sequence.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

/** A text with any bytes as a bash word, to be written into a script as bytes. */
function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.concat(lines.map((line) => Buffer.from(encode(line))))
}

function run(lines: readonly string[]): string[] {
  return decode(runBash(bytesOf(lines)))
    .split('\0')
    .slice(0, -1)
}

const PIECES = [
  'a',
  'b',
  ' ',
  '\t',
  '\n',
  "'",
  '"',
  '$',
  '`',
  '\\',
  '!',
  '#',
  '~',
  ':',
  '=',
  '*',
  '?',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '<',
  '>',
  '|',
  '&',
  ';',
  ',',
  '^',
  '%',
  '@',
  '-',
  '/',
  '.',
  '+',
  'é',
  '€',
  '😀',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\x7f',
  '\x1b',
  '\x01',
  '\x07',
  '\r',
  '\udcff',
  '\udcc3',
  '\u0378',
  '\ue000',
]

describe.runIf(hasBash)('quoting against bash', () => {
  it('agrees on random texts', () => {
    const random = createRandom(23)
    const texts = PIECES.flatMap((piece) => [piece, `a${piece}`, `${piece}a`, `:${piece}`])
    for (let i = 0; i < 2000; i++)
      texts.push(decode(encode(Array.from({ length: random(6) }, () => PIECES[random(PIECES.length)] as string).join(''))))
    const lines = texts.map(
      (text) =>
        `x=${quote(text)}; printf -v q %q "$x"; printf '%s\\1' "$q" "\${x@Q}"; d=$(declare -p x); printf '%s\\1' "\${d#*=}"; alias z="$x"; printf '%s\\0' "$(alias z)"\n`,
    )
    const expected = run(lines)
    const actual = texts.map((text) =>
      [quoteWord(text), quoteReusable(text), quoteDouble(text), `alias z=${quoteSingle(text)}`.replace(/\n+$/, '')].join('\u0001'),
    )
    expect(
      texts.map((text, at) => ({ text, actual: actual[at], expected: expected[at] })).filter((one) => one.actual !== one.expected),
    ).toEqual([])
  }, 60_000)

  it('agrees on keys, traces and `set`', () => {
    const random = createRandom(29)
    const texts = PIECES.filter((piece) => piece !== '').flatMap((piece) => [piece, `a${piece}`, `${piece}a`, `:${piece}`])
    for (let i = 0; i < 300; i++)
      texts.push(decode(encode(Array.from({ length: 1 + random(5) }, () => PIECES[random(PIECES.length)] as string).join(''))))
    const lines = texts.map(
      (text) =>
        `unset m; declare -A m; x=${quote(text)}; m[$x]=1; d=$(declare -p m); d=\${d#*=([}; printf '%s\\1' "\${d%]=*}"; exec 3>t; BASH_XTRACEFD=3; set -x; : "$x"; { set +x; } 2>/dev/null; exec 3>&-; t=$(<t); t=\${t#*: }; printf '%s\\1' "\${t%%$'\\n'+*}"; printf '%s\\0' "$(f() { local IFS=; set; }; f | LC_ALL=C sed -n "/^x=/,/^[a-z_A-Z]*[= ]/p" | LC_ALL=C sed -n '1p')"\n`,
    )
    const expected = run(['PS4="+ "\n', ...lines])
    const actual = texts.map((text) => [quoteKey(text), quoteTraced(text), `x=${quoteMinimal(text)}`.split('\n')[0]].join('\u0001'))
    expect(
      texts.map((text, at) => ({ text, actual: actual[at], expected: expected[at] })).filter((one) => one.actual !== one.expected),
    ).toEqual([])
  }, 60_000)

  it('is undone by decoding', () => {
    for (const piece of PIECES) {
      const quoted = quoteReusable(`\x01${piece}`)
      expect(decodeAnsiC(quoted.slice(2, -1))).toBe(`\x01${piece}`)
    }
  })
})

const ESCAPES = [
  '\\a',
  '\\b',
  '\\e',
  '\\E',
  '\\f',
  '\\n',
  '\\r',
  '\\t',
  '\\v',
  '\\\\',
  '\\"',
  '\\?',
  '\\0',
  '\\1',
  '\\12',
  '\\101',
  '\\0101',
  '\\01011',
  '\\400',
  '\\777',
  '\\x',
  '\\x4',
  '\\x41',
  '\\x411',
  '\\xg',
  '\\u',
  '\\u4',
  '\\u00e9',
  '\\u20ac',
  '\\U1F600',
  '\\ud800',
  '\\U110000',
  '\\Uffffffff',
  '\\U7fffffff',
  '\\uz',
  '\\q',
  '\\cA',
  '\\ca',
  '\\c[',
  '\\c?',
  '\\cé',
  '\\c\\\\',
  '\\xc3',
  '\\xa9',
  '\\303',
  '\\251',
  '\\xff',
  '\\x{41}',
  '\\x{',
  '\\x{}',
  '\\x{e9}',
  '\\x{20ac}',
  '\\x{4',
  '\\x{g}',
  '\\8',
  '\\08',
  '\\u0000',
  '\\x00',
  'a',
  'é',
  '1',
  '}',
]

describe.runIf(hasBash)('escapes against bash', () => {
  const random = createRandom(31)
  const texts = [...ESCAPES, ...ESCAPES.map((sequence) => `a${sequence}b`)]
  for (let i = 0; i < 2000; i++) texts.push(Array.from({ length: 1 + random(4) }, () => ESCAPES[random(ESCAPES.length)] as string).join(''))
  const compare = (command: (text: string) => string, ours: (text: string) => string, among: readonly string[]): void => {
    const output = decode(runBash(bytesOf(among.map((text) => `${command(text)} 2>/dev/null; printf '\\n--\\n'\n`))))
    const expected = output.split('\n--\n').slice(0, -1)
    expect(
      among.map((text, at) => ({ text, actual: ours(text), expected: expected[at] })).filter((one) => one.actual !== one.expected),
    ).toEqual([])
  }

  it("agree in $'…'", () => {
    const safe = texts.filter((text) => !/\\c$/.test(text))
    compare((text) => `printf %s $'${text}'`, decodeAnsiC, safe)
    compare((text) => `x=${quote(text)}; printf %s "\${x@E}"`, decodeAnsiC, safe)
  })
  it('agree for echo -e', () =>
    compare(
      (text) => `echo -en ${quote(text)}`,
      (text) => decodeEcho(text).text,
      texts,
    ))
  it('agree for %b', () =>
    compare(
      (text) => `printf %b ${quote(text)}`,
      (text) => decodePercentB(text).text,
      texts,
    ))
  it('agree in a format', () =>
    compare(
      (text) => `printf ${quote(text)}`,
      (text) => decodeFormat(text).text,
      texts,
    ))
})

describe('escapes', () => {
  it('tell where output ends', () => {
    expect(decodeEcho('a\\cb')).toEqual({ text: 'a', stopped: true, errors: [] })
    expect(decodePercentB('\\xz')).toEqual({ text: '\\xz', stopped: false, errors: ['missing hex digit for \\x'] })
  })
})
