/**
 * Columns a character takes on a terminal: two for wide ones, none for those that combine; -1 for what can't be printed
 * (control characters, unassigned code points).
 */
export function characterWidth(code: number): number {
  if (code < 0x7f) return code < 0x20 ? -1 : 1
  const known = widths[code]
  if (known !== undefined && known !== UNKNOWN) return known
  const width = findWidth(code)
  if (code >= widths.length) widths = grown(code)
  widths[code] = width
  return width
}

const UNKNOWN = 127
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/u
const COMBINING = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u
const SPACED_FORMAT = /[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/
const WIDE_SCRIPT = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Tangut}\p{sc=Nushu}\p{sc=Khitan_Small_Script}]/u
const WIDE_OTHER =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2ff0-\u303e\u309b-\u30ff\u3131-\u33ff\u4dc0-\u4dff\ua960-\ua97c\uac00-\ud7a3\ufe10-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f265}]/u
const NARROW = /[\u02ea\u02eb\u303f\uff61-\uff9f\u{1f1e6}-\u{1f1ff}]/u

// What was asked about once is kept, since asking the expressions is slow.
let widths = new Int8Array(0)

function grown(code: number): Int8Array<ArrayBuffer> {
  const larger = new Int8Array(code < 0x3000 ? 0x3000 : code < 0x20000 ? 0x20000 : 0x110000).fill(UNKNOWN)
  larger.set(widths)
  return larger
}

function findWidth(code: number): number {
  const char = String.fromCodePoint(code)
  if (UNPRINTABLE.test(char)) return -1
  if (COMBINING.test(char) && !SPACED_FORMAT.test(char)) return 0
  return (WIDE_SCRIPT.test(char) || WIDE_OTHER.test(char)) && !NARROW.test(char) ? 2 : 1
}
