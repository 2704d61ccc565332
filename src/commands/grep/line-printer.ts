import { encode } from '../../bytes.ts'
import type { Output } from '../output.ts'
import type { Block } from '../text-blocks.ts'
import { marked, opening } from './colors.ts'
import type { LineMatcher } from './line-matcher.ts'
import type { GrepSettings } from './settings.ts'

/** A line of a block: `text.slice(start, end)`. */
export interface Line {
  readonly block: Block
  readonly start: number
  readonly end: number
  /** From 1; only where numbers are printed. */
  readonly number: number
  /** Of its first byte in the input; only where offsets are printed. */
  readonly offset: number
}

/** A byte that is no character's, in a text that was decoded. */
const STRAY = /[\udc80-\udcff]/u

/** Prints lines of one input. */
export class LinePrinter {
  readonly #settings: GrepSettings
  readonly #matcher: LineMatcher
  readonly #output: Output
  /** Null where none is printed. */
  readonly #name: string | null
  /** Nothing stands before or in lines that has to be looked at line by line. */
  readonly isPlain: boolean

  /** Digits that numbers are padded to. */
  readonly #width: number

  constructor(settings: GrepSettings, matcher: LineMatcher, output: Output, name: string | null, width = 0) {
    this.#width = width
    this.#settings = settings
    this.#matcher = matcher
    this.#output = output
    this.#name = name
    this.isPlain = name === null && !settings.lineNumbers && !settings.byteOffsets && !settings.onlyMatching && settings.colors === null
  }

  /** Prints lines as they are, up to `end` (the place of a terminator). */
  plain(block: Block, start: number, end: number): void {
    const { terminator } = this.#settings
    if (!block.aligned) this.#output.text(`${block.text.slice(start, end)}${terminator}`)
    else if (end < block.bytes.length) this.#output.bytes(block.bytes.subarray(start, end + 1))
    else {
      this.#output.bytes(block.bytes.subarray(start, end))
      this.#output.text(terminator)
    }
  }

  /** False, and nothing printed, where the text holds bytes that are no characters and that makes the input binary. */
  isPrintable(block: Block, start: number, end: number): boolean {
    if (block.clean || this.#settings.binary === 'text') return true
    return !STRAY.test(block.text.slice(start, end))
  }

  /** Prints one line that was selected, or one of the context. */
  line(line: Line, selected: boolean): void {
    const { onlyMatching, invert, colors, terminator } = this.#settings
    const { block, start, end } = line
    const matching = selected !== invert
    if (onlyMatching) {
      if (matching) this.#matches(line)
      return
    }
    const separator = selected ? ':' : '-'
    this.#output.text(this.#head(line.number, line.offset, separator, end > start))
    if (colors === null) {
      this.plain(block, start, end)
      return
    }
    const lineColor = selected !== (invert && colors.swapsLines) ? colors.selectedLine : colors.contextLine
    const matchColor = selected ? colors.selectedMatch : colors.contextMatch
    this.#output.text(`${this.#colored(line, matching ? matchColor : '', lineColor)}${terminator}`)
  }

  separate(text: string): void {
    this.#output.text(`${marked(text, this.#settings.colors?.separator ?? '', this.#settings.colors)}\n`)
  }

  /** The number, with the name before it where one is printed. */
  count(count: number): void {
    const { colors, nullAfterName } = this.#settings
    const name = this.#name === null ? '' : marked(this.#name, colors?.fileName ?? '', colors)
    const behind = this.#name === null ? '' : nullAfterName ? '\0' : marked(':', colors?.separator ?? '', colors)
    this.#output.text(`${name}${behind}${count}\n`)
  }

  #matches({ block, start, end, number, offset }: Line): void {
    const { colors, terminator } = this.#settings
    const { text } = block
    for (let at = start; at <= end; ) {
      const match = this.#matcher.exec(text, at)
      if (match === null || match.start >= end) return
      if (match.end === match.start) {
        at = match.start + widthAt(text, match.start)
        continue
      }
      const place = this.#settings.byteOffsets ? offset + byteLength(block, start, match.start) : 0
      const matched = text.slice(match.start, match.end)
      this.#output.text(`${this.#head(number, place, ':', true)}${marked(matched, colors?.selectedMatch ?? '', colors)}${terminator}`)
      at = match.end
    }
  }

  #colored({ block, start, end }: Line, matchColor: string, lineColor: string): string {
    const { colors } = this.#settings
    const { text } = block
    let shown = ''
    let done = start
    for (let at = start; matchColor !== '' && at <= end; ) {
      const match = this.#matcher.exec(text, at)
      if (match === null || match.start >= end) break
      if (match.end === match.start) {
        at = match.start + widthAt(text, match.start)
        continue
      }
      // GNU's way: a line's colour is not ended where a match's begins.
      shown += opening(lineColor, colors) + text.slice(done, match.start) + marked(text.slice(match.start, match.end), matchColor, colors)
      done = match.end
      at = match.end
    }
    return shown + marked(text.slice(done, end), lineColor, colors)
  }

  #head(number: number, offset: number, separator: string, isFilled: boolean): string {
    const { colors, lineNumbers, byteOffsets, nullAfterName, initialTab } = this.#settings
    if (this.#name === null && !lineNumbers && !byteOffsets) return ''
    const behind = marked(separator, colors?.separator ?? '', colors)
    let head = ''
    if (this.#name !== null) head += marked(this.#name, colors?.fileName ?? '', colors) + (nullAfterName ? '\0' : behind)
    if (lineNumbers) head += marked(`${number}`.padStart(this.#width), colors?.lineNumber ?? '', colors) + behind
    if (byteOffsets) head += marked(`${offset}`.padStart(this.#width), colors?.byteOffset ?? '', colors) + behind
    return initialTab && isFilled ? `${head}\t` : head
  }
}

/** How many bytes a part of a block's text stands for. */
export function byteLength(block: Block, start: number, end: number): number {
  return block.aligned ? end - start : encode(block.text.slice(start, end)).length
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
