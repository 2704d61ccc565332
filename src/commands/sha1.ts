import { blockHash, type Hash, wordBytes } from './block-hash.ts'

/** SHA-1 (FIPS 180-4). */
export function sha1(): Hash {
  const state = Int32Array.of(0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0)
  return blockHash({
    blockSize: 64,
    lengthSize: 8,
    littleEndian: false,
    compress: (bytes, from, to) => compress(state, bytes, from, to),
    result: () => wordBytes(state, 20, false),
  })
}

const words = new Int32Array(80)

function compress(state: Int32Array, bytes: Uint8Array, from: number, to: number): void {
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  for (let at = from; at < to; at += 64) {
    for (let i = 0, byte = at; i < 16; i++, byte += 4) {
      words[i] =
        ((bytes[byte] as number) << 24) |
        ((bytes[byte + 1] as number) << 16) |
        ((bytes[byte + 2] as number) << 8) |
        (bytes[byte + 3] as number)
    }
    for (let i = 16; i < 80; i++) {
      const word = (words[i - 3] as number) ^ (words[i - 8] as number) ^ (words[i - 14] as number) ^ (words[i - 16] as number)
      words[i] = (word << 1) | (word >>> 31)
    }
    const [a0, b0, c0, d0, e0] = [a, b, c, d, e]
    for (let i = 0; i < 20; i++) {
      const next = (((a << 5) | (a >>> 27)) + ((d ^ (b & (c ^ d))) + 0x5a827999) + e + (words[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 20; i < 40; i++) {
      const next = (((a << 5) | (a >>> 27)) + ((b ^ c ^ d) + 0x6ed9eba1) + e + (words[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 40; i < 60; i++) {
      const next = (((a << 5) | (a >>> 27)) + (((b & c) | (d & (b | c))) - 0x70e44324) + e + (words[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 60; i < 80; i++) {
      const next = (((a << 5) | (a >>> 27)) + ((b ^ c ^ d) - 0x359d3e2a) + e + (words[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    a = (a + a0) | 0
    b = (b + b0) | 0
    c = (c + c0) | 0
    d = (d + d0) | 0
    e = (e + e0) | 0
  }
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
  state[4] = e
}
