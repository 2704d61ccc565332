/** Columns a text takes on a terminal: two for East Asian wide characters, none for marks that combine and control characters. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

const PLAIN = /^[ -~]*$/
const ZERO = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]/u
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
]

function charWidth(char: string): number {
  const code = char.codePointAt(0) as number
  if (code < 0x7f) return code < 0x20 ? 0 : 1
  if (ZERO.test(char) && code !== 0xad) return 0
  if (code < 0x1100) return 1
  return WIDE.some(([low, high]) => code >= low && code <= high) ? 2 : 1
}
