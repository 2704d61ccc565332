import type { Block } from '../text-blocks.ts'

/** The pattern space. Until something changes it, it is part of the block it was read from, and costs nothing. */
export class PatternSpace {
  /** The last line had its terminator. */
  terminated = true
  /** The block it is part of, from `start` to `end`; null where it is a text of its own. */
  block: Block | null = null
  start = 0
  end = 0
  /** Lines it has, while it is part of a block. */
  lines = 1
  #own = ''
  /** The line that was added last to a text of its own, and nothing changed since; null where it isn't known. */
  #tail: { readonly block: Block; readonly start: number; readonly end: number } | null = null

  get text(): string {
    return this.block === null ? this.#own : this.block.text.slice(this.start, this.end)
  }

  set text(text: string) {
    this.#own = text
    this.block = null
    this.#tail = null
  }

  /** Becomes a line of a block. */
  take(block: Block, start: number, end: number): void {
    this.block = block
    this.start = start
    this.end = end
    this.lines = 1
  }

  /** Gets another line, which may follow right behind in the same block. */
  add(block: Block, start: number, end: number, terminator: string): void {
    if (this.block === block && this.end + 1 === start) {
      this.end = end
      this.lines += 1
      return
    }
    this.text = this.text + terminator + block.text.slice(start, end)
    this.#tail = { block, start, end }
  }

  /** Where the first line ends, as a place in `block` or else in the text; -1 where there is only one. */
  firstEnd(terminator: string): number {
    if (this.block === null) return this.#own.indexOf(terminator)
    const end = this.lines === 1 ? -1 : this.block.text.indexOf(terminator, this.start)
    return end < this.end ? end : -1
  }

  /** Loses its first line; false where it has only one. */
  dropFirst(terminator: string): boolean {
    const end = this.firstEnd(terminator)
    if (end < 0) return false
    if (this.block !== null) {
      this.start = end + 1
      this.lines -= 1
      return true
    }
    const tail = this.#tail
    if (tail !== null && tail.end - tail.start === this.#own.length - end - 1) this.take(tail.block, tail.start, tail.end)
    else this.#own = this.#own.slice(end + 1)
    return true
  }
}
