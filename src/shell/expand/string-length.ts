import { decode, encode } from '../../bytes.ts'

const SURROGATE = /[\ud800-\udfff]/
const ASCII = /^[\0-\x7f]*$/

/** Characters of a text: code points, a byte that is not UTF-8 counting as one. */
export function characterCount(text: string): number {
  if (!SURROGATE.test(text)) return text.length
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (isPair(text, at)) at += 1
    count += 1
  }
  return count
}

/** `length` characters from the one at `start` on (both not negative), or all that follow. */
export function characterSlice(text: string, start: number, length: number = Number.POSITIVE_INFINITY): string {
  if (!SURROGATE.test(text)) return text.slice(start, start + length)
  const from = unitOffset(text, 0, start)
  return text.slice(from, unitOffset(text, from, length))
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  if (ASCII.test(text)) return text.length
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80 || (unit >= 0xdc80 && unit <= 0xdcff)) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (isPair(text, at)) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

/** The first `length` bytes; a character cut in the middle leaves its bytes. */
export function byteSlice(text: string, length: number): string {
  if (text.length * 3 <= length) return text
  return ASCII.test(text) ? text.slice(0, length) : decode(encode(text).subarray(0, length))
}

function unitOffset(text: string, from: number, characters: number): number {
  let at = from
  for (let left = characters; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1
  return at
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && (text.codePointAt(at) as number) > 0xffff
}
