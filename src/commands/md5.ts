import { blockHash, type Hash, wordBytes } from './block-hash.ts'

/** MD5 (RFC 1321). */
export function md5(): Hash {
  const state = Int32Array.of(0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476)
  return blockHash({
    blockSize: 64,
    lengthSize: 8,
    littleEndian: true,
    compress: (bytes, from, to) => compress(state, bytes, from, to),
    result: () => wordBytes(state, 16, true),
  })
}

const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))
const TURNS = Uint8Array.of(7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21)
/** Which word of the block each step takes. */
const ORDER = Uint8Array.from({ length: 64 }, (_, i) => ([i, 5 * i + 1, 3 * i + 5, 7 * i][i >> 4] as number) & 15)
const words = new Int32Array(16)

function compress(state: Int32Array, bytes: Uint8Array, from: number, to: number): void {
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  for (let at = from; at < to; at += 64) {
    for (let i = 0, byte = at; i < 16; i++, byte += 4) {
      words[i] =
        (bytes[byte] as number) |
        ((bytes[byte + 1] as number) << 8) |
        ((bytes[byte + 2] as number) << 16) |
        ((bytes[byte + 3] as number) << 24)
    }
    const [a0, b0, c0, d0] = [a, b, c, d]
    for (let i = 0; i < 64; i++) {
      const round = i >> 4
      const mixed = round === 0 ? (b & c) | (~b & d) : round === 1 ? (b & d) | (c & ~d) : round === 2 ? b ^ c ^ d : c ^ (b | ~d)
      const sum = (a + mixed + (words[ORDER[i] as number] as number) + (SINES[i] as number)) | 0
      const turn = TURNS[(round << 2) | (i & 3)] as number
      a = d
      d = c
      c = b
      b = (b + ((sum << turn) | (sum >>> (32 - turn)))) | 0
    }
    a = (a + a0) | 0
    b = (b + b0) | 0
    c = (c + c0) | 0
    d = (d + d0) | 0
  }
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
}
