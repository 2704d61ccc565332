import { countByte } from './count-byte.ts'

/** Where each line ends: the places of its terminators, and the end of the bytes where the last line has none. */
export function lineEnds(bytes: Uint8Array, terminator: number): Uint32Array {
  const count = countByte(bytes, terminator)
  const open = bytes.length > 0 && bytes[bytes.length - 1] !== terminator
  const ends = new Uint32Array(open ? count + 1 : count)
  findAll(bytes, terminator, ends, 0, 0)
  if (open) ends[count] = bytes.length
  return ends
}

/** Writes the places of all `byte`s, `base` added, into `places` from `next` on; gives where the next one would go. */
export function findAll(bytes: Uint8Array, byte: number, places: Uint32Array, next: number, base: number): number {
  const length = bytes.length
  let to = next
  let at = 0
  for (; at < length && ((bytes.byteOffset + at) & 3) !== 0; at++) if (bytes[at] === byte) places[to++] = base + at
  if (at === length) return to
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + at, (length - at) >> 2)
  const pattern = byte * 0x01010101
  for (let word = 0; word < words.length; word++, at += 4) {
    const differing = (words[word] as number) ^ pattern
    // Not 0 where a byte of the word may be the one sought.
    if (((differing - 0x01010101) & ~differing & 0x80808080) === 0) continue
    if (bytes[at] === byte) places[to++] = base + at
    if (bytes[at + 1] === byte) places[to++] = base + at + 1
    if (bytes[at + 2] === byte) places[to++] = base + at + 2
    if (bytes[at + 3] === byte) places[to++] = base + at + 3
  }
  for (; at < length; at++) if (bytes[at] === byte) places[to++] = base + at
  return to
}
