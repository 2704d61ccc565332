import type { ByteWriter } from '../command.ts'
import { Output } from '../output.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'

/** A place that lines are written to. A line that lacks its terminator gets it when something follows. */
export class SedOutput {
  readonly #output: Output
  readonly #terminator: string
  readonly #to: ByteWriter
  #missing = false

  constructor(to: ByteWriter, terminator: string, output: Output = new Output(to)) {
    this.#to = to
    this.#output = output
    this.#terminator = terminator
  }

  /** Another one for the same place. GNU sed's two for standard output don't know what the other's last line lacks. */
  twin(): SedOutput {
    return new SedOutput(this.#to, this.#terminator, this.#output)
  }

  line(text: string, terminated: boolean): void {
    this.#complete()
    this.#output.text(terminated ? text + this.#terminator : text)
    this.#missing = !terminated
  }

  /** Text that has its terminators, or needs none. */
  raw(text: string): void {
    this.#complete()
    this.#output.text(text)
  }

  bytes(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#complete()
    this.#output.bytes(bytes)
  }

  *settle(): Steps<void> {
    yield* wait(this.#output.settle())
  }

  *flush(): Steps<void> {
    yield* wait(this.#output.flush())
  }

  *close(): Steps<void> {
    yield* this.flush()
    yield* wait(this.#to.close())
  }

  #complete(): void {
    if (!this.#missing) return
    this.#output.text(this.#terminator)
    this.#missing = false
  }
}
