import type { Regex } from '../../regex/regex.ts'
import type { Block } from '../text-blocks.ts'

/** Finds out which lines of a block a pattern matches, looking through the block once and not line by line. */
export class LineCursor {
  readonly #regex: Regex
  #block: Block | null = null
  /** In the next line that matches, as far as is known; Infinity where none does. */
  #hit = -1

  /** `regex` must have been made for lines. */
  constructor(regex: Regex) {
    this.#regex = regex
  }

  /** Whether the line from `start` to `end` matches. */
  matches(block: Block, start: number, end: number): boolean {
    return this.next(block, start) <= end
  }

  /** A place in the first line from `start` on that matches; Infinity where none does. */
  next(block: Block, start: number): number {
    if (this.#block !== block || this.#hit < start) {
      this.#block = block
      const found = this.#regex.find(block.text, start)
      this.#hit = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    return this.#hit
  }
}
