import { blockHash, type Hash, wordBytes } from './block-hash.ts'
import { rootFractions } from './root-fractions.ts'

/** SHA-256 (FIPS 180-4). */
export function sha256(): Hash {
  return hash(START.slice(), 32)
}

/** SHA-224: SHA-256 that starts elsewhere and is cut. */
export function sha224(): Hash {
  // The second halves of the fractions of the square roots of the 9th to 16th prime.
  return hash(
    Int32Array.from(rootFractions(2, 16).slice(8), ({ low }) => low),
    28,
  )
}

function hash(state: Int32Array, length: number): Hash {
  return blockHash({
    blockSize: 64,
    lengthSize: 8,
    littleEndian: false,
    compress: (bytes, from, to) => compress(state, bytes, from, to),
    result: () => wordBytes(state, length, false),
  })
}

const START = Int32Array.from(rootFractions(2, 8), ({ high }) => high)
const ROUNDS = Int32Array.from(rootFractions(3, 64), ({ high }) => high)
const words = new Int32Array(64)

function compress(state: Int32Array, bytes: Uint8Array, from: number, to: number): void {
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let at = from; at < to; at += 64) {
    for (let i = 0, byte = at; i < 16; i++, byte += 4) {
      words[i] =
        ((bytes[byte] as number) << 24) |
        ((bytes[byte + 1] as number) << 16) |
        ((bytes[byte + 2] as number) << 8) |
        (bytes[byte + 3] as number)
    }
    for (let i = 16; i < 64; i++) {
      const early = words[i - 15] as number
      const late = words[i - 2] as number
      const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
      const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
      words[i] = ((words[i - 16] as number) + s0 + (words[i - 7] as number) + s1) | 0
    }
    const a0 = a
    const b0 = b
    const c0 = c
    const d0 = d
    const e0 = e
    const f0 = f
    const g0 = g
    const h0 = h
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const first = (h + s1 + (g ^ (e & (f ^ g))) + (ROUNDS[i] as number) + (words[i] as number)) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const second = s0 + ((a & b) ^ (c & (a ^ b)))
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    a = (a + a0) | 0
    b = (b + b0) | 0
    c = (c + c0) | 0
    d = (d + d0) | 0
    e = (e + e0) | 0
    f = (f + f0) | 0
    g = (g + g0) | 0
    h = (h + h0) | 0
  }
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
  state[4] = e
  state[5] = f
  state[6] = g
  state[7] = h
}
