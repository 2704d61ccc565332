import type { ByteWriter } from '../command.ts'
import { Output } from '../output.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import type { Block } from '../text-blocks.ts'

/** A place that lines are written to. A line that lacks its terminator gets it when something follows. */
export class SedOutput {
  readonly #output: Output
  readonly #terminator: string
  readonly #to: ByteWriter
  #missing = false
  #twin: SedOutput | null = null
  /** Lines to be written: from `#partStart` to `#partEnd` in it, the last terminator left out. */
  #part: Block | null = null
  #partStart = 0
  #partEnd = 0
  #partTerminated = true

  constructor(to: ByteWriter, terminator: string, output: Output = new Output(to)) {
    this.#to = to
    this.#output = output
    this.#terminator = terminator
  }

  /** Another one for the same place. GNU sed's two for standard output don't know what the other's last line lacks. */
  twin(): SedOutput {
    const twin = new SedOutput(this.#to, this.#terminator, this.#output)
    twin.#twin = this
    this.#twin = twin
    return twin
  }

  line(text: string, terminated: boolean): void {
    this.#endPart()
    this.#complete()
    this.#output.text(terminated ? text + this.#terminator : text)
    this.#missing = !terminated
  }

  /** A line, or several, of a block. Those that follow each other are written together. */
  part(block: Block, start: number, end: number, terminated: boolean): void {
    if (this.#part === block && start === this.#partEnd + 1 && this.#partTerminated) {
      this.#partEnd = end
      this.#partTerminated = terminated
      return
    }
    this.#endPart()
    this.#complete()
    this.#part = block
    this.#partStart = start
    this.#partEnd = end
    this.#partTerminated = terminated
  }

  /** Text that has its terminators, or needs none. */
  raw(text: string): void {
    this.#endPart()
    this.#complete()
    this.#output.text(text)
  }

  bytes(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#endPart()
    this.#complete()
    this.#output.bytes(bytes)
  }

  *settle(): Steps<void> {
    this.#endPart()
    yield* wait(this.#output.settle())
  }

  *flush(): Steps<void> {
    this.#endPart()
    yield* wait(this.#output.flush())
  }

  *close(): Steps<void> {
    yield* this.flush()
    yield* wait(this.#to.close())
  }

  #endPart(): void {
    if (this.#twin !== null && this.#twin.#part !== null) this.#twin.#writePart()
    if (this.#part !== null) this.#writePart()
  }

  #writePart(): void {
    const { text, bytes, aligned } = this.#part as Block
    this.#part = null
    this.#missing = !this.#partTerminated
    // What wasn't changed needn't be encoded again.
    if (aligned && this.#partTerminated && this.#partEnd < bytes.length) {
      this.#output.bytes(bytes.subarray(this.#partStart, this.#partEnd + 1))
      return
    }
    const part = text.slice(this.#partStart, this.#partEnd)
    this.#output.text(this.#partTerminated ? part + this.#terminator : part)
  }

  #complete(): void {
    if (!this.#missing) return
    this.#output.text(this.#terminator)
    this.#missing = false
  }
}
