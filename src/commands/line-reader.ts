import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { ByteReader } from './command.ts'
import { Records } from './input.ts'

const NONE = new Uint8Array(0)

/** A stream line by line, without copying: after `advance` the line is `bytes[start, end)`, its terminator left out. */
export class LineReader {
  bytes: Uint8Array = NONE
  start = 0
  end = 0
  /** False for a last line that lacks its terminator. */
  terminated = true
  readonly #records: Records
  readonly #terminator: number
  #next = 0

  constructor(from: ByteReader, terminator = 10) {
    this.#records = new Records(from, terminator)
    this.#terminator = terminator
  }

  /** Goes to the next line; false at the end. The bytes of earlier lines stay as they are. */
  advance(): MaybePromise<boolean> {
    if (this.#next < this.bytes.length) return this.#take()
    const piece = this.#records.bytes()
    return isPromise(piece) ? piece.then((bytes) => this.#start(bytes)) : this.#start(piece)
  }

  #start(piece: Uint8Array | null): boolean {
    this.bytes = piece ?? NONE
    this.#next = 0
    this.start = 0
    this.end = 0
    return piece !== null && this.#take()
  }

  #take(): true {
    const { bytes } = this
    const terminator = this.#terminator
    let end = this.#next
    this.start = end
    while (end < bytes.length && bytes[end] !== terminator) end += 1
    this.end = end
    this.terminated = end < bytes.length
    this.#next = end + 1
    return true
  }
}
