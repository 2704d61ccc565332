/**
 * The character that starts at `at`: its code point and length in one number, `code * 8 + length`. Where the bytes are no character -1;
 * where they may become one with more bytes than there are, -2.
 */
export function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0x80) return first * 8 + 1
  if (first < 0xc2 || first > 0xf4) return -1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  let code = first & (0x7f >> length)
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return -2
    if ((byte & 0xc0) !== 0x80) return -1
    code = (code << 6) | (byte & 0x3f)
    if (i > 1) continue
    if (length === 3 && (code < 0x20 || (code >= 0x360 && code <= 0x37f))) return -1
    if (length === 4 && (code < 0x10 || code > 0x10f)) return -1
  }
  return code * 8 + length
}
