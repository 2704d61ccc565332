import { concat, encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { ByteWriter } from './command.ts'
import { CommandFailure, isExpected } from './utility.ts'

const ENOUGH = 65_536

/**
 * Gathers output into chunks worth writing. Call {@link Output.settle} after each piece of work: it writes once there is enough.
 * Call `flush` before waiting for input, and at the end.
 */
export class Output {
  readonly #to: ByteWriter
  #texts: string[] = []
  #chunks: Uint8Array[] = []
  #size = 0

  constructor(to: ByteWriter) {
    this.#to = to
  }

  text(text: string): void {
    this.#texts.push(text)
    this.#size += text.length
  }

  bytes(bytes: Uint8Array): void {
    this.#gatherTexts()
    this.#chunks.push(bytes)
    this.#size += bytes.length
  }

  /** Writes when enough has gathered; await what it gives before going on. */
  settle(): MaybePromise<void> {
    return this.#size >= ENOUGH ? this.flush() : undefined
  }

  flush(): MaybePromise<void> {
    this.#gatherTexts()
    if (this.#chunks.length === 0) return undefined
    const all = concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    return all.length > 0 ? writeTo(this.#to, all) : undefined
  }

  #gatherTexts(): void {
    if (this.#texts.length === 0) return
    this.#chunks.push(encode(this.#texts.length === 1 ? (this.#texts[0] as string) : this.#texts.join('')))
    this.#texts = []
  }
}

/** Writes to standard output; a failure ends the command with `NAME: write error: REASON`. */
export function writeTo(to: ByteWriter, bytes: Uint8Array): MaybePromise<void> {
  try {
    const written = to.write(bytes)
    return isPromise(written) ? written.catch(failWriting) : undefined
  } catch (error) {
    return failWriting(error)
  }
}

/** Writes a text at once and gives the status. */
export function say(to: ByteWriter, text: string, status = 0): MaybePromise<number> {
  const written = to.write(encode(text))
  return isPromise(written) ? written.then(() => status) : status
}

function failWriting(error: unknown): never {
  if (!isExpected(error)) throw error
  throw new CommandFailure(`write error: ${errorText(error)}`)
}
