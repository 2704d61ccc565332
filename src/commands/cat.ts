import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { nextChunk, openEach } from './input.ts'
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
  if (given.size === 0) return yield* openEach(context, operands, (input) => copy(input, context))
  const view = new View(given)
  const output = new Output(context.stdout)
  return yield* openEach(context, operands, function* (input) {
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

function* copy(input: ByteReader, context: CommandContext): Steps<void> {
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) return
    yield* wait(writeTo(context.stdout, chunk))
    yield* wait(context.pause())
  }
}

/** What the options make of the bytes; line numbers and empty lines count on over chunks and files. */
class View {
  readonly #numbers: 'all' | 'filled' | null
  readonly #ends: boolean
  readonly #squeeze: boolean
  /** What each byte is shown as; null where it stays. */
  readonly #shown: readonly (Uint8Array | null)[]
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
  }

  show(chunk: Uint8Array): Uint8Array {
    const built = this.#built
    const shown = this.#shown
    const returns = this.#ends && shown[13] === null
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (byte === 10) {
        this.#endLine()
        continue
      }
      this.#startLine()
      if (this.#return) this.#giveReturn()
      if (returns && byte === 13) {
        this.#return = true
        continue
      }
      const text = shown[byte]
      if (text === null || text === undefined) built.byte(byte)
      else built.append(text)
    }
    return built.take()
  }

  /** At the end of a file. */
  finish(): Uint8Array {
    if (this.#return) this.#giveReturn()
    return this.#built.take()
  }

  #startLine(): void {
    if (!this.#atStart) return
    this.#atStart = false
    this.#empty = 0
    if (this.#numbers !== null) this.#number()
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
    const built = this.#built
    this.#line += 1
    let width = 6
    while (10 ** width <= this.#line) width += 1
    built.reserve(width + 1)
    let rest = this.#line
    for (let at = built.length + width - 1; at >= built.length; at--) {
      built.buffer[at] = rest === 0 ? 0x20 : 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
    built.length += width
    built.byte(9)
  }
}

function notation(byte: number): Uint8Array {
  const low = byte & 127
  const text = `${byte >= 128 ? 'M-' : ''}${low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? '^?' : String.fromCharCode(low)}`
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}
