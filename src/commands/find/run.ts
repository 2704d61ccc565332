import { encode } from '../../bytes.ts'
import { errorText } from '../../errors.ts'
import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { ByteWriter, CommandContext } from '../command.ts'
import { operandPath } from '../operand-path.ts'
import { Output } from '../output.ts'
import { quoted } from '../quoting.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import { CommandFailure, isExpected } from '../utility.ts'

/** Which symbolic links are followed. */
export type Following = 'never' | 'operands' | 'always'

/** What the options say of one run, and how far it has come. */
export class FindRun {
  readonly context: CommandContext
  readonly output: Output
  readonly started: number
  following: Following = 'never'
  status = 0
  /** `-quit` was met. */
  isOver = false
  /** Messages about doubtful expressions are wanted. */
  warns: boolean
  minDepth = 0
  maxDepth: number = Number.POSITIVE_INFINITY
  depthFirst = false
  oneDevice = false
  /** Files that vanish meanwhile are no error. */
  ignoresRaces = false
  /** Standard input is wanted for answers or names, so commands that are run get none of it. */
  stdinTaken = false
  /** File with the operands, null where they are arguments. */
  operandsFrom: string | null = null
  /** Runs what has gathered for commands; in the order of the expression. */
  readonly batches: (() => MaybePromise<void>)[] = []
  readonly #sinks = new Map<string, { output: Output; writer: ByteWriter | null }>()

  constructor(context: CommandContext) {
    this.context = context
    this.output = new Output(context.stdout)
    this.started = context.host.now()
    this.warns = context.isTerminal(0)
  }

  /** Writes `find: MESSAGE` to standard error, after what was printed before. */
  complain(message: string): MaybePromise<void> {
    const write = (): MaybePromise<void> => this.context.stderr.write(encode(`find: ${message}\n`))
    const flushed = this.output.flush()
    return isPromise(flushed) ? flushed.then(write) : write()
  }

  /** Says why something can't be done with a file; the run goes on and ends with status 1. */
  failed(shown: string, error: unknown, what = ''): MaybePromise<void> {
    if (!isExpected(error)) throw error
    this.status = 1
    return this.complain(`${what}${quoted(this.context, shown)}: ${errorText(error)}`)
  }

  /** A file named in the expression, its link followed or not as the files found are. */
  *reference(name: string): Steps<FileStat> {
    const { context, following } = this
    const path = operandPath(context, name)
    try {
      if (following === 'never') return yield* wait(context.fs.lstat(path))
      return yield* wait(context.fs.stat(path))
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${quoted(context, name)}: ${errorText(error)}`)
    }
  }

  /** Where `-fprint NAME` and its like write; a file named twice is written by both. */
  *sink(name: string): Steps<Output> {
    if (name === '/dev/stdout') return this.output
    const known = this.#sinks.get(name)
    if (known !== undefined) return known.output
    if (name === '/dev/stderr') {
      const output = new Output(this.context.stderr)
      this.#sinks.set(name, { output, writer: null })
      return output
    }
    try {
      const writer = yield* wait(this.context.create(operandPath(this.context, name)))
      const output = new Output(writer)
      this.#sinks.set(name, { output, writer })
      return output
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${quoted(this.context, name)}: ${errorText(error)}`)
    }
  }

  /** Writes out all that has gathered, before a command is run. */
  *flush(): Steps<void> {
    yield* wait(this.output.flush())
    for (const { output } of this.#sinks.values()) yield* wait(output.flush())
  }

  *close(): Steps<void> {
    yield* this.flush()
    for (const { writer } of this.#sinks.values()) if (writer !== null) yield* wait(writer.close())
    this.#sinks.clear()
  }
}
