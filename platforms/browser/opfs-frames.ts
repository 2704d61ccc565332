import { crc32 } from './crc32.ts'

/** The end of a row of parts. */
export interface ChainEnd {
  /** How many parts there are. */
  readonly count: number
  /** Bytes of all of them together. */
  readonly size: number
  /** Checksum over all of them. */
  readonly sum: number
}

/** Parts that were read from a file. */
export interface Frames {
  readonly parts: readonly Uint8Array[]
  readonly end: ChainEnd
  /** Bytes of the file up to the end of the last part. */
  readonly fileEnd: number
}

const HEADER_BYTES = 8
/** A stretch of zeros, as a crash may leave behind, is no part. */
export const CHAIN_START: ChainEnd = { count: 0, size: 0, sum: 0x6d697261 }

/** A part as a file has it: its length, the checksum of it and all parts before it, its bytes. */
export function encodeFrame(before: ChainEnd, bytes: Uint8Array): { readonly frame: Uint8Array<ArrayBuffer>; readonly end: ChainEnd } {
  const end = follow(before, bytes)
  const frame = new Uint8Array(HEADER_BYTES + bytes.length)
  const view = new DataView(frame.buffer)
  view.setUint32(0, bytes.length)
  view.setUint32(4, end.sum)
  frame.set(bytes, HEADER_BYTES)
  return { frame, end }
}

/** The parts at the beginning of a file that follow `before` and are whole. */
export function decodeFrames(before: ChainEnd, file: Uint8Array): Frames {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const parts: Uint8Array[] = []
  let end = before
  let fileEnd = 0
  while (fileEnd + HEADER_BYTES <= file.length) {
    const start = fileEnd + HEADER_BYTES
    const bytes = file.subarray(start, start + view.getUint32(fileEnd))
    const after = follow(end, bytes)
    if (after.size - end.size !== view.getUint32(fileEnd) || after.sum !== view.getUint32(fileEnd + 4)) break
    parts.push(bytes)
    end = after
    fileEnd = start + bytes.length
  }
  return { parts, end, fileEnd }
}

function follow({ count, size, sum }: ChainEnd, bytes: Uint8Array): ChainEnd {
  return { count: count + 1, size: size + bytes.length, sum: crc32(bytes, sum) }
}
