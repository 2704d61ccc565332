const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const ASCII = /^[\x20-\x7e]*$/
const ZERO = /^[\p{Mn}\p{Me}\u200b-\u200f\u2060-\u2064\ufeff\u1160-\u11ff]$/u
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u

/** Ranges of East Asian wide and fullwidth characters that are not emoji. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
]

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment)
  return width
}

/** What a person takes for one character, each with its offset. */
export function* graphemes(text: string): Generator<{ readonly segment: string; readonly index: number }, void> {
  // A segmenter takes tens of microseconds for each step in a long text: it only gets the stretches that need one.
  let at = 0
  while (at < text.length) {
    let end = at + 1
    while (end < text.length && !isBoundary(text, end)) end += 1
    if (end === at + 1) yield { segment: text.charAt(at), index: at }
    else for (const { segment, index } of segmenter.segment(text.slice(at, end))) yield { segment, index: at + index }
    at = end
  }
}

/** True where one character surely ends and another begins; false means that one has to look more closely. */
export function isBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  return isSimple(before) && isSimple(text.charCodeAt(at)) && before !== 0x0d
}

/** Latin letters, Chinese characters, Japanese syllables: they join nothing that is one of them. */
function isSimple(code: number): boolean {
  return code < 0x300 || (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3041 && code <= 0x3096) || (code >= 0x30a1 && code <= 0x30fa)
}

/** Columns of one grapheme as {@link shownGrapheme} shows it. */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return 2
  if (code < 0x7f) return grapheme.length === 1 || !EMOJI.test(grapheme) ? 1 : 2
  if (EMOJI.test(grapheme)) return 2
  let width = 0
  for (const char of grapheme) width = Math.max(width, codePointWidth(char))
  return width
}

/** How a grapheme is written: a control character as `^X`. */
export function shownGrapheme(grapheme: string): string {
  const code = grapheme.charCodeAt(0)
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  return code === 0x7f ? '^?' : grapheme
}

/** Columns of one character that is no emoji. */
export function codePointWidth(char: string): 0 | 1 | 2 {
  if (ZERO.test(char)) return 0
  const code = char.codePointAt(0) as number
  for (const [first, last] of WIDE) {
    if (code < first) return 1
    if (code <= last) return 2
  }
  return 1
}
