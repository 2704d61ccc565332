/**
 * Text in the shell is a JavaScript string in which a byte that is not part of valid UTF-8 travels as one of
 * U+DC80…U+DCFF (the byte plus 0xDC00). `decode` and `encode` are exact inverses for every byte sequence.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const STRAY = /[\udc80-\udcff]/

/** Bytes to shell text. Never fails. */
export function decode(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return decodeWithStrays(bytes)
  }
}

/** Shell text to bytes. Never fails; a lone surrogate that stands for no byte becomes U+FFFD. */
export function encode(text: string): Uint8Array {
  return STRAY.test(text) ? encodeWithStrays(text) : encoder.encode(text)
}

/** One array holding all the chunks in order. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array
  let length = 0
  for (const chunk of chunks) length += chunk.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Length of the valid UTF-8 sequence that starts at `at`, or 0 where none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0
  const second = bytes[at + 1] as number
  if (first === 0xe0 && second < 0xa0) return 0
  if (first === 0xed && second > 0x9f) return 0
  if (first === 0xf0 && second < 0x90) return 0
  if (first === 0xf4 && second > 0x8f) return 0
  for (let i = 1; i < length; i++) if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0
  return length
}

function decodeWithStrays(bytes: Uint8Array): string {
  const parts: string[] = []
  let valid = 0
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    if (at > valid) parts.push(strict.decode(bytes.subarray(valid, at)))
    parts.push(String.fromCharCode(0xdc00 + (bytes[at] as number)))
    at += 1
    valid = at
  }
  if (at > valid) parts.push(strict.decode(bytes.subarray(valid, at)))
  return parts.join('')
}

function encodeWithStrays(text: string): Uint8Array {
  const chunks: Uint8Array[] = []
  let plain = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdfff) continue
    if (unit < 0xdc00) {
      const next = text.charCodeAt(at + 1)
      if (next >= 0xdc00 && next <= 0xdfff) at += 1
      continue
    }
    if (unit < 0xdc80 || unit > 0xdcff) continue
    if (at > plain) chunks.push(encoder.encode(text.slice(plain, at)))
    chunks.push(Uint8Array.of(unit - 0xdc00))
    plain = at + 1
  }
  if (plain < text.length) chunks.push(encoder.encode(text.slice(plain)))
  return concat(chunks)
}
