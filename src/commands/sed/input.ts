import { isPromise } from '../../host.ts'
import type { ByteReader, CommandContext } from '../command.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import type { Block } from '../text-blocks.ts'
import { Blocks } from '../text-blocks.ts'

export interface SedInputOptions {
  readonly terminator: '\n' | '\0'
  readonly bytes: boolean
  /** Each file is a stream of its own. */
  readonly separate: boolean
  /** Called for each file before it is opened; false passes it over. */
  readonly begin: (name: string) => Steps<boolean>
  /** Called for a file that can't be read. */
  readonly report: (name: string, error: unknown) => Steps<void>
}

const NOTHING: Block = { text: '', bytes: new Uint8Array(0), aligned: true, clean: true, terminated: true }

/** The lines of all files, one after another. */
export class SedInput {
  lineNumber = 0
  /** As `F` prints it. */
  fileName = '-'
  /** The line taken last had its terminator. */
  terminated = true
  readonly #context: CommandContext
  readonly #options: SedInputOptions
  readonly #files: string[]
  #reader: ByteReader | null = null
  #blocks: Blocks | null = null
  /** Lines at hand. One with as many lines may be put in its place before the first is taken. */
  block: Block = NOTHING
  /** The line taken last is `block.text.slice(start, end)`, until another is taken. */
  start = 0
  end = 0
  /** Where the next line starts; -1 where there is none in `block`. */
  #at = -1

  constructor(context: CommandContext, files: readonly string[], options: SedInputOptions) {
    this.#context = context
    this.#options = options
    this.#files = [...files]
  }

  /** Whether there is a next line: 'unknown' until {@link SedInput.fill} has looked. With separate files, of this file. */
  get next(): 'line' | 'none' | 'unknown' {
    if (this.#at >= 0) return 'line'
    if (this.#blocks !== null) return 'unknown'
    return this.#options.separate || this.#files.length === 0 ? 'none' : 'unknown'
  }

  /** No file is left to begin. */
  get isLastFile(): boolean {
    return this.#files.length === 0
  }

  /** Goes to the next line; there must be one. */
  take(): void {
    const { text } = this.block
    const end = text.indexOf(this.#options.terminator, this.#at)
    this.start = this.#at
    this.end = end < 0 ? text.length : end
    this.terminated = end >= 0 || this.block.terminated
    this.#at = end < 0 ? -1 : end + 1
    this.lineNumber += 1
  }

  /** Where the next line starts in `block.text`; there must be one. */
  get nextStart(): number {
    return this.#at
  }

  /** Passes over the lines before the one that starts at `to`, or over all where that is behind the last one. */
  skip(to: number, counted: boolean): void {
    const { terminator } = this.#options
    const { text } = this.block
    const isAll = to > text.length
    if (counted) {
      for (let at = this.#at; at < to && at >= 0; at = text.indexOf(terminator, at) + 1 || -1) this.lineNumber += 1
    }
    this.terminated = !isAll || this.block.terminated
    this.#at = isAll ? -1 : to
  }

  /** Finds out whether there is a next line. */
  *fill(beforeWaiting: () => Steps<void>): Steps<void> {
    while (this.next === 'unknown') {
      if (this.#blocks === null) yield* this.begin()
      else yield* this.#read(beforeWaiting)
    }
  }

  /** Opens the next file that can be read; false where there is none. */
  *begin(): Steps<boolean> {
    for (;;) {
      const name = this.#files.shift()
      if (name === undefined) return false
      if (!(yield* this.#options.begin(name))) continue
      this.fileName = name
      try {
        this.#reader = name === '-' ? this.#context.stdin : yield* wait(this.#context.open(this.#context.resolve(name)))
      } catch (error) {
        yield* this.#options.report(name, error)
        continue
      }
      this.#blocks = new Blocks(this.#reader, this.#options.terminator, this.#options.bytes)
      if (this.#options.separate) this.lineNumber = 0
      return true
    }
  }

  /** Closes what is open. */
  *stop(): Steps<void> {
    yield* this.#close()
  }

  *#read(beforeWaiting: () => Steps<void>): Steps<void> {
    const { fileName } = this
    let block: Block | null
    try {
      const next = this.#blocks?.next() ?? null
      if (isPromise(next)) yield* beforeWaiting()
      block = yield* wait(next)
    } catch (error) {
      yield* this.#close()
      yield* this.#options.report(fileName, error)
      return
    }
    if (block === null) {
      yield* this.#close()
      return
    }
    this.block = block
    this.#at = 0
  }

  *#close(): Steps<void> {
    const reader = this.#reader
    this.#reader = null
    this.#blocks = null
    if (reader !== null && reader !== this.#context.stdin) yield* wait(reader.close())
  }
}
