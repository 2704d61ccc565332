/** How often `byte` occurs. */
export function countByte(bytes: Uint8Array, byte: number, from = 0, to: number = bytes.length): number {
  let at = from
  let count = 0
  while (at < to && ((bytes.byteOffset + at) & 3) !== 0) if (bytes[at++] === byte) count += 1
  const words = (to - at) >> 2
  if (words > 0) {
    count += countInWords(new Uint32Array(bytes.buffer, bytes.byteOffset + at, words), byte)
    at += words << 2
  }
  while (at < to) if (bytes[at++] === byte) count += 1
  return count
}

/** Where the `nth` (from 1) `byte` stands; -1 where there are fewer. */
export function indexOfNth(bytes: Uint8Array, byte: number, nth: number): number {
  let left = nth
  let at = 0
  for (const block = 1024; at + block < bytes.length; at += block) {
    const count = countByte(bytes, byte, at, at + block)
    if (count >= left) break
    left -= count
  }
  for (; at < bytes.length; at++) {
    if (bytes[at] !== byte) continue
    left -= 1
    if (left === 0) return at
  }
  return -1
}

// Four bytes at once: a byte of `same` is 0x80 where the word has the byte sought; the four counters of `sums` hold up to 255 each.
function countInWords(words: Uint32Array, byte: number): number {
  const pattern = byte * 0x01010101
  const length = words.length
  let count = 0
  let at = 0
  while (at < length) {
    const stop = Math.min(at + 255, length)
    let sums = 0
    for (; at < stop; at++) {
      const differing = (words[at] as number) ^ pattern
      const same = ~(((differing & 0x7f7f7f7f) + 0x7f7f7f7f) | differing | 0x7f7f7f7f)
      sums = (sums + (same >>> 7)) | 0
    }
    count += (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24)
  }
  return count
}
