import { concat, decode, encode } from '../../bytes.ts'
import type { ByteReader, CommandContext, RunOptions } from '../command.ts'
import { argumentBytes, COMMAND_LINE_BYTES, signalOfStatus } from '../command-line.ts'
import { quoted } from '../quoting.ts'
import type { Steps } from '../steps.ts'
import { proceed, wait } from '../steps.ts'
import { CommandFailure } from '../utility.ts'
import type { Primary } from './expression.ts'
import type { FoundFile } from './found-file.ts'
import type { FindRun } from './run.ts'

/** What follows `-exec` and its kin. */
export interface CommandWords {
  /** Arguments read, with the end mark. */
  readonly length: number
  readonly argv: readonly string[]
  /** It ended in `{} +`; `argv` lacks the `{}`. */
  readonly gathers: boolean
}

/** How a command of the expression is run. */
export interface CommandKind {
  readonly name: string
  /** The user is asked first. */
  readonly asks: boolean
  /** In the directory of the file. */
  readonly inDirectory: boolean
}

/** Reads the words of a command up to `;` or `{} +`. */
export function readCommand(args: readonly string[], { name, asks }: CommandKind, context: CommandContext): CommandWords {
  let placeholders = 0
  let glued: string | null = null
  let end = -1
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === ';') {
      if (at === 0) throw new CommandFailure(`invalid argument \`;' to \`${name}'`)
      return { length: at + 1, argv: args.slice(0, at), gathers: false }
    }
    if (arg === '+' && !asks) {
      const before = args[at - 1] ?? ''
      if (before === '{}') {
        end = at
        break
      }
      if (before.includes('{}')) glued ??= before
    }
    if (arg.includes('{}')) placeholders += 1
  }
  if (end < 0 && glued === null) throw new CommandFailure(`missing argument to \`${name}'`)
  if (end < 0) {
    throw new CommandFailure(
      `In ${quoted(context, `${name} ... {} +`)} the ${quoted(context, '{}')} must appear by itself, but you specified ${quoted(context, glued ?? '')}`,
    )
  }
  if (placeholders > 1) throw new CommandFailure(`Only one instance of {} is supported with ${name} ... +`)
  return { length: end + 1, argv: args.slice(0, end - 1), gathers: true }
}

/** The action that runs a command for each file, or for as many as a command line takes. */
export function commandAction(run: FindRun, words: CommandWords, kind: CommandKind): Primary {
  if (kind.inDirectory) checkSearchPath(run.context)
  if (!words.gathers) return { cost: null, test: (file) => proceed(runFor(run, file, words.argv, kind)) }
  const batch = new Batch(run, words.argv)
  run.batches.push(() => proceed(batch.finish()))
  return {
    cost: null,
    test: (file) =>
      kind.inDirectory
        ? proceed(batch.add(`${file.name === '/' ? '' : './'}${file.base}`, file.directory))
        : proceed(batch.add(file.shown, null)),
  }
}

function* runFor(run: FindRun, file: FoundFile, argv: readonly string[], { asks, inDirectory }: CommandKind): Steps<boolean> {
  const { context } = run
  const name = inDirectory ? `${file.name === '/' ? '' : './'}${file.base}` : file.shown
  yield* run.flush()
  if (asks) {
    yield* wait(context.stderr.write(encode(`< ${argv[0]} ... ${file.shown} > ? `)))
    if (!/^[yY]/.test(yield* answer(context.stdin))) return false
  }
  const options: { -readonly [K in keyof RunOptions]: RunOptions[K] } = {}
  if (inDirectory) options.cwd = file.directory
  if (asks || run.stdinTaken) options.stdin = NOTHING
  const words = argv.map((word) => (word.includes('{}') ? word.replaceAll('{}', () => name) : word))
  return (yield* statusOf(run, words, options)) === 0
}

function* statusOf(run: FindRun, argv: readonly string[], options: RunOptions): Steps<number> {
  const { context } = run
  const paused = context.pause()
  if (paused !== undefined) yield* wait(paused)
  const status = yield* wait(context.run(argv, options))
  const signal = signalOfStatus(status)
  if (signal !== null) yield* wait(run.complain(`${quoted(context, argv[0] as string)} terminated by signal ${signal}`))
  return status
}

/** A line of input; the rest stays for whoever reads next. */
function* answer(stdin: ByteReader): Steps<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    const chunk = yield* wait(stdin.read())
    if (chunk === null) break
    const end = chunk.indexOf(10)
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end))
    if (end < 0) continue
    if (end + 1 < chunk.length) stdin.unread(chunk.subarray(end + 1))
    break
  }
  return decode(concat(chunks))
}

/** Gathers files for one command line. */
class Batch {
  readonly #run: FindRun
  readonly #argv: readonly string[]
  readonly #room: number
  #names: string[] = []
  #size = 0
  #directory: string | null = null

  constructor(run: FindRun, argv: readonly string[]) {
    this.#run = run
    this.#argv = argv
    this.#room = COMMAND_LINE_BYTES - argv.reduce((sum, word) => sum + argumentBytes(word), 0)
  }

  *add(name: string, directory: string | null): Steps<true> {
    const size = argumentBytes(name)
    if (directory !== this.#directory || this.#size + size > this.#room) yield* this.finish()
    this.#directory = directory
    this.#names.push(name)
    this.#size += size
    return true
  }

  *finish(): Steps<void> {
    if (this.#names.length === 0) return
    const argv = [...this.#argv, ...this.#names]
    this.#names = []
    this.#size = 0
    yield* this.#run.flush()
    const options: { -readonly [K in keyof RunOptions]: RunOptions[K] } = {}
    if (this.#directory !== null) options.cwd = this.#directory
    if (this.#run.stdinTaken) options.stdin = NOTHING
    if ((yield* statusOf(this.#run, argv, options)) !== 0) this.#run.status = 1
  }
}

/** Input that is at its end. */
const NOTHING: ByteReader = { read: () => null, unread: () => undefined, close: () => undefined }

function checkSearchPath(context: CommandContext): void {
  for (const folder of (context.env.get('PATH') ?? '/').split(':')) {
    if (folder.startsWith('/')) continue
    if (folder === '' || folder === '.') {
      throw new CommandFailure(
        'The current directory is included in the PATH environment variable, which is insecure in combination with the -execdir action of find.  Please remove the current directory from your $PATH (that is, remove ".", doubled colons, or leading or trailing colons)',
      )
    }
    throw new CommandFailure(
      `The relative path ${quoted(context, folder)} is included in the PATH environment variable, which is insecure in combination with the -execdir action of find.  Please remove that entry from $PATH`,
    )
  }
}
