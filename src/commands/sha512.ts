import { blockHash, type Hash, wordBytes } from './block-hash.ts'
import { type Fraction, rootFractions } from './root-fractions.ts'

/** SHA-512 (FIPS 180-4). */
export function sha512(): Hash {
  return hash(rootFractions(2, 8), 64)
}

/** SHA-384: SHA-512 that starts elsewhere and is cut. */
export function sha384(): Hash {
  return hash(rootFractions(2, 16).slice(8), 48)
}

function hash(start: readonly Fraction[], length: number): Hash {
  // Words of 64 bits are two of 32, the high one first.
  const state = Int32Array.from(start.flatMap(({ high, low }) => [high, low]))
  return blockHash({
    blockSize: 128,
    lengthSize: 16,
    littleEndian: false,
    compress: (bytes, from, to) => compress(state, bytes, from, to),
    result: () => wordBytes(state, length, false),
  })
}

const ROUNDS = Int32Array.from(rootFractions(3, 80).flatMap(({ high, low }) => [high, low]))
const highWords = new Int32Array(80)
const lowWords = new Int32Array(80)

function compress(state: Int32Array, bytes: Uint8Array, from: number, to: number): void {
  let [ah, al, bh, bl, ch, cl, dh, dl] = state as unknown as [number, number, number, number, number, number, number, number]
  let [eh, el, fh, fl, gh, gl, hh, hl] = state.subarray(8) as unknown as [number, number, number, number, number, number, number, number]
  for (let at = from; at < to; at += 128) {
    schedule(bytes, at)
    const [ah0, al0, bh0, bl0, ch0, cl0, dh0, dl0] = [ah, al, bh, bl, ch, cl, dh, dl]
    const [eh0, el0, fh0, fl0, gh0, gl0, hh0, hl0] = [eh, el, fh, fl, gh, gl, hh, hl]
    for (let i = 0; i < 80; i++) {
      const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23))
      const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23))
      const chooseH = gh ^ (eh & (fh ^ gh))
      const chooseL = gl ^ (el & (fl ^ gl))
      // Sums of up to five low words stay exact; what they carry is added to the high ones.
      const firstLow = (hl >>> 0) + (s1l >>> 0) + (chooseL >>> 0) + ((ROUNDS[i * 2 + 1] as number) >>> 0) + ((lowWords[i] as number) >>> 0)
      const firstHigh = (hh + s1h + chooseH + (ROUNDS[i * 2] as number) + (highWords[i] as number) + ((firstLow / 4294967296) | 0)) | 0
      const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25))
      const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25))
      const majorityH = (ah & bh) ^ (ch & (ah ^ bh))
      const majorityL = (al & bl) ^ (cl & (al ^ bl))
      const first = firstLow | 0
      hh = gh
      hl = gl
      gh = fh
      gl = fl
      fh = eh
      fl = el
      const nextE = (dl >>> 0) + (first >>> 0)
      eh = (dh + firstHigh + ((nextE / 4294967296) | 0)) | 0
      el = nextE | 0
      dh = ch
      dl = cl
      ch = bh
      cl = bl
      bh = ah
      bl = al
      const nextA = (first >>> 0) + (s0l >>> 0) + (majorityL >>> 0)
      ah = (firstHigh + s0h + majorityH + ((nextA / 4294967296) | 0)) | 0
      al = nextA | 0
    }
    let sum = (al >>> 0) + (al0 >>> 0)
    ah = (ah + ah0 + ((sum / 4294967296) | 0)) | 0
    al = sum | 0
    sum = (bl >>> 0) + (bl0 >>> 0)
    bh = (bh + bh0 + ((sum / 4294967296) | 0)) | 0
    bl = sum | 0
    sum = (cl >>> 0) + (cl0 >>> 0)
    ch = (ch + ch0 + ((sum / 4294967296) | 0)) | 0
    cl = sum | 0
    sum = (dl >>> 0) + (dl0 >>> 0)
    dh = (dh + dh0 + ((sum / 4294967296) | 0)) | 0
    dl = sum | 0
    sum = (el >>> 0) + (el0 >>> 0)
    eh = (eh + eh0 + ((sum / 4294967296) | 0)) | 0
    el = sum | 0
    sum = (fl >>> 0) + (fl0 >>> 0)
    fh = (fh + fh0 + ((sum / 4294967296) | 0)) | 0
    fl = sum | 0
    sum = (gl >>> 0) + (gl0 >>> 0)
    gh = (gh + gh0 + ((sum / 4294967296) | 0)) | 0
    gl = sum | 0
    sum = (hl >>> 0) + (hl0 >>> 0)
    hh = (hh + hh0 + ((sum / 4294967296) | 0)) | 0
    hl = sum | 0
  }
  state.set([ah, al, bh, bl, ch, cl, dh, dl, eh, el, fh, fl, gh, gl, hh, hl])
}

function schedule(bytes: Uint8Array, at: number): void {
  for (let i = 0, byte = at; i < 16; i++, byte += 8) {
    highWords[i] =
      ((bytes[byte] as number) << 24) |
      ((bytes[byte + 1] as number) << 16) |
      ((bytes[byte + 2] as number) << 8) |
      (bytes[byte + 3] as number)
    lowWords[i] =
      ((bytes[byte + 4] as number) << 24) |
      ((bytes[byte + 5] as number) << 16) |
      ((bytes[byte + 6] as number) << 8) |
      (bytes[byte + 7] as number)
  }
  for (let i = 16; i < 80; i++) {
    const xh = highWords[i - 15] as number
    const xl = lowWords[i - 15] as number
    const s0h = ((xh >>> 1) | (xl << 31)) ^ ((xh >>> 8) | (xl << 24)) ^ (xh >>> 7)
    const s0l = ((xl >>> 1) | (xh << 31)) ^ ((xl >>> 8) | (xh << 24)) ^ ((xl >>> 7) | (xh << 25))
    const yh = highWords[i - 2] as number
    const yl = lowWords[i - 2] as number
    const s1h = ((yh >>> 19) | (yl << 13)) ^ ((yl >>> 29) | (yh << 3)) ^ (yh >>> 6)
    const s1l = ((yl >>> 19) | (yh << 13)) ^ ((yh >>> 29) | (yl << 3)) ^ ((yl >>> 6) | (yh << 26))
    const low = ((lowWords[i - 16] as number) >>> 0) + (s0l >>> 0) + ((lowWords[i - 7] as number) >>> 0) + (s1l >>> 0)
    lowWords[i] = low
    highWords[i] = (highWords[i - 16] as number) + s0h + (highWords[i - 7] as number) + s1h + ((low / 4294967296) | 0)
  }
}
