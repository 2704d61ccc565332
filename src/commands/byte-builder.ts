const FIRST_SIZE = 65_536

/** Bytes being put together. A loop that writes many takes `buffer` and `length` into locals after {@link ByteBuilder.reserve}. */
export class ByteBuilder {
  buffer: Uint8Array = new Uint8Array(FIRST_SIZE)
  length = 0

  /** Makes room for `count` more bytes; `buffer` may be another one afterwards. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.buffer.length) return
    const larger = new Uint8Array(Math.max(needed, this.buffer.length * 2))
    larger.set(this.buffer.subarray(0, this.length))
    this.buffer = larger
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Appends `from[start, end)`; for pieces so short that a loop beats a call. */
  appendPart(from: Uint8Array, start: number, end: number): void {
    const count = end - start
    this.reserve(count)
    if (count > 64) {
      this.buffer.set(from.subarray(start, end), this.length)
      this.length += count
      return
    }
    const buffer = this.buffer
    let to = this.length
    for (let at = start; at < end; at++) buffer[to++] = from[at] as number
    this.length = to
  }

  byte(byte: number): void {
    if (this.length === this.buffer.length) this.reserve(1)
    this.buffer[this.length++] = byte
  }

  /** What has been put together; the builder starts anew. */
  take(): Uint8Array {
    const built = this.buffer.subarray(0, this.length)
    this.buffer = new Uint8Array(Math.max(FIRST_SIZE, Math.min(this.length, FIRST_SIZE * 4)))
    this.length = 0
    return built
  }
}
