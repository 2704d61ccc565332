import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import { nextChunk, openEach } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import { quoted } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, utility } from './utility.ts'

const HELP = `Usage: fold [OPTION]... [FILE]...
Break the lines of each FILE that are longer than the width.
Standard input is read for - and where no FILE is given.

  -b, --bytes         count bytes rather than columns
  -s, --spaces        break behind a blank where there is one
  -w, --width=WIDTH   WIDTH columns instead of 80
      --help          show this help
      --version       show the version
`

/** `fold`: lines broken at a width. */
export const fold: Command = {
  run: (args, context) => modern.run(args.map(modernWidth), context),
}

const modern: Command = utility({
  help: HELP,
  options: { 'b|bytes': 'none', 's|spaces': 'none', 'w|width': 'required' },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** `-20`, the old way to write `-w20`. */
function modernWidth(arg: string): string {
  return /^-[0-9]/.test(arg) ? `-w${arg.slice(1)}` : arg
}

function* run({ options, operands, has }: ParsedOptions, context: CommandContext): Steps<number> {
  let width = 80
  for (const { name, value } of options) if (name === 'w') width = widthOf(value ?? '', context)
  const output = new Output(context.stdout)
  return yield* openEach(context, operands, function* (input) {
    const folding = new Folding(width, has('b'), has('s'))
    for (;;) {
      const chunk = yield* nextChunk(input, output)
      if (chunk === null) break
      output.bytes(folding.add(chunk))
      yield* wait(output.settle())
      yield* wait(context.pause())
    }
    output.bytes(folding.finish())
    yield* wait(output.flush())
  })
}

function widthOf(text: string, context: CommandContext): number {
  const width = /^\s*\+?[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (width >= 1) return width
  throw new CommandFailure(`invalid number of columns: ${quoted(context, text)}${width === 0 ? ': Numerical result out of range' : ''}`)
}

class Folding {
  readonly #width: number
  readonly #bytes: boolean
  readonly #spaces: boolean
  readonly #built = new ByteBuilder()
  #column = 0
  /** Where in what is built the line begins that is being filled, which may have to be broken earlier. */
  #start = 0
  /** Behind its last blank; -1 where it has none. */
  #blank = -1

  constructor(width: number, bytes: boolean, spaces: boolean) {
    this.#width = width
    this.#bytes = bytes
    this.#spaces = spaces
  }

  add(chunk: Uint8Array): Uint8Array {
    const built = this.#built
    const spaces = this.#spaces
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (byte === 10) {
        built.byte(byte)
        this.#newLine(built.length)
        continue
      }
      let column = this.#next(this.#column, byte)
      // Broken at a blank the rest may still be too long, and is broken again.
      while (column > this.#width && built.length > this.#start) {
        this.#break()
        column = this.#next(this.#column, byte)
      }
      built.byte(byte)
      this.#column = column
      if (spaces && (byte === 32 || byte === 9)) this.#blank = built.length
    }
    if (!this.#spaces) {
      this.#start = built.length > this.#start ? -1 : 0
      return built.take()
    }
    return this.#takeLines()
  }

  finish(): Uint8Array {
    return this.#built.take()
  }

  #next(column: number, byte: number): number {
    if (this.#bytes) return column + 1
    if (byte === 8) return column > 0 ? column - 1 : 0
    if (byte === 13) return 0
    return byte === 9 ? column + 8 - (column % 8) : column + 1
  }

  #break(): void {
    const built = this.#built
    if (this.#blank < 0) {
      built.byte(10)
      this.#newLine(built.length)
      return
    }
    const at = this.#blank
    built.byte(0)
    built.buffer.copyWithin(at + 1, at, built.length - 1)
    built.buffer[at] = 10
    this.#newLine(at + 1)
    for (let from = at + 1; from < built.length; from++) this.#column = this.#next(this.#column, built.buffer[from] as number)
  }

  #newLine(start: number): void {
    this.#start = start
    this.#blank = -1
    this.#column = 0
  }

  /** All but the line being filled. */
  #takeLines(): Uint8Array {
    const built = this.#built
    const rest = built.buffer.slice(this.#start, built.length)
    built.length = this.#start
    const lines = built.take()
    built.append(rest)
    if (this.#blank >= 0) this.#blank -= this.#start
    this.#start = 0
    return lines
  }
}
