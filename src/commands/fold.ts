import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import { nextChunk, openEach } from './input.ts'
import { lineEnds } from './line-ends.ts'
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
    let start = 0
    for (const end of lineEnds(chunk, 10)) {
      if (this.#column === 0 && this.#start === this.#built.length && (this.#bytes || isPlain(chunk, start, end)))
        this.#plainLine(chunk, start, end)
      else this.#line(chunk, start, end)
      if (end < chunk.length) {
        this.#built.byte(10)
        this.#newLine(this.#built.length)
      }
      start = end + 1
    }
    if (this.#spaces) return this.#takeLines()
    // What is built is given away, and the line goes on without it.
    this.#start = this.#built.length > this.#start ? -1 : 0
    return this.#built.take()
  }

  finish(): Uint8Array {
    return this.#built.take()
  }

  /** A line of characters that all take one column: cut without counting. */
  #plainLine(chunk: Uint8Array, start: number, end: number): void {
    const built = this.#built
    const width = this.#width
    let at = start
    while (end - at > width) {
      let cut = at + width
      if (this.#spaces) {
        while (cut > at && !isBlank(chunk[cut - 1] as number)) cut -= 1
        if (cut === at) cut = at + width
      }
      built.appendPart(chunk, at, cut)
      built.byte(10)
      at = cut
    }
    this.#newLine(built.length)
    built.appendPart(chunk, at, end)
    this.#column = end - at
    if (!this.#spaces) return
    let blank = end
    while (blank > at && !isBlank(chunk[blank - 1] as number)) blank -= 1
    this.#blank = blank === at ? -1 : built.length - (end - blank)
  }

  #line(chunk: Uint8Array, start: number, end: number): void {
    const built = this.#built
    const spaces = this.#spaces
    for (let at = start; at < end; at++) {
      const byte = chunk[at] as number
      let column = this.#next(this.#column, byte)
      // Broken at a blank the rest may still be too long, and is broken again.
      while (column > this.#width && built.length > this.#start) {
        this.#break()
        column = this.#next(this.#column, byte)
      }
      built.byte(byte)
      this.#column = column
      if (spaces && isBlank(byte)) this.#blank = built.length
    }
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

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9
}

/** True without control characters, some of which move the column. */
function isPlain(chunk: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((chunk[at] as number) < 32) return false
  return true
}
