import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { nextChunk, openEach } from './input.ts'
import { lineEnds } from './line-ends.ts'
import type { ParsedOptions } from './options.ts'
import { Output, writeTo } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { utility } from './utility.ts'

const HELP = `Usage: cat [OPTION]... [FILE]...
Write the contents of each FILE, one after another, to standard output.
Standard input is read for - and where no FILE is given.

  -A, --show-all           same as -vET
  -b, --number-nonblank    number the lines that are not empty; overrides -n
  -e                       same as -vE
  -E, --show-ends          mark each end of line with $
  -n, --number             number all lines
  -s, --squeeze-blank      keep one of several empty lines in a row
  -t                       same as -vT
  -T, --show-tabs          show a tab as ^I
  -u                       accepted and ignored
  -v, --show-nonprinting   show control characters as ^X and high bytes as M-X
      --help               show this help
      --version            show the version
`

/** `cat`: files one after another. */
export const cat: Command = utility({
  help: HELP,
  options: {
    'A|show-all': 'none',
    'b|number-nonblank': 'none',
    e: 'none',
    'E|show-ends': 'none',
    'n|number': 'none',
    's|squeeze-blank': 'none',
    t: 'none',
    'T|show-tabs': 'none',
    u: 'none',
    'v|show-nonprinting': 'none',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

function* run({ options, operands }: ParsedOptions, context: CommandContext): Steps<number> {
  const given = new Set(options.map(({ name }) => name))
  given.delete('u')
  if (given.size === 0) return yield* openEach(context, operands, (input, name) => copy(input, name, context))
  const view = new View(given)
  const output = new Output(context.stdout)
  return yield* openEach(context, operands, function* (input, name) {
    yield* demandOther(name, context)
    for (;;) {
      const chunk = yield* nextChunk(input, output)
      if (chunk === null) break
      output.bytes(view.show(chunk))
      yield* wait(output.settle())
      yield* wait(context.pause())
    }
    output.bytes(view.finish())
    yield* wait(output.flush())
  })
}

function* copy(input: ByteReader, name: string, context: CommandContext): Steps<void> {
  yield* demandOther(name, context)
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) return
    yield* wait(writeTo(context.stdout, chunk))
    yield* wait(context.pause())
  }
}

/** A file that is copied to its own end would never end. */
class InputIsOutput extends Error {
  override readonly name: string = 'InputIsOutput'
  readonly code = 'INPUT_IS_OUTPUT'
}

function* demandOther(name: string, context: CommandContext): Steps<void> {
  const { outputFile, fs } = context
  if (outputFile === undefined || outputFile === null || name === '-') return
  const input = yield* wait(fs.stat(context.resolve(name)))
  const output = yield* wait(fs.stat(outputFile))
  if (input.dev === output.dev && input.ino === output.ino && input.size > 0) throw new InputIsOutput('input file is output file')
}

/** What the options make of the bytes; line numbers and empty lines count on over chunks and files. */
class View {
  readonly #numbers: 'all' | 'filled' | null
  readonly #ends: boolean
  readonly #squeeze: boolean
  /** What each byte is shown as; null where it stays. */
  readonly #shown: readonly (Uint8Array | null)[]
  /** Nothing but newlines is shown otherwise. */
  readonly #plain: boolean
  readonly #asIs: Uint8Array
  readonly #built = new ByteBuilder()
  #line = 0
  #atStart = true
  #empty = 0
  /** A carriage return was last, which -E shows when a newline follows. */
  #return = false

  constructor(given: ReadonlySet<string>) {
    const visible = ['A', 'e', 't', 'v'].some((name) => given.has(name))
    const tabs = ['A', 't', 'T'].some((name) => given.has(name))
    this.#numbers = given.has('b') ? 'filled' : given.has('n') ? 'all' : null
    this.#ends = ['A', 'e', 'E'].some((name) => given.has(name))
    this.#squeeze = given.has('s')
    this.#shown = Array.from({ length: 256 }, (_, byte) => {
      if (byte === 9) return tabs ? notation(byte) : null
      return visible && byte !== 10 && (byte < 32 || byte >= 127) ? notation(byte) : null
    })
    this.#asIs = Uint8Array.from(this.#shown, (text) => (text === null ? 1 : 0))
    this.#plain = this.#shown.every((text) => text === null)
  }

  show(chunk: Uint8Array): Uint8Array {
    let start = 0
    for (const end of lineEnds(chunk, 10)) {
      if (end > start) this.#segment(chunk, start, end)
      if (end < chunk.length) this.#endLine()
      start = end + 1
    }
    return this.#built.take()
  }

  /** At the end of a file. */
  finish(): Uint8Array {
    if (this.#return) this.#giveReturn()
    return this.#built.take()
  }

  /** Bytes of one line without a newline. */
  #segment(chunk: Uint8Array, start: number, end: number): void {
    if (this.#atStart) {
      this.#atStart = false
      this.#empty = 0
      if (this.#numbers !== null) this.#number()
    }
    if (this.#return) this.#giveReturn()
    let stop = end
    if (this.#ends && chunk[end - 1] === 13 && this.#shown[13] === null) {
      this.#return = true
      stop -= 1
    }
    if (this.#plain) this.#built.appendPart(chunk, start, stop)
    else this.#notations(chunk, start, stop)
  }

  #notations(chunk: Uint8Array, start: number, end: number): void {
    const asIs = this.#asIs
    for (let at = start; at < end; at++) {
      const run = at
      while (at < end && asIs[chunk[at] as number] === 1) at += 1
      if (at > run) this.#built.appendPart(chunk, run, at)
      if (at < end) this.#built.append(this.#shown[chunk[at] as number] as Uint8Array)
    }
  }

  #endLine(): void {
    const built = this.#built
    if (this.#atStart) {
      this.#empty += 1
      if (this.#squeeze && this.#empty > 1) return
      if (this.#numbers === 'all') this.#number()
    }
    if (this.#return) {
      built.byte(0x5e)
      built.byte(0x4d)
      this.#return = false
    }
    if (this.#ends) built.byte(0x24)
    built.byte(10)
    this.#atStart = true
  }

  #giveReturn(): void {
    this.#built.byte(13)
    this.#return = false
  }

  #number(): void {
    this.#line += 1
    this.#built.decimal(this.#line, 6)
    this.#built.byte(9)
  }
}

function notation(byte: number): Uint8Array {
  const low = byte & 127
  const text = `${byte >= 128 ? 'M-' : ''}${low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? '^?' : String.fromCharCode(low)}`
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}
