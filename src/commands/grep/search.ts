import { encode } from '../../bytes.ts'
import { isPromise } from '../../host.ts'
import type { ByteReader, CommandContext } from '../command.ts'
import type { Output } from '../output.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import type { Block } from '../text-blocks.ts'
import { Blocks } from '../text-blocks.ts'
import type { LineMatcher } from './line-matcher.ts'
import type { Line } from './line-printer.ts'
import { byteLength, LinePrinter } from './line-printer.ts'
import type { GrepSettings } from './settings.ts'

/** What is the same for all inputs of one run. */
export interface Run {
  readonly settings: GrepSettings
  readonly matcher: LineMatcher
  readonly context: CommandContext
  readonly output: Output
  /** Some line was printed: a group that follows is set apart. */
  printed: boolean
}

export interface Found {
  readonly lines: number
  /** Lines were selected that can't be shown as text. */
  readonly binary: boolean
}

/** Searches one input and prints its lines. `name` goes before each line where it is not null; numbers are padded to `width` digits. */
export function* search(run: Run, input: ByteReader, name: string | null, width: number): Steps<Found> {
  const one = new Search(run, name, width)
  const blocks = new Blocks(input, run.settings.terminator, run.settings.bytes)
  for (;;) {
    const next = blocks.next()
    if (isPromise(next)) yield* wait(run.output.flush())
    const block = yield* wait(next)
    if (block === null) break
    const used = one.take(block)
    yield* wait(run.output.settle())
    if (used >= 0) {
      // What follows the last line selected is left to whoever reads on, as a program that seeks back would.
      if (input === run.context.stdin) giveBack(input, block, used, blocks.rest())
      break
    }
    yield* wait(run.context.pause())
  }
  return one.found()
}

function giveBack(input: ByteReader, block: Block, used: number, rest: Uint8Array): void {
  const from = block.aligned ? used : encode(block.text.slice(0, used)).length
  if (rest.length > 0) input.unread(rest)
  if (from < block.bytes.length) input.unread(block.bytes.subarray(from))
}

class Search {
  readonly #run: Run
  readonly #settings: GrepSettings
  readonly #printer: LinePrinter
  readonly #prints: boolean
  readonly #hasContext: boolean
  #selected = 0
  /** Lines and bytes of the blocks before this one, then up to `#counted`. */
  #lines = 0
  #bytes = 0
  #counted = 0
  #silenced = false
  #sawNull = false
  #badBytes = false
  /** Lines of context still to be printed. */
  #owed = 0
  /** The last lines that were not printed, for the context of the next. */
  #recent: Line[] = []
  /** The lines in `#recent`, or the line looked at now where there are none, follow right behind a line that was printed. */
  #adjacent = false
  /** Behind the last line selected, once no more are wanted; only context may follow. */
  #end = -1

  constructor(run: Run, name: string | null, width: number) {
    this.#run = run
    this.#settings = run.settings
    this.#printer = new LinePrinter(run.settings, run.matcher, run.output, name, width)
    this.#prints = run.settings.mode === 'lines'
    this.#hasContext = run.settings.before > 0 || run.settings.after > 0 || run.settings.separator !== null
  }

  found(): Found {
    const { binary, mode } = this.#settings
    return {
      lines: this.#selected,
      binary: binary === 'binary' && mode === 'lines' && (this.#badBytes || (this.#sawNull && this.#selected > 0)),
    }
  }

  /** Looks through a block: -1, or the place up to which it was wanted where no more lines are. */
  take(given: Block): number {
    let block = given
    const { terminator, binary, mode, invert } = this.#settings
    if (terminator === '\n' && binary !== 'text' && (this.#sawNull || block.text.includes('\0'))) {
      if (binary === 'without-match') {
        this.#selected = 0
        return 0
      }
      this.#sawNull = true
      if (mode !== 'count') this.#silenced = true
      // A zero byte ends a line of a binary file.
      if (block.text.includes('\0')) block = { ...block, text: block.text.replaceAll('\0', '\n') }
    }
    this.#counted = 0
    if (this.#end >= 0) this.#end = 0
    const { text } = block
    for (let at = 0; at <= text.length; ) {
      if (this.#end >= 0) return this.#finishContext(block, at)
      const place = this.#run.matcher.find(text, at)
      const start = place < 0 ? text.length + 1 : place === 0 ? 0 : Math.max(at, text.lastIndexOf(terminator, place - 1) + 1)
      const newline = place < 0 ? -1 : text.indexOf(terminator, place)
      const end = newline < 0 ? text.length : newline
      if (invert) {
        if (start > at) this.#select(block, at, start - 1)
        if (this.#end < 0 && place >= 0) this.#pass(block, start, end)
      } else {
        if (start > at) this.#pass(block, at, start - 1)
        if (place >= 0) this.#select(block, start, end)
      }
      if (this.#end >= 0) {
        at = this.#end
        if (this.#owed === 0) return Math.min(at, text.length + 1)
        continue
      }
      at = end + 1
    }
    this.#count(block, text.length + 1)
    this.#bytes += byteLength(block, this.#counted, text.length) + 1
    return -1
  }

  /** Lines from `start` to `end` (the place of the last one's terminator) are selected. */
  #select(block: Block, start: number, end: number): void {
    const { maximum, mode } = this.#settings
    const stopsAtOnce = mode === 'quiet' || mode === 'with-match' || mode === 'without-match' || this.#silenced
    if (stopsAtOnce) {
      this.#selected += 1
      this.#end = end + 1
      this.#owed = 0
      return
    }
    const whole = maximum === Infinity && !this.#hasContext
    if (whole && (!this.#prints || (this.#printer.isPlain && this.#printer.isPrintable(block, start, end)))) {
      this.#selected += this.#settings.invert ? this.#linesIn(block.text, start, end) : 1
      if (this.#prints) this.#printer.plain(block, start, end)
      return
    }
    for (let at = start; at <= end; ) {
      const newline = block.text.indexOf(this.#settings.terminator, at)
      const stop = newline < 0 || newline > end ? end : newline
      this.#selected += 1
      if (this.#prints) this.#printSelected(block, at, stop)
      if (this.#selected >= maximum || this.#silenced) {
        this.#end = stop + 1
        return
      }
      at = stop + 1
    }
  }

  #printSelected(block: Block, start: number, end: number): void {
    const { separator, after } = this.#settings
    if (separator !== null && this.#run.printed && !this.#adjacent) this.#printer.separate(separator)
    for (const line of this.#recent) this.#print(line, false)
    this.#recent = []
    this.#adjacent = this.#print(this.#lineAt(block, start, end), true)
    this.#run.printed = true
    this.#owed = after
  }

  /** Prints a line; false where it can't be shown as text, and is passed over. */
  #print(line: Line, selected: boolean): boolean {
    if (this.#printer.isPrintable(line.block, line.start, line.end)) {
      this.#printer.line(line, selected)
      return true
    }
    this.#badBytes = true
    return false
  }

  /** Lines that are not selected. */
  #pass(block: Block, start: number, end: number): void {
    if (!this.#hasContext || !this.#prints) return
    const { before, terminator } = this.#settings
    let at = start
    while (this.#owed > 0 && at <= end) {
      const newline = block.text.indexOf(terminator, at)
      const stop = newline < 0 || newline > end ? end : newline
      this.#print(this.#lineAt(block, at, stop), false)
      this.#owed -= 1
      at = stop + 1
    }
    if (at > end) return
    // Only the last few can become context of a line that follows.
    const starts: number[] = []
    let from = end + 1
    while (starts.length < before && from > at) {
      from = from < at + 2 ? at : Math.max(at, block.text.lastIndexOf(terminator, from - 2) + 1)
      starts.push(from)
    }
    if (from > at) {
      this.#recent = []
      this.#adjacent = false
    }
    for (const lineStart of starts.toReversed()) {
      const newline = block.text.indexOf(terminator, lineStart)
      this.#recent.push(this.#lineAt(block, lineStart, newline < 0 || newline > end ? end : newline))
    }
    if (this.#recent.length > before) {
      this.#recent = this.#recent.slice(this.#recent.length - before)
      this.#adjacent = false
    }
  }

  /** After the last line wanted: its context. */
  #finishContext(block: Block, from: number): number {
    const { terminator } = this.#settings
    for (let at = from; this.#owed > 0 && at <= block.text.length; ) {
      const newline = block.text.indexOf(terminator, at)
      const stop = newline < 0 ? block.text.length : newline
      this.#print(this.#lineAt(block, at, stop), false)
      this.#owed -= 1
      at = stop + 1
    }
    if (this.#owed > 0) return -1
    return Math.min(this.#end, block.text.length + 1)
  }

  #lineAt(block: Block, start: number, end: number): Line {
    this.#count(block, start)
    return { block, start, end, number: this.#lines + 1, offset: this.#bytes }
  }

  /** Counts lines and bytes up to a place, as far as they are printed. */
  #count(block: Block, to: number): void {
    const { lineNumbers, byteOffsets } = this.#settings
    if (to <= this.#counted) return
    if (lineNumbers) this.#lines += this.#linesIn(block.text, this.#counted, to - 1)
    if (byteOffsets && to <= block.text.length) this.#bytes += byteLength(block, this.#counted, to)
    if (to <= block.text.length) this.#counted = to
  }

  /** How many lines there are from one line's start to another's end. */
  #linesIn(text: string, start: number, end: number): number {
    const { terminator } = this.#settings
    let lines = 1
    for (let at = text.indexOf(terminator, start); at >= 0 && at < end; at = text.indexOf(terminator, at + 1)) lines += 1
    return lines
  }
}
