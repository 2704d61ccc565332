/** Tells whether a code point belongs to a class. Bytes that are not UTF-8 (U+DC80…U+DCFF) belong to none. */
export type CharacterTest = (code: number) => boolean

/** The test for a POSIX class (`alpha` for `[:alpha:]`) in C.UTF-8; null for a name that is no class. */
export function characterClass(name: string): CharacterTest | null {
  return CLASSES.get(name) ?? null
}

/** Lower case of one code point, itself where it has none. */
export function foldCase(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 32 : code
  const lower = String.fromCodePoint(code).toLowerCase()
  const folded = lower.codePointAt(0) as number
  // The dotted capital I becomes two characters in Unicode, one in C.
  if (code === 0x130) return 0x69
  return lower.length === (folded > 0xffff ? 2 : 1) ? folded : code
}

const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isGraph = (code: number): boolean => code > 0x20 && code < 0x7f

const CLASSES: ReadonlyMap<string, CharacterTest> = new Map([
  ['alpha', split((code) => isUpper(code) || isLower(code), /^[\p{Alphabetic}\p{Nd}]$/u)],
  ['upper', split(isUpper, /^[\p{Uppercase}\p{Lt}]$/u)],
  ['lower', split(isLower, /^[\p{Lowercase}\p{Lt}]$/u)],
  ['digit', isDigit],
  ['alnum', split((code) => isUpper(code) || isLower(code) || isDigit(code), /^[\p{Alphabetic}\p{Nd}]$/u)],
  ['word', split((code) => isUpper(code) || isLower(code) || isDigit(code) || code === 0x5f, /^[\p{Alphabetic}\p{Nd}]$/u)],
  ['xdigit', (code: number) => isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)],
  ['blank', split((code) => code === 0x20 || code === 0x09, /^[\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]$/u)],
  [
    'space',
    split((code) => code === 0x20 || (code >= 0x09 && code <= 0x0d), /^[\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]$/u),
  ],
  ['cntrl', split((code) => code < 0x20 || code === 0x7f, /^[\p{Cc}\u2028\u2029]$/u)],
  ['graph', split(isGraph, /^[^\p{Cc}\p{Cs}\p{Cn}\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]$/u)],
  ['print', split((code) => isGraph(code) || code === 0x20, /^[^\p{Cc}\p{Cs}\p{Cn}\u2028\u2029]$/u)],
  [
    'punct',
    split(
      (code) => isGraph(code) && !isUpper(code) && !isLower(code) && !isDigit(code),
      /^[^\p{Alphabetic}\p{Nd}\p{Cc}\p{Cs}\p{Cn}\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]$/u,
    ),
  ],
  ['ascii', (code: number) => code < 0x80],
])

function split(ascii: CharacterTest, other: RegExp): CharacterTest {
  return (code) => (code < 0x80 ? ascii(code) : other.test(String.fromCodePoint(code)))
}
