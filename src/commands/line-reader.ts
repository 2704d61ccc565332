import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { ByteReader } from './command.ts'
import { Records } from './input.ts'
import { lineEnds } from './line-ends.ts'

const NONE = new Uint8Array(0)

/** A stream line by line, without copying: after `advance` the line is `bytes[start, end)`, its terminator left out. */
export class LineReader {
  bytes: Uint8Array = NONE
  start = 0
  end = 0
  readonly #records: Records
  readonly #terminator: number
  #ends: Uint32Array = new Uint32Array(0)
  #next = 0

  constructor(from: ByteReader, terminator = 10) {
    this.#records = new Records(from, terminator)
    this.#terminator = terminator
  }

  /** Whether the line has a terminator; a last one may lack it. */
  get terminated(): boolean {
    return this.end < this.bytes.length
  }

  /** Goes to the next line; false at the end. The bytes of earlier lines stay as they are. */
  advance(): MaybePromise<boolean> {
    if (this.#next < this.#ends.length) return this.#take()
    const piece = this.#records.bytes()
    return isPromise(piece) ? piece.then((bytes) => this.#start(bytes)) : this.#start(piece)
  }

  #start(piece: Uint8Array | null): boolean {
    this.bytes = piece ?? NONE
    this.#ends = lineEnds(this.bytes, this.#terminator)
    this.#next = 0
    this.start = 0
    this.end = -1
    return piece !== null && this.#take()
  }

  #take(): true {
    this.start = this.end + 1
    this.end = this.#ends[this.#next++] as number
    return true
  }
}
