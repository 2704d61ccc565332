import { ByteBuilder } from './byte-builder.ts'

/** What a conversion made of the bytes; not valid: what came can't be decoded, and nothing more is to be given. */
export interface Converted {
  readonly bytes: Uint8Array
  readonly valid: boolean
}

export interface Conversion {
  add(chunk: Uint8Array): Converted
  finish(): Converted
}

/** A way to write bytes as text. */
export interface BaseCode {
  /** Lines of `wrap` characters; one line that isn't ended for 0. */
  encoder(wrap: number): Conversion
  /** `lenient`: characters that don't belong there are passed over. */
  decoder(lenient: boolean): Conversion
}

/** RFC 4648 base64. */
export const Base64: BaseCode = baseCode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 3, 4)

/** RFC 4648 base32. */
export const Base32: BaseCode = baseCode('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 5, 8)

const PADDING = 0x3d

/** `bytes` bytes are a group of `characters` characters. */
function baseCode(alphabet: string, bytes: number, characters: number): BaseCode {
  const digits = Uint8Array.from(alphabet, (char) => char.charCodeAt(0))
  return {
    encoder: (wrap) => new Encoder(digits, bytes, characters, wrap),
    decoder: (lenient) => new Decoder(digits, bytes, characters, lenient),
  }
}

class Encoder implements Conversion {
  readonly #digits: Uint8Array
  readonly #bytes: number
  readonly #characters: number
  readonly #wrap: number
  readonly #built = new ByteBuilder()
  /** Bytes of a group that isn't full. */
  #rest: number[] = []
  #column = 0

  constructor(digits: Uint8Array, bytes: number, characters: number, wrap: number) {
    this.#digits = digits
    this.#bytes = bytes
    this.#characters = characters
    this.#wrap = wrap
  }

  add(chunk: Uint8Array): Converted {
    let at = 0
    while (this.#rest.length > 0 && this.#rest.length < this.#bytes && at < chunk.length) this.#rest.push(chunk[at++] as number)
    if (this.#rest.length === this.#bytes) {
      this.#encode(Uint8Array.from(this.#rest), 0, this.#bytes)
      this.#rest = []
    }
    if (at < chunk.length) {
      const whole = chunk.length - ((chunk.length - at) % this.#bytes)
      this.#encode(chunk, at, whole)
      this.#rest = [...chunk.subarray(whole)]
    }
    return { bytes: this.#wrapped(), valid: true }
  }

  finish(): Converted {
    if (this.#rest.length > 0) {
      const padded = new Uint8Array(this.#bytes)
      padded.set(this.#rest)
      this.#encode(padded, 0, this.#bytes)
      const used = Math.ceil((this.#rest.length * 8 * this.#characters) / (this.#bytes * 8))
      this.#built.buffer.fill(PADDING, this.#built.length - this.#characters + used, this.#built.length)
    }
    const last = this.#wrapped()
    if (this.#wrap === 0 || this.#column === 0) return { bytes: last, valid: true }
    this.#built.append(last)
    this.#built.byte(10)
    return { bytes: this.#built.take(), valid: true }
  }

  /** Whole groups. */
  #encode(bytes: Uint8Array, from: number, to: number): void {
    const built = this.#built
    built.reserve(((to - from) / this.#bytes) * this.#characters)
    const { buffer } = built
    const digits = this.#digits
    let out = built.length
    if (this.#bytes === 3) {
      for (let at = from; at < to; at += 3) {
        const group = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
        buffer[out] = digits[group >> 18] as number
        buffer[out + 1] = digits[(group >> 12) & 63] as number
        buffer[out + 2] = digits[(group >> 6) & 63] as number
        buffer[out + 3] = digits[group & 63] as number
        out += 4
      }
    } else {
      for (let at = from; at < to; at += 5) {
        const high = ((bytes[at] as number) << 12) | ((bytes[at + 1] as number) << 4) | ((bytes[at + 2] as number) >> 4)
        const low = (((bytes[at + 2] as number) & 15) << 16) | ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number)
        buffer[out] = digits[high >> 15] as number
        buffer[out + 1] = digits[(high >> 10) & 31] as number
        buffer[out + 2] = digits[(high >> 5) & 31] as number
        buffer[out + 3] = digits[high & 31] as number
        buffer[out + 4] = digits[low >> 15] as number
        buffer[out + 5] = digits[(low >> 10) & 31] as number
        buffer[out + 6] = digits[(low >> 5) & 31] as number
        buffer[out + 7] = digits[low & 31] as number
        out += 8
      }
    }
    built.length = out
  }

  /** What is built, in lines. */
  #wrapped(): Uint8Array {
    const text = this.#built.take()
    const wrap = this.#wrap
    if (wrap === 0 || text.length === 0) return text
    const lines = new Uint8Array(text.length + Math.ceil(text.length / wrap) + 1)
    let to = 0
    for (let at = 0; at < text.length; ) {
      const count = Math.min(wrap - this.#column, text.length - at)
      lines.set(text.subarray(at, at + count), to)
      to += count
      at += count
      this.#column += count
      if (this.#column < wrap) continue
      lines[to++] = 10
      this.#column = 0
    }
    return lines.subarray(0, to)
  }
}

class Decoder implements Conversion {
  readonly #characters: number
  readonly #bits: number
  readonly #lenient: boolean
  readonly #values = new Int8Array(256).fill(-1)
  readonly #built = new ByteBuilder()
  /** Values of a group that isn't full, and how many = have come in it. */
  #group: number[] = []
  #padding = 0

  constructor(digits: Uint8Array, bytes: number, characters: number, lenient: boolean) {
    this.#characters = characters
    this.#bits = (bytes * 8) / characters
    this.#lenient = lenient
    for (const [value, digit] of digits.entries()) this.#values[digit] = value
  }

  add(chunk: Uint8Array): Converted {
    const built = this.#built
    const values = this.#values
    for (let at = 0; at < chunk.length; ) {
      if (this.#characters === 4 && this.#group.length === 0) {
        at = this.#decodeWhole(chunk, at)
        if (at >= chunk.length) break
      }
      const byte = chunk[at++] as number
      const value = values[byte] as number
      if (value >= 0 && this.#padding === 0) this.#group.push(value)
      else if (byte === PADDING && this.#group.length > 0) this.#padding += 1
      else if (byte === 10 || (this.#lenient && value < 0 && byte !== PADDING)) continue
      else return this.#invalid()
      if (this.#group.length + this.#padding < this.#characters) continue
      if (!this.#finishGroup()) return { bytes: built.take(), valid: false }
    }
    return { bytes: built.take(), valid: true }
  }

  finish(): Converted {
    if (this.#group.length === 0) return { bytes: this.#built.take(), valid: true }
    // Of a base32 group GNU's decoder wants all characters before it looks at any.
    return this.#characters === 4 ? this.#invalid() : { bytes: this.#built.take(), valid: false }
  }

  /** Whole groups of base64 without anything between them; where they end. */
  #decodeWhole(chunk: Uint8Array, from: number): number {
    const built = this.#built
    const values = this.#values
    built.reserve(chunk.length - from)
    const { buffer } = built
    let to = built.length
    let at = from
    while (at + 4 <= chunk.length) {
      const a = values[chunk[at] as number] as number
      const b = values[chunk[at + 1] as number] as number
      const c = values[chunk[at + 2] as number] as number
      const d = values[chunk[at + 3] as number] as number
      if ((a | b | c | d) < 0) {
        if (chunk[at] !== 10) break
        at += 1
        continue
      }
      buffer[to] = (a << 2) | (b >> 4)
      buffer[to + 1] = (b << 4) | (c >> 2)
      buffer[to + 2] = (c << 6) | d
      to += 3
      at += 4
    }
    built.length = to
    return at
  }

  /** False where no number of bytes is written in so many characters. */
  #finishGroup(): boolean {
    const bits = this.#bits
    const count = Math.floor((this.#group.length * bits) / 8)
    const valid = count > 0 && Math.ceil((count * 8) / bits) === this.#group.length
    this.#emit(count)
    this.#group = []
    this.#padding = 0
    return valid
  }

  #emit(count: number): void {
    const bits = this.#bits
    let held = 0
    let width = 0
    let written = 0
    for (const value of this.#group) {
      held = (held << bits) | value
      width += bits
      if (width < 8 || written === count) continue
      width -= 8
      this.#built.byte((held >> width) & 255)
      held &= (1 << width) - 1
      written += 1
    }
  }

  /** What the group that can't be finished holds for sure is given all the same. */
  #invalid(): Converted {
    this.#emit(Math.floor((this.#group.length * this.#bits) / 8))
    return { bytes: this.#built.take(), valid: false }
  }
}
