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
    for (let i = 0; i < 16; i += 4) {
      a = step1(a, b, c, d, i, 7)
      d = step1(d, a, b, c, i + 1, 12)
      c = step1(c, d, a, b, i + 2, 17)
      b = step1(b, c, d, a, i + 3, 22)
    }
    for (let i = 16; i < 32; i += 4) {
      a = step2(a, b, c, d, i, 5)
      d = step2(d, a, b, c, i + 1, 9)
      c = step2(c, d, a, b, i + 2, 14)
      b = step2(b, c, d, a, i + 3, 20)
    }
    for (let i = 32; i < 48; i += 4) {
      a = step3(a, b, c, d, i, 4)
      d = step3(d, a, b, c, i + 1, 11)
      c = step3(c, d, a, b, i + 2, 16)
      b = step3(b, c, d, a, i + 3, 23)
    }
    for (let i = 48; i < 64; i += 4) {
      a = step4(a, b, c, d, i, 6)
      d = step4(d, a, b, c, i + 1, 10)
      c = step4(c, d, a, b, i + 2, 15)
      b = step4(b, c, d, a, i + 3, 21)
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

function step1(a: number, b: number, c: number, d: number, i: number, turn: number): number {
  return turned(a + ((b & c) | (~b & d)) + (words[i] as number) + (SINES[i] as number), turn, b)
}

function step2(a: number, b: number, c: number, d: number, i: number, turn: number): number {
  return turned(a + ((b & d) | (c & ~d)) + (words[(5 * i + 1) & 15] as number) + (SINES[i] as number), turn, b)
}

function step3(a: number, b: number, c: number, d: number, i: number, turn: number): number {
  return turned(a + (b ^ c ^ d) + (words[(3 * i + 5) & 15] as number) + (SINES[i] as number), turn, b)
}

function step4(a: number, b: number, c: number, d: number, i: number, turn: number): number {
  return turned(a + (c ^ (b | ~d)) + (words[(7 * i) & 15] as number) + (SINES[i] as number), turn, b)
}

function turned(sum: number, turn: number, add: number): number {
  const word = sum | 0
  return (((word << turn) | (word >>> (32 - turn))) + add) | 0
}
