const FIRST_SIZE = 65_536
/** What a builder is ready for after it gave what it had. */
const KEPT_SIZE = 262_144
/** Fewer bytes than these are copied faster by a loop. */
const FEW = 32

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
    this.appendPart(bytes, 0, bytes.length)
  }

  /** Appends `from[start, end)`. */
  appendPart(from: Uint8Array, start: number, end: number): void {
    const count = end - start
    if (this.length + count > this.buffer.length) this.reserve(count)
    const buffer = this.buffer
    let to = this.length
    if (count > FEW) {
      buffer.set(from.subarray(start, end), to)
      this.length = to + count
      return
    }
    for (let at = start; at < end; at++) buffer[to++] = from[at] as number
    this.length = to
  }

  byte(byte: number): void {
    if (this.length === this.buffer.length) this.reserve(1)
    this.buffer[this.length++] = byte
  }

  /** Appends a whole number from 0 on in decimal digits, with `pad` before them up to `width` characters. */
  decimal(number: number, width = 0, pad = 0x20): void {
    let digits = 1
    for (let power = 10; power <= number; power *= 10) digits += 1
    const count = Math.max(digits, width)
    this.reserve(count)
    const buffer = this.buffer
    const start = this.length
    let rest = number
    for (let at = start + count - 1; at >= start + count - digits; at--) {
      const next = Math.floor(rest / 10)
      buffer[at] = 0x30 + (rest - next * 10)
      rest = next
    }
    buffer.fill(pad, start, start + count - digits)
    this.length = start + count
  }

  /** What has been put together; the builder starts anew. */
  take(): Uint8Array {
    const built = this.buffer.subarray(0, this.length)
    this.buffer = new Uint8Array(Math.min(this.buffer.length, KEPT_SIZE))
    this.length = 0
    return built
  }
}
