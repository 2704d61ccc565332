import { decode, encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { ByteReader, Command, CommandContext, RunOptions } from './command.ts'
import { argumentBytes, signalOfStatus } from './command-line.ts'
import { Records } from './input.ts'
import { LineReader } from './line-reader.ts'
import { operandPath } from './operand-path.ts'
import { quoted, quotedName } from './quoting.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'
import type { XargsSettings } from './xargs/settings.ts'
import { XARGS_OPTIONS, xargsSettings } from './xargs/settings.ts'
import { beforeNul, WordReader } from './xargs/word-reader.ts'

/** `xargs`: runs a command with arguments read from standard input. */
export const xargs: Command = utility({
  help: `Usage: xargs [OPTION]... [COMMAND [ARGUMENT]...]
Runs COMMAND (echo when left out) with its ARGUMENTs and more that are read from standard input.

  -0, --null                  items are ended by a zero byte; quotes and backslashes are nothing special
  -a, --arg-file=FILE         read FILE, and leave standard input to the commands
  -d, --delimiter=CHARACTER   items are ended by CHARACTER; quotes and backslashes are nothing special
  -E END, -e[END], --eof[=END]  stop at the item END
  -I TEXT, -i[TEXT], --replace[=TEXT]  a command for each line, which takes the place of TEXT ({}) in the ARGUMENTs
  -L N, -l[N], --max-lines[=N]  at most N lines a command
  -n, --max-args=N            at most N items a command
  -o, --open-tty              give commands the terminal as their input
  -P, --max-procs=N           run up to N commands at a time; 0 for any number
  -p, --interactive           ask on the terminal before each command
      --process-slot-var=NAME  set NAME to a number that no other command running has
  -r, --no-run-if-empty       run nothing where there are no items
  -s, --max-chars=N           at most N bytes a command
      --show-limits           print what may be used
  -t, --verbose               print each command before it is run
  -x, --exit                  stop where a command would grow too long
      --help                  show this text
      --version               show the version
`,
  options: XARGS_OPTIONS,
  operandsEndOptions: true,
  run: (parsed, context) => new Xargs(xargsSettings(parsed, context), context).run(),
})

const RUN_FAILED = 123
const RUN_GAVE_UP = 124
const RUN_KILLED = 125
const NOT_EXECUTABLE = 126
const NOT_FOUND = 127

const NO_BYTES = new Uint8Array(0)

/** Input that is at its end. */
const NOTHING: ByteReader = { read: () => null, unread: () => undefined, close: () => undefined }

class Xargs {
  readonly #settings: XargsSettings
  readonly #context: CommandContext
  readonly #initialBytes: number
  #arguments: string[] = []
  #bytes = 0
  #lines = 0
  #hasRun = false
  #status = 0
  /** No more commands are to be started. */
  #isOver = false
  readonly #running = new Set<Promise<void>>()
  readonly #slots: boolean[] = []
  #terminal: ByteReader | null = null
  #answers: LineReader | null = null

  constructor(settings: XargsSettings, context: CommandContext) {
    this.#settings = settings
    this.#context = context
    this.#initialBytes = settings.argv.reduce((sum, word) => sum + argumentBytes(word), 0)
  }

  async run(): Promise<number> {
    const { messages, replace, maxBytes, runIfEmpty } = this.#settings
    for (const message of messages) {
      await this.#context.stderr.write(encode(message.startsWith('\0') ? `${message.slice(1)}\n` : `xargs: ${message}\n`))
    }
    if (replace === null && this.#initialBytes > maxBytes) {
      throw new CommandFailure('cannot fit single argument within argument list size limit')
    }
    const input = await this.#open()
    try {
      if (this.#settings.delimiter === null) await this.#readWords(input)
      else await this.#readItems(input, this.#settings.delimiter)
      if (!this.#isOver && (this.#arguments.length > 0 || (!this.#hasRun && runIfEmpty))) await this.#start()
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      await Promise.all(this.#running)
      throw new CommandFailure(error.message, this.#status || error.status)
    } finally {
      await Promise.all(this.#running)
      if (input !== this.#context.stdin) await input.close()
      await this.#terminal?.close()
    }
    return this.#status
  }

  async #open(): Promise<ByteReader> {
    const { file } = this.#settings
    if (file === null || file === '-') return this.#context.stdin
    try {
      return await this.#context.open(operandPath(this.#context, file))
    } catch (error) {
      if (!isExpected(error)) throw error
      if (errorText(error) === 'Is a directory') return NOTHING
      throw new CommandFailure(`Cannot open input file ${quoted(this.#context, file)}: ${errorText(error)}`)
    }
  }

  async #readWords(input: ByteReader): Promise<void> {
    const { end, replace, maxLines } = this.#settings
    const reader = new WordReader({ lines: replace !== null, countsLines: maxLines > 0, end })
    const records = new Records(input)
    let warned = false
    for (;;) {
      const piece = await records.bytes()
      const isLast = piece === null || piece.at(-1) !== 10
      const { words, endsLine, isEnd, open, hasNul } = reader.read(piece ?? NO_BYTES, isLast)
      if (hasNul && !warned) {
        warned = true
        await this.#complain(
          'WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?',
        )
      }
      for (const [index, word] of words.entries()) {
        const added = this.#add(word, endsLine[index] === true)
        if (!isPromise(added)) continue
        await added
        if (this.#isOver) return
      }
      if (open !== null) {
        await this.#checkLength(open.text)
        await this.#runWhatThereIs()
        throw new CommandFailure(`unmatched ${open.quote} quote; by default quotes are special to xargs unless you use the -0 option`)
      }
      if (isEnd || isLast) return
    }
  }

  async #readItems(input: ByteReader, delimiter: number): Promise<void> {
    const reader = new LineReader(input, delimiter)
    for (;;) {
      const more = reader.advance()
      if (!(isPromise(more) ? await more : more)) return
      const added = this.#add(decode(reader.bytes.subarray(reader.start, reader.end)), true)
      if (!isPromise(added)) continue
      await added
      if (this.#isOver) return
    }
  }

  /** Answers at once while a command gathers. */
  #add(item: string, endsLine: boolean): MaybePromise<void> {
    const { replace, maxBytes } = this.#settings
    const size = argumentBytes(item)
    const fits = replace === null && this.#initialBytes + this.#bytes + size <= maxBytes
    return fits ? this.#gather(item, size, endsLine) : this.#makeRoom(item, size, endsLine)
  }

  #gather(item: string, size: number, endsLine: boolean): MaybePromise<void> {
    const { maxArgs, maxLines } = this.#settings
    this.#arguments.push(beforeNul(item))
    this.#bytes += size
    if (endsLine) this.#lines += 1
    return this.#arguments.length === maxArgs || (maxLines > 0 && this.#lines >= maxLines) ? this.#start() : undefined
  }

  async #makeRoom(item: string, size: number, endsLine: boolean): Promise<void> {
    const { replace, maxArgs, maxLines, exitWhenTooLong } = this.#settings
    await this.#checkLength(item)
    if (replace !== null) {
      await this.#runReplaced(item, replace)
      return
    }
    if (exitWhenTooLong && (maxLines > 0 || maxArgs > 0)) throw new CommandFailure('argument list too long')
    await this.#start()
    if (!this.#isOver) await this.#gather(item, size, endsLine)
  }

  /** An item that no command line has room for ends it all. */
  async #checkLength(item: string): Promise<void> {
    const { replace, maxBytes } = this.#settings
    if (argumentBytes(item) <= maxBytes - (replace === null ? this.#initialBytes : 0)) return
    await this.#runWhatThereIs()
    throw new CommandFailure('argument line too long')
  }

  /** Before an error in the input ends all. */
  async #runWhatThereIs(): Promise<void> {
    const { exitWhenTooLong } = this.#settings
    if (this.#arguments.length > 0 && !exitWhenTooLong) await this.#start()
  }

  async #runReplaced(item: string, pattern: string): Promise<void> {
    const { argv, maxBytes } = this.#settings
    const [command = '', ...words] = argv
    if (pattern === '' && words.length > 0) throw new CommandFailure('command too long')
    const replaced = words.map((word) => word.replaceAll(pattern, () => item))
    if (replaced.some((word) => argumentBytes(word) >= maxBytes)) throw new CommandFailure('command too long')
    const size = [command, ...replaced].reduce((sum, word) => sum + argumentBytes(word), 0)
    if (size > maxBytes) throw new CommandFailure('argument list too long')
    await this.#launch([command, ...replaced.map(beforeNul)])
  }

  async #start(): Promise<void> {
    const argv = [...this.#settings.argv, ...this.#arguments]
    this.#arguments = []
    this.#bytes = 0
    this.#lines = 0
    await this.#launch(argv)
  }

  async #launch(argv: readonly string[]): Promise<void> {
    const { trace, ask, maxProcesses } = this.#settings
    this.#hasRun = true
    const paused = this.#context.pause()
    if (paused !== undefined) await paused
    if (trace && !(await this.#announce(argv, ask))) return
    while (this.#running.size >= maxProcesses) {
      await Promise.race(this.#running)
      if (this.#isOver) return
    }
    const options: { -readonly [K in keyof RunOptions]: RunOptions[K] } = {}
    if (this.#settings.openTerminal) options.stdin = await this.#openTerminal()
    else if (this.#settings.file === null) options.stdin = NOTHING
    const slot = this.#takeSlot()
    if (this.#settings.slotVariable !== null) {
      options.env = new Map(this.#context.env).set(this.#settings.slotVariable, String(slot))
    }
    const ending = this.#context.run(argv, options).then(async (status) => {
      this.#slots[slot] = false
      await this.#judge(status, argv[0] as string)
    })
    if (maxProcesses === 1) {
      await ending
      return
    }
    const running: Promise<void> = ending.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  #takeSlot(): number {
    const free = this.#slots.indexOf(false)
    const slot = free < 0 ? this.#slots.length : free
    this.#slots[slot] = true
    return slot
  }

  async #judge(status: number, command: string): Promise<void> {
    if (status === 0) return
    if (status === 255) {
      this.#isOver = true
      this.#status = RUN_GAVE_UP
      await this.#complain(`${command}: exited with status 255; aborting`)
      return
    }
    const signal = signalOfStatus(status)
    if (signal !== null) {
      this.#isOver = true
      this.#status = RUN_KILLED
      await this.#complain(`${command}: terminated by signal ${signal}`)
      return
    }
    if ((status === NOT_FOUND || status === NOT_EXECUTABLE) && !(await this.#isProgram(command))) {
      this.#isOver = true
      this.#status = status
      return
    }
    if (!this.#isOver) this.#status = RUN_FAILED
  }

  /** Tells a command that isn't there from one that ends with that status itself. */
  async #isProgram(command: string): Promise<boolean> {
    const folders = command.includes('/') ? [null] : (this.#context.env.get('PATH') ?? '').split(':')
    for (const folder of folders) {
      try {
        const path = folder === null ? command : `${folder || '.'}/${command}`
        const { type, mode } = await this.#context.fs.stat(operandPath(this.#context, path))
        if (type !== 'directory' && (mode & 0o111) !== 0) return true
      } catch (error) {
        if (!isExpected(error)) throw error
      }
    }
    return false
  }

  /** Prints the command; with `ask`, whether it may be run. */
  async #announce(argv: readonly string[], ask: boolean): Promise<boolean> {
    await this.#context.stderr.write(encode(argv.map(shellWord).join(' ') + (ask ? '?...' : '\n')))
    if (!ask) return true
    this.#answers ??= new LineReader(await this.#openTerminal())
    const lines = this.#answers
    return (await lines.advance()) && /^[yY]/.test(decode(lines.bytes.subarray(lines.start, lines.end)))
  }

  async #openTerminal(): Promise<ByteReader> {
    try {
      this.#terminal ??= await this.#context.open('/dev/tty')
      return this.#terminal
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`failed to open /dev/tty for reading: ${errorText(error)}`)
    }
  }

  async #complain(message: string): Promise<void> {
    await this.#context.stderr.write(encode(`xargs: ${message}\n`))
  }
}

/** As a shell would take it; unlike a file's name in a message, a colon is nothing special. */
function shellWord(word: string): string {
  const plain = word.replaceAll(':', '.')
  return quotedName(plain) === plain ? word : quotedName(word)
}
