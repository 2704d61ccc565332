import { concat, decode, encode } from '../../bytes.ts'
import { errorText, hasCode } from '../../errors.ts'
import { basename, dirname } from '../../fs/path.ts'
import { RegexError } from '../../regex/regex-error.ts'
import { bytewise } from '../byte-text.ts'
import type { ByteWriter, Command, CommandContext } from '../command.ts'
import { wholeFile, wholeInput } from '../input.ts'
import { hasByteCharacters } from '../locale.ts'
import type { OptionTable, ParsedOptions } from '../options.ts'
import { parseOptions, UsageError } from '../options.ts'
import { say } from '../output.ts'
import type { Steps } from '../steps.ts'
import { proceed, wait } from '../steps.ts'
import { CommandFailure, isExpected } from '../utility.ts'
import { SedInput } from './input.ts'
import type { Appended } from './machine.ts'
import { SedMachine } from './machine.ts'
import { SedOutput } from './output.ts'
import type { ScriptPart } from './parser.ts'
import { parseScript } from './parser.ts'

const HELP = `Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...

  -n, --quiet, --silent      print only what is asked for
      --debug                accepted and ignored
  -e, --expression=SCRIPT    add SCRIPT to what is run
  -f, --file=FILE            add the contents of FILE
      --follow-symlinks      follow symbolic links when editing in place
  -i[SUFFIX], --in-place[=SUFFIX]
                             edit files in place, keeping a copy if SUFFIX is given
  -l, --line-length=N        where the l command breaks lines
      --posix                no GNU extensions that change what POSIX says
  -E, -r, --regexp-extended  extended regular expressions
  -s, --separate             take files as separate streams
      --sandbox              refuse the e, r and w commands
  -u, --unbuffered           accepted: nothing is held back anyway
  -z, --null-data            lines end with a zero byte
      --help                 show this help
      --version              show the version

Without -e and -f the first operand is the script. Without an input file, or
where it is -, read standard input.
`

const OPTIONS: OptionTable = {
  'n|quiet|silent': 'none',
  debug: 'none',
  'e|expression': 'required',
  'f|file': 'required',
  'follow-symlinks': 'none',
  'i|in-place': 'optional',
  'l|line-length': 'required',
  posix: 'none',
  'E|r|regexp-extended': 'none',
  's|separate': 'none',
  sandbox: 'none',
  'u|unbuffered': 'none',
  'z|null-data|zero-terminated': 'none',
  b: 'none',
}

/** `sed`: edits lines as a script says. */
export const sed: Command = { run: (args, context) => proceed(start(args, context)) }

function* start(args: readonly string[], context: CommandContext): Steps<number> {
  try {
    const parsed = parseOptions(args, { options: OPTIONS })
    if (parsed.asked === 'help') return yield* wait(say(context.stdout, HELP))
    if (parsed.asked === 'version') return yield* wait(say(context.stdout, 'sed (mirage-runtime) 0.1.0\n'))
    return yield* new Sed(parsed, context).run()
  } catch (error) {
    if (error instanceof UsageError) {
      const message = error.message === '' ? '' : `sed: ${error.message}\n`
      return yield* wait(say(context.stderr, message + HELP, 1))
    }
    if (error instanceof CommandFailure) return yield* wait(say(context.stderr, `sed: ${error.message}\n`, error.status))
    if (error instanceof RegexError) return yield* wait(say(context.stderr, `sed: ${error.message}\n`, 4))
    throw error
  }
}

class Sed {
  readonly #context: CommandContext
  readonly #parsed: ParsedOptions
  readonly #bytes: boolean
  readonly #terminator: '\n' | '\0'
  readonly #stdout: SedOutput
  readonly #outputs = new Map<string, SedOutput>()
  readonly #linesOf = new Map<string, string[]>()
  #status = 0
  #editing: InPlaceFile | null = null

  constructor(parsed: ParsedOptions, context: CommandContext) {
    this.#context = context
    this.#parsed = parsed
    this.#bytes = hasByteCharacters(context)
    this.#terminator = parsed.has('z') ? '\0' : '\n'
    this.#stdout = new SedOutput(context.stdout, this.#terminator)
  }

  *run(): Steps<number> {
    const parsed = this.#parsed
    const operands = [...parsed.operands]
    const parts = yield* this.#parts(operands)
    const posix = parsed.has('posix')
    const script = parseScript(parts, { posix, sandbox: parsed.has('sandbox'), bytes: this.#bytes })
    const inPlace = parsed.has('i')
    const separate = inPlace || parsed.has('s')
    for (const file of script.outputs) yield* this.#openOutput(file)
    const input = new SedInput(this.#context, operands.length === 0 ? ['-'] : operands, {
      terminator: this.#terminator,
      bytes: this.#bytes,
      separate,
      begin: (name) => this.#begin(name),
      report: (name, error) => this.#report(name, error),
    })
    const machine = new SedMachine(script, input, this.#stdout, {
      silent: parsed.has('n') || script.silent,
      posix,
      width: Number.parseInt(parsed.value('l') ?? '70', 10) || 0,
      terminator: this.#terminator,
      where: `-e expression #${parts.filter(({ file }) => file === null).length}, char 0`,
      outputOf: (file) => this.#outputs.get(file) as SedOutput,
    })
    try {
      yield* this.#drive(machine, input, separate)
      yield* this.#finishEditing()
    } finally {
      yield* input.stop()
      yield* this.#stdout.flush()
      for (const [file, output] of this.#outputs) if (!SPECIAL.has(file)) yield* output.close()
    }
    return machine.status > 0 ? machine.status : this.#status
  }

  *#drive(machine: SedMachine, input: SedInput, separate: boolean): Steps<void> {
    let started = separate
    for (;;) {
      const stop = machine.run()
      switch (stop) {
        case 'quit':
          return
        case 'file': {
          yield* this.#finishEditing()
          if (!(yield* input.begin())) return
          machine.reset()
          this.#linesOf.clear()
          const editing = this.#editing as InPlaceFile | null
          machine.output = editing?.output ?? this.#stdout
          machine.prologue()
          yield* this.#append(machine)
          break
        }
        case 'more':
          yield* input.fill(() => this.#flush())
          if (!started) {
            started = true
            machine.prologue()
            yield* this.#append(machine)
          }
          break
        case 'append':
          yield* this.#append(machine)
          break
        case 'rest':
          yield* machine.output.settle()
          for (const output of this.#outputs.values()) yield* output.settle()
          yield* wait(this.#context.pause())
          break
        default:
          stop satisfies never
      }
    }
  }

  *#flush(): Steps<void> {
    yield* this.#stdout.flush()
    for (const output of this.#outputs.values()) yield* output.flush()
  }

  /** Writes what `a`, `r` and `R` have queued. */
  *#append(machine: SedMachine): Steps<void> {
    const entries: readonly Appended[] = machine.appended
    machine.appended = []
    for (const entry of entries) {
      if ('text' in entry) machine.output.raw(entry.text)
      else if (entry.oneLine) {
        const line = yield* this.#lineOf(entry.file)
        if (line !== undefined) machine.output.line(line, true)
      } else {
        machine.output.raw('')
        machine.output.bytes(yield* this.#contentOf(entry.file))
      }
      yield* machine.output.settle()
    }
  }

  /** The next line of a file for `R`. */
  *#lineOf(file: string): Steps<string | undefined> {
    let lines = this.#linesOf.get(file)
    if (lines === undefined) {
      const text = decode(yield* this.#contentOf(file))
      lines = text === '' ? [] : (text.endsWith(this.#terminator) ? text.slice(0, -1) : text).split(this.#terminator).reverse()
      this.#linesOf.set(file, lines)
    }
    return lines.pop()
  }

  /** What a file holds; nothing where it can't be read. */
  *#contentOf(file: string): Steps<Uint8Array> {
    for (const output of this.#outputs.values()) yield* output.flush()
    try {
      if (file === '/dev/stdin') return yield* wholeInput(this.#context.stdin)
      return yield* wholeFile(file, this.#context)
    } catch (error) {
      if (!isExpected(error)) throw error
      return new Uint8Array(0)
    }
  }

  *#parts(operands: string[]): Steps<ScriptPart[]> {
    const parts: ScriptPart[] = []
    let extended = false
    for (const { name, value } of this.#parsed.options) {
      if (name === 'E') extended = true
      else if (name === 'e') parts.push({ text: value ?? '', file: null, extended })
      else if (name === 'f') parts.push({ text: yield* this.#scriptFile(value ?? ''), file: value, extended })
    }
    if (parts.length === 0) {
      const first = operands.shift()
      if (first === undefined) throw new UsageError('')
      parts.push({ text: first, file: null, extended })
    }
    return this.#bytes ? parts.map((part) => ({ ...part, text: bytewise(part.text) })) : parts
  }

  *#scriptFile(path: string): Steps<string> {
    try {
      if (path === '-') return decode(yield* wholeInput(this.#context.stdin))
      const input = yield* wait(this.#context.open(this.#context.resolve(path)))
      try {
        const text = decode(yield* wholeInput(input))
        return text.endsWith('\n') ? text.slice(0, -1) : text
      } finally {
        yield* wait(input.close())
      }
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`couldn't open file ${path}: ${errorText(error)}`, 4)
    }
  }

  *#openOutput(file: string): Steps<void> {
    if (file === '/dev/stdout') this.#outputs.set(file, this.#stdout.twin())
    else if (file === '/dev/stderr') this.#outputs.set(file, new SedOutput(this.#context.stderr, this.#terminator))
    else {
      try {
        this.#outputs.set(file, new SedOutput(yield* wait(this.#context.create(this.#context.resolve(file))), this.#terminator))
      } catch (error) {
        if (!isExpected(error)) throw error
        throw new CommandFailure(`couldn't open file ${file}: ${errorText(error)}`, 4)
      }
    }
  }

  *#report(name: string, error: unknown): Steps<void> {
    if (!isExpected(error)) throw error
    yield* this.#flush()
    if (hasCode(error, 'EISDIR')) throw new CommandFailure(`read error on ${name}: Is a directory`, 4)
    yield* wait(this.#context.stderr.write(encode(`sed: can't read ${name}: ${errorText(error)}\n`)))
    this.#status = 2
  }

  /** Before a file is read; false where it can't be edited. */
  *#begin(name: string): Steps<boolean> {
    if (!this.#parsed.has('i')) return true
    const { fs } = this.#context
    if (name === '-') throw new CommandFailure("couldn't edit -: not a regular file", 4)
    let path = this.#context.resolve(name)
    try {
      const stat = yield* wait(fs.stat(path))
      if (stat.type !== 'file') throw new CommandFailure(`couldn't edit ${name}: not a regular file`, 4)
      if (this.#parsed.has('follow-symlinks')) path = yield* this.#target(path)
      this.#editing = new InPlaceFile(path, stat.mode, this.#terminator)
      return true
    } catch (error) {
      if (!isExpected(error)) throw error
      yield* this.#report(name, error)
      return false
    }
  }

  /** Where a chain of links ends. */
  *#target(path: string): Steps<string> {
    const { fs } = this.#context
    let at = path
    for (let links = 0; links < 40; links++) {
      if ((yield* wait(fs.lstat(at))).type !== 'symlink') break
      const text = yield* wait(fs.readlink(at))
      at = text.startsWith('/') ? text : `${dirname(at)}/${text}`
    }
    return at
  }

  /** Puts what was written in the place of the file. */
  *#finishEditing(): Steps<void> {
    const editing = this.#editing
    if (editing === null) return
    this.#editing = null
    yield* editing.output.flush()
    const { fs } = this.#context
    const { path, mode } = editing
    const suffix = this.#parsed.value('i')
    const directory = dirname(path)
    const temporary = `${directory === '/' ? '' : directory}/sed${this.#randomName()}`
    try {
      yield* wait(fs.write(temporary, editing.content(), { mode }))
      yield* this.#setMode(temporary, mode)
      if (suffix !== null && suffix !== '') yield* wait(fs.rename(path, backupPath(path, suffix, this.#context)))
      yield* wait(fs.rename(temporary, path))
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`couldn't open temporary file ${temporary}: ${errorText(error)}`, 4)
    }
  }

  /** A back end without modes has the text all the same. */
  *#setMode(path: string, mode: number): Steps<void> {
    try {
      yield* wait(this.#context.fs.setattr(path, { mode }))
    } catch (error) {
      if (!hasCode(error, 'ENOTSUP')) throw error
    }
  }

  #randomName(): string {
    const bytes = new Uint8Array(6)
    this.#context.host.random(bytes)
    return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SPECIAL: ReadonlySet<string> = new Set(['/dev/stdout', '/dev/stderr'])

/** A suffix with `*` in it is a pattern for the name; with a slash, of another directory. */
function backupPath(path: string, suffix: string, context: CommandContext): string {
  const name = basename(path)
  const backup = suffix.includes('*') ? suffix.replaceAll('*', name) : name + suffix
  return backup.includes('/') ? context.resolve(backup) : `${dirname(path)}/${backup}`
}

/** A file that is being edited: what is to replace it gathers here. */
class InPlaceFile {
  readonly path: string
  readonly mode: number
  readonly output: SedOutput
  readonly #chunks: Uint8Array[] = []

  constructor(path: string, mode: number, terminator: string) {
    this.path = path
    this.mode = mode
    const to: ByteWriter = {
      write: (bytes) => {
        this.#chunks.push(bytes)
      },
      close: () => undefined,
    }
    this.output = new SedOutput(to, terminator)
  }

  content(): Uint8Array {
    return concat(this.#chunks)
  }
}
