/** A checksum of bytes that come in chunks. */
export interface Hash {
  update(bytes: Uint8Array): void
  /** The checksum; the hash is of no more use. */
  digest(): Uint8Array
}

/** How a hash of the MD and SHA families deals with its blocks. */
export interface BlockFunction {
  /** Bytes in a block. */
  readonly blockSize: number
  /** Bytes at the end of the last block that hold the length in bits. */
  readonly lengthSize: number
  readonly littleEndian: boolean
  /** Takes in whole blocks: `bytes[from, to)`. */
  compress(bytes: Uint8Array, from: number, to: number): void
  /** The checksum of what was taken in. */
  result(): Uint8Array
}

/** The hash made of a function for blocks: cuts what comes into blocks and pads the last. */
export function blockHash(blocks: BlockFunction): Hash {
  const { blockSize, lengthSize, littleEndian } = blocks
  const rest = new Uint8Array(blockSize)
  let filled = 0
  let length = 0
  return {
    update(bytes) {
      length += bytes.length
      let at = 0
      if (filled > 0) {
        at = Math.min(blockSize - filled, bytes.length)
        rest.set(bytes.subarray(0, at), filled)
        filled += at
        if (filled < blockSize) return
        blocks.compress(rest, 0, blockSize)
        filled = 0
      }
      const end = bytes.length - ((bytes.length - at) % blockSize)
      if (end > at) blocks.compress(bytes, at, end)
      rest.set(bytes.subarray(end))
      filled = bytes.length - end
    },
    digest() {
      const padded = new Uint8Array(filled + 1 + lengthSize <= blockSize ? blockSize : blockSize * 2)
      padded.set(rest.subarray(0, filled))
      padded[filled] = 0x80
      const view = new DataView(padded.buffer)
      const high = Math.floor(length / 2 ** 29)
      const low = (length % 2 ** 29) * 8
      const end = padded.length
      view.setUint32(littleEndian ? end - 8 : end - 4, low, littleEndian)
      view.setUint32(littleEndian ? end - 4 : end - 8, high, littleEndian)
      blocks.compress(padded, 0, padded.length)
      return blocks.result()
    },
  }
}

/** Words as bytes. */
export function wordBytes(words: Int32Array, length: number, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(words.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [index, word] of words.entries()) view.setInt32(index * 4, word, littleEndian)
  return bytes.subarray(0, length)
}
