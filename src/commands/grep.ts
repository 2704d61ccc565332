import { decode, encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import type { FileStat, FileType } from '../fs/file-system.ts'
import { isPromise } from '../host.ts'
import { RegexError } from '../regex/regex-error.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { marked } from './grep/colors.ts'
import { GREP_HELP } from './grep/help.ts'
import { lineMatcher } from './grep/line-matcher.ts'
import { LinePrinter } from './grep/line-printer.ts'
import type { Run } from './grep/search.ts'
import { search } from './grep/search.ts'
import type { GrepSettings, PatternSyntax } from './grep/settings.ts'
import { GREP_OPTIONS, grepSettings, HelpWanted } from './grep/settings.ts'
import { wholeFile, wholeInput } from './input.ts'
import { parseOptions, UsageError } from './options.ts'
import { Output } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected } from './utility.ts'

/** `grep`: lines that match a pattern. */
export const grep: Command = command('basic')
/** `egrep`: grep with extended expressions. */
export const egrep: Command = command('extended')
/** `fgrep`: grep with plain strings. */
export const fgrep: Command = command('fixed')

function command(syntax: PatternSyntax): Command {
  return { run: (args, context) => proceed(start(args, context, syntax)) }
}

function* start(args: readonly string[], context: CommandContext, syntax: PatternSyntax): Steps<number> {
  const output = new Output(context.stdout)
  try {
    const parsed = parseOptions(args, { options: GREP_OPTIONS, numberOption: 'NUM' })
    if (parsed.asked === 'help') throw new HelpWanted()
    if (parsed.has('version')) {
      output.text('grep (mirage-runtime) 0.1.0\n')
      return 0
    }
    const settings = grepSettings(parsed, context, syntax)
    if (parsed.has('u')) yield* complain(context, 'warning: --unix-byte-offsets (-u) is obsolete')
    if (settings.maximum === 0) return 1
    return yield* new Grep(settings, context, output).run()
  } catch (error) {
    if (error instanceof HelpWanted) {
      output.text(GREP_HELP)
      return 0
    }
    yield* wait(output.flush())
    yield* report(error, context)
    return error instanceof UsageError && error.message.includes('\n') ? 1 : 2
  } finally {
    yield* wait(output.flush())
  }
}

function* report(error: unknown, context: CommandContext): Steps<void> {
  if (error instanceof UsageError) {
    const message = error.message === '' ? '' : `grep: ${error.message}\n`
    yield* wait(
      context.stderr.write(encode(`${message}Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n`)),
    )
  } else if (error instanceof CommandFailure || error instanceof RegexError) yield* complain(context, error.message)
  else throw error
}

function* complain(context: CommandContext, message: string): Steps<void> {
  yield* wait(context.stderr.write(encode(`grep: ${message}\n`)))
}

/** Files below directories are read at once up to this size, longer ones piece by piece. */
const PIECE = 1 << 20

/** Digits of the largest number where the size of an input isn't known. */
const WIDEST = 19

class Grep {
  readonly #settings: GrepSettings
  readonly #context: CommandContext
  readonly #output: Output
  #run: Run
  #failed = false
  #selected = false
  /** Nothing more can change the outcome. */
  #done = false
  #visited = 0

  constructor(settings: GrepSettings, context: CommandContext, output: Output) {
    this.#settings = settings
    this.#context = context
    this.#output = output
    this.#run = { settings, matcher: { find: () => -1, exec: () => null }, context, output, printed: false }
  }

  *run(): Steps<number> {
    const { filter, operands, directories, mode } = this.#settings
    const patterns = yield* this.#patterns()
    for (const list of filter.lists) filter.fill(list, decode(yield* this.#contentOf(list)))
    const warnings: string[] = []
    const matcher = lineMatcher(patterns, this.#settings, (message) => warnings.push(message))
    for (const message of warnings) yield* complain(this.#context, `warning: ${message}`)
    this.#run = { ...this.#run, matcher }
    if (operands.length === 0 && directories === 'recurse') yield* this.#directory('.', '', [])
    else {
      for (const operand of operands.length === 0 ? ['-'] : operands) {
        yield* this.#operand(operand)
        if (this.#done) break
      }
    }
    if (mode === 'quiet' && this.#selected) return 0
    return this.#failed ? 2 : this.#selected ? 0 : 1
  }

  *#patterns(): Steps<string[]> {
    const patterns: string[] = []
    for (const { from, value } of this.#settings.patternSources) {
      if (from === 'text') {
        patterns.push(...value.split('\n'))
        continue
      }
      const text = decode(yield* this.#contentOf(value))
      if (text !== '') patterns.push(...(text.endsWith('\n') ? text.slice(0, -1) : text).split('\n'))
    }
    return patterns
  }

  *#contentOf(path: string): Steps<Uint8Array> {
    try {
      if (path === '-') return yield* wholeInput(this.#context.stdin)
      return yield* wholeFile(path, this.#context)
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${path}: ${errorText(error)}`, 2)
    }
  }

  *#operand(operand: string): Steps<void> {
    const { directories, operands, filter, label, fileNames, readDevices } = this.#settings
    const shown = fileNames ?? operands.length > 1
    if (operand === '-') {
      if (filter.skipsFile('-')) return
      yield* this.#input(this.#context.stdin, label, shown ? label : null)
      return
    }
    const path = this.#context.resolve(operand)
    try {
      if (directories !== 'read' || !readDevices || filter.rulesDirectories) {
        const { type } = yield* wait(this.#context.fs.stat(path))
        if (type === 'directory') {
          if (directories === 'skip' || filter.skipsDirectory(operand)) return
          if (directories === 'recurse') {
            yield* this.#directory(operand, operand, [])
            return
          }
        } else if (type !== 'file' && !readDevices) return
      }
      if (filter.skipsFile(operand)) return
      const input = yield* wait(this.#context.open(path))
      try {
        yield* this.#input(input, operand, shown ? operand : null)
      } finally {
        yield* wait(input.close())
      }
    } catch (error) {
      yield* this.#fail(operand, error)
    }
  }

  /** Searches what is below a directory. `shown` is what names begin with; `above` the directories on the way, to notice loops. */
  *#directory(directory: string, shown: string, above: readonly FileStat[]): Steps<void> {
    const { fs } = this.#context
    const path = this.#context.resolve(directory)
    const { followLinks, filter } = this.#settings
    let inside = above
    try {
      if (followLinks) {
        const stat = yield* wait(fs.stat(path))
        if (above.some((one) => one.dev === stat.dev && one.ino === stat.ino)) {
          if (this.#settings.messages) yield* this.#say(`${shown}: warning: recursive directory loop`)
          return
        }
        inside = [...above, stat]
      }
      const entries = yield* wait(fs.readdir(path))
      for (const { name, type } of entries) {
        const below = shown === '' ? name : shown.endsWith('/') ? shown + name : `${shown}/${name}`
        const kind = type === 'symlink' ? yield* this.#linked(below) : type
        if (kind === 'directory') {
          if (!filter.skipsDirectory(name)) yield* this.#directory(below, below, inside)
        } else if (kind !== null && (kind === 'file' || this.#settings.readDevices) && !filter.skipsFile(name)) yield* this.#file(below)
        if (this.#done) return
      }
    } catch (error) {
      yield* this.#fail(shown, error)
    }
  }

  /** What a link leads to; null where it is not to be followed. */
  *#linked(path: string): Steps<FileType | null> {
    if (!this.#settings.followLinks) return null
    try {
      return (yield* wait(this.#context.fs.stat(this.#context.resolve(path)))).type
    } catch (error) {
      yield* this.#fail(path, error)
      return null
    }
  }

  *#file(name: string): Steps<void> {
    try {
      yield* this.#input(new FileReader(this.#context, this.#context.resolve(name)), name, this.#settings.fileNames === false ? null : name)
    } catch (error) {
      yield* this.#fail(name, error)
    }
    this.#visited += 1
    if (this.#visited % 32 === 0) yield* wait(this.#context.pause())
  }

  *#input(input: ByteReader, name: string, shownName: string | null): Steps<void> {
    const { mode, colors, nullAfterName } = this.#settings
    const { lines, binary } = yield* search(this.#run, input, shownName, yield* this.#width(name))
    if (lines > 0) this.#selected = true
    if (mode === 'count') new LinePrinter(this.#settings, this.#run.matcher, this.#output, shownName).count(lines)
    if ((mode === 'with-match' && lines > 0) || (mode === 'without-match' && lines === 0)) {
      this.#output.text(`${marked(name, colors?.fileName ?? '', colors)}${nullAfterName ? '\0' : '\n'}`)
    }
    if (mode === 'quiet' && lines > 0) this.#done = true
    if (binary) yield* this.#say(`${name}: binary file matches`)
    yield* wait(this.#output.settle())
  }

  /** With -T numbers are as wide as the largest there could be. */
  *#width(name: string): Steps<number> {
    const { initialTab, lineNumbers, label } = this.#settings
    if (!initialTab) return 0
    try {
      const { type, size } = yield* wait(this.#context.fs.stat(this.#context.resolve(name)))
      if (name !== label && type === 'file') return `${size + (lineNumbers ? 1 : 0)}`.length
    } catch (error) {
      if (!isExpected(error)) throw error
    }
    return WIDEST
  }

  *#fail(name: string, error: unknown): Steps<void> {
    if (!isExpected(error) || error instanceof RegexError) throw error
    this.#failed = true
    if (!this.#settings.messages) return
    yield* this.#say(`${name}: ${hasCode(error, 'EISDIR') ? 'Is a directory' : errorText(error)}`)
  }

  *#say(message: string): Steps<void> {
    yield* wait(this.#output.flush())
    yield* complain(this.#context, message)
  }
}

/** A file read without being opened: most are read whole at the first call. */
class FileReader implements ByteReader {
  readonly #context: CommandContext
  readonly #path: string
  #offset = 0
  #ended = false

  constructor(context: CommandContext, path: string) {
    this.#context = context
    this.#path = path
  }

  read(): ReturnType<ByteReader['read']> {
    if (this.#ended) return null
    const read = this.#context.fs.read(this.#path, this.#offset, PIECE)
    return isPromise(read) ? read.then((bytes) => this.#took(bytes)) : this.#took(read)
  }

  unread(): void {}

  close(): void {}

  #took(bytes: Uint8Array): Uint8Array | null {
    this.#offset += bytes.length
    if (bytes.length < PIECE) this.#ended = true
    return bytes.length === 0 ? null : bytes
  }
}
