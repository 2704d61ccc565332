import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'

/** Bytes that are written one value after the other. */
export class ByteWriter {
  #bytes = new Uint8Array(256)
  #size = 0

  /** A whole number from 0 on: seven bits a byte. */
  number(value: number): void {
    this.#demand(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#size++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#size++] = rest
  }

  float(value: number): void {
    this.#demand(8)
    new DataView(this.#bytes.buffer).setFloat64(this.#size, value)
    this.#size += 8
  }

  /** Bytes whose number the reader knows. */
  raw(bytes: Uint8Array): void {
    this.#demand(bytes.length)
    this.#bytes.set(bytes, this.#size)
    this.#size += bytes.length
  }

  bytes(bytes: Uint8Array): void {
    this.number(bytes.length)
    this.raw(bytes)
  }

  text(text: string): void {
    this.bytes(encode(text))
  }

  /** 32 bytes, given as hexadecimal digits. */
  hash(digits: string): void {
    this.#demand(HASH_BYTES)
    for (let at = 0; at < HASH_BYTES * 2; at += 2) this.#bytes[this.#size++] = Number.parseInt(digits.slice(at, at + 2), 16)
  }

  /** What was written. */
  done(): Uint8Array {
    return this.#bytes.slice(0, this.#size)
  }

  #demand(room: number): void {
    if (this.#size + room <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + room))
    grown.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = grown
  }
}

/** Reads what a {@link ByteWriter} wrote; CORRUPT where the bytes can't be that. What it gives may be views. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  number(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.raw(1)[0] as number
      value += (byte & 0x7f) * scale
      if (byte < 0x80) break
      scale *= 0x80
    }
    if (!Number.isSafeInteger(value)) throw corrupt()
    return value
  }

  float(): number {
    const { buffer, byteOffset } = this.raw(8)
    return new DataView(buffer, byteOffset, 8).getFloat64(0)
  }

  raw(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw corrupt()
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  bytes(): Uint8Array {
    return this.raw(this.number())
  }

  text(): string {
    return decode(this.bytes())
  }

  hash(): string {
    let digits = ''
    for (const byte of this.raw(HASH_BYTES)) digits += DIGITS[byte] as string
    return digits
  }

  /** Fails unless everything was read. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw corrupt()
  }
}

function corrupt(): WorkspaceError {
  return new WorkspaceError('CORRUPT', 'stored content is cut, or is no stored content')
}

const HASH_BYTES = 32
const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
