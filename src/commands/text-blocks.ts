import { concat, decode } from '../bytes.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import { decodeBytewise } from './byte-text.ts'
import type { ByteReader } from './command.ts'

/** Some whole lines of an input. */
export interface Block {
  /** Without the terminator of the last line. */
  readonly text: string
  /** With it, if it was there. */
  readonly bytes: Uint8Array
  /** A character of the text is a byte of `bytes`. */
  readonly aligned: boolean
  /** No byte is anything but part of a character. */
  readonly clean: boolean
  /** The last line has its terminator. */
  readonly terminated: boolean
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const NONE = new Uint8Array(0)
/** Small enough for a text of it to stay in the processor's cache. */
const BLOCK = 65_536

/** Cuts an input into blocks. */
export class Blocks {
  readonly #from: ByteReader
  readonly #terminator: number
  readonly #bytewise: boolean
  #pending: Uint8Array[] = []
  /** Whole lines not given out yet. */
  #ready: Uint8Array = NONE
  /** Those behind them. */
  #later: Uint8Array = NONE
  #ended = false

  constructor(from: ByteReader, terminator: '\n' | '\0', bytewise: boolean) {
    this.#from = from
    this.#terminator = terminator.charCodeAt(0)
    this.#bytewise = bytewise
  }

  /** The next block; null at the end. */
  next(): MaybePromise<Block | null> {
    for (;;) {
      if (this.#ready.length > 0) return this.#cut()
      if (this.#later.length > 0) {
        this.#ready = this.#later
        this.#later = NONE
        continue
      }
      if (this.#ended) return null
      const chunk = this.#from.read()
      if (isPromise(chunk)) {
        return chunk.then((read) => {
          this.#take(read)
          return this.next()
        })
      }
      this.#take(chunk)
    }
  }

  /** What has been read and not given out. */
  rest(): Uint8Array {
    return concat([this.#ready, this.#later, ...this.#pending])
  }

  #take(chunk: Uint8Array | null): void {
    if (chunk === null) {
      this.#ended = true
      this.#ready = concat(this.#pending)
      this.#pending = []
      return
    }
    let whole = chunk
    if (this.#pending.length > 0) {
      const first = chunk.indexOf(this.#terminator)
      if (first < 0) {
        this.#pending.push(chunk)
        return
      }
      // Only the line that two chunks share is copied.
      this.#ready = concat([...this.#pending, chunk.subarray(0, first + 1)])
      whole = chunk.subarray(first + 1)
      this.#pending = []
    }
    const last = whole.lastIndexOf(this.#terminator)
    if (last + 1 < whole.length) this.#pending = [whole.subarray(last + 1)]
    if (last < 0) return
    if (this.#ready.length === 0) this.#ready = whole.subarray(0, last + 1)
    else this.#later = whole.subarray(0, last + 1)
  }

  #cut(): Block {
    const ready = this.#ready
    let end = ready.length
    if (end > BLOCK) {
      const last = ready.lastIndexOf(this.#terminator, BLOCK - 1)
      const next = last < 0 ? ready.indexOf(this.#terminator, BLOCK) : last
      if (next >= 0) end = next + 1
    }
    const bytes = ready.subarray(0, end)
    this.#ready = ready.subarray(end)
    const terminated = bytes[end - 1] === this.#terminator
    const content = terminated ? bytes.subarray(0, end - 1) : bytes
    if (this.#bytewise) return { text: decodeBytewise(content), bytes, aligned: true, clean: true, terminated }
    let text: string
    let clean = true
    try {
      text = strict.decode(content)
    } catch {
      text = decode(content)
      clean = false
    }
    return { text, bytes, aligned: text.length === content.length, clean, terminated }
  }
}
