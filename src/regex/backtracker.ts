import { WORD } from './char-set.ts'
import type { Program } from './program.ts'
import { ASSERTIONS, Op } from './program.ts'
import { RegexError } from './regex-error.ts'

export interface BacktrackerOptions {
  readonly multiline: boolean
  readonly ignoreCase: boolean
  /** The message of the error when a pattern with back-references takes too many steps. */
  readonly exhausted?: string
}

/**
 * Runs a program by trying one way after the other, in the pattern's own order, and so finds what each group matched.
 * A pair of instruction and place is never tried twice, so that the work is bounded by their product. With back-references
 * that rule can't hold: then the number of steps is bounded, and reaching it throws a {@link RegexError}.
 */
export class Backtracker {
  readonly #program: Program
  readonly #options: BacktrackerOptions
  readonly #remembers: boolean
  readonly #stack: number[] = []
  #registers: number[] = []
  #text = ''
  #start = 0
  #width = 0
  #seen: Uint32Array = new Uint32Array(0)
  #steps = 0
  #goal = -1

  constructor(program: Program, options: BacktrackerOptions) {
    this.#program = program
    this.#options = options
    this.#remembers = !program.op.includes(Op.REFERENCE)
  }

  /** The registers of the first way to match from `start` to exactly `end`; null where there is none. */
  between(text: string, start: number, end: number): readonly number[] | null {
    this.#begin(text, start, end - start)
    this.#goal = end
    return this.#from(start) < 0 ? null : this.#registers
  }

  /** The registers of the first way to match at or after `start`. */
  first(text: string, start: number): readonly number[] | null {
    this.#begin(text, start, text.length - start)
    this.#goal = -1
    for (let at = start; at <= text.length; at += widthAt(text, at)) if (this.#from(at) >= 0) return this.#registers
    return null
  }

  /** The registers of the longest way to match from `start`, or the longest found in a bounded number of steps after the first. */
  longest(text: string, start: number): readonly number[] | null {
    this.#begin(text, start, text.length - start)
    this.#goal = -1
    if (this.#from(start) < 0) return null
    let best = this.#registers
    this.#steps = Math.max(0, MOST_STEPS - STEPS_AFTER_FIRST)
    while ((best[1] as number) < text.length) {
      try {
        if (this.#resume(0) < 0) break
      } catch (error) {
        if (error instanceof RegexError) break
        throw error
      }
      if ((this.#registers[1] as number) > (best[1] as number)) best = this.#registers.slice()
    }
    return best
  }

  #begin(text: string, start: number, length: number): void {
    this.#text = text
    this.#start = start
    this.#steps = 0
    this.#stack.length = 0
    if (!this.#remembers) return
    this.#width = length + 1
    const cells = Math.ceil((this.#width * this.#program.op.length) / 32)
    if (cells > LARGEST_MEMORY) throw new RegexError('Regular expression too big')
    if (this.#seen.length < cells) this.#seen = new Uint32Array(Math.max(cells, 64))
    else this.#seen.fill(0, 0, cells)
  }

  #from(at: number): number {
    this.#registers = new Array<number>(this.#program.registers).fill(-1)
    this.#registers[0] = at
    this.#stack.push(0, at)
    const end = this.#resume(this.#stack.length - 2)
    if (end >= 0) this.#registers[1] = end
    return end
  }

  /** Tries what is on the stack above `base` until something matches; where it ended, or -1. */
  #resume(base: number): number {
    const { op, x, y, sets } = this.#program
    const text = this.#text
    const stack = this.#stack
    while (stack.length > base) {
      let at = stack.pop() as number
      let pc = stack.pop() as number
      if (pc < 0) {
        this.#registers[-pc - 1] = at
        continue
      }
      for (;;) {
        if (this.#remembers) {
          const cell = pc * this.#width + (at - this.#start)
          const bit = 1 << (cell & 31)
          if (at >= this.#start && at - this.#start < this.#width) {
            if (((this.#seen[cell >>> 5] as number) & bit) !== 0) break
            this.#seen[cell >>> 5] = (this.#seen[cell >>> 5] as number) | bit
          }
        } else if (++this.#steps > MOST_STEPS) throw new RegexError(this.#options.exhausted ?? 'Memory exhausted')
        const code = op[pc] as number
        const arg = x[pc] as number
        if (code === Op.SET) {
          if (at >= text.length) break
          let point = text.charCodeAt(at)
          let width = 1
          if (point >= 0xd800 && point <= 0xdbff) {
            point = text.codePointAt(at) as number
            if (point > 0xffff) width = 2
          }
          if (!(sets[arg] as { has(point: number): boolean }).has(point)) break
          at += width
          pc += 1
        } else if (code === Op.SPLIT) {
          stack.push(y[pc] as number, at)
          pc = arg
        } else if (code === Op.JUMP) pc = arg
        else if (code === Op.SAVE || code === Op.CLEAR) {
          stack.push(-arg - 1, this.#registers[arg] as number)
          this.#registers[arg] = code === Op.SAVE ? at : -1
          pc += 1
        } else if (code === Op.ASSERT) {
          if (!holds(arg, text, at, this.#options.multiline)) break
          pc += 1
        } else if (code === Op.MATCH) {
          if (this.#goal >= 0 && at !== this.#goal) break
          return at
        } else if (code === Op.TURN) {
          if (this.#registers[arg] !== at) {
            stack.push(-(arg + 1) - 1, this.#registers[arg + 1] as number)
            this.#registers[arg + 1] = at
            pc += 1
          } else if (this.#registers[arg + 1] === -1) pc = y[pc] as number
          else break
        } else if (code === Op.REFERENCE) {
          const end = this.#afterReference(arg, at)
          if (end < 0) break
          at = end
          pc += 1
        } else break
      }
    }
    return -1
  }

  #afterReference(group: number, at: number): number {
    const start = this.#registers[2 * group] as number
    const end = this.#registers[2 * group + 1] as number
    if (start < 0 || end < 0) return -1
    const wanted = this.#text.slice(start, end)
    if (this.#text.startsWith(wanted, at)) return at + wanted.length
    if (!this.#options.ignoreCase) return -1
    const found = this.#text.slice(at, at + wanted.length)
    return found.length === wanted.length && found.toLowerCase() === wanted.toLowerCase() ? at + wanted.length : -1
  }
}

/** Steps of a pattern with back-references. */
const MOST_STEPS = 2e7
/** Steps spent on looking for a longer match once there is one. */
const STEPS_AFTER_FIRST = 1e5
/** Words of memory for pairs that have been tried: 128 MB. */
const LARGEST_MEMORY = 1 << 25

function holds(assertion: number, text: string, at: number, multiline: boolean): boolean {
  switch (ASSERTIONS[assertion]) {
    case 'line-start':
      return at === 0 || (multiline && text.charCodeAt(at - 1) === 10)
    case 'line-end':
      return at === text.length || (multiline && text.charCodeAt(at) === 10)
    case 'text-start':
      return at === 0
    case 'text-end':
      return at === text.length
    case 'word-boundary':
      return wordBefore(text, at) !== wordAfter(text, at)
    case 'no-word-boundary':
      return wordBefore(text, at) === wordAfter(text, at)
    case 'word-start':
      return !wordBefore(text, at) && wordAfter(text, at)
    case 'word-end':
      return wordBefore(text, at) && !wordAfter(text, at)
    case 'no-word-before':
      return !wordBefore(text, at)
    default:
      return !wordAfter(text, at)
  }
}

function wordBefore(text: string, at: number): boolean {
  if (at === 0) return false
  const last = text.charCodeAt(at - 1)
  if (last < 0xdc00 || last > 0xdfff || at === 1) return WORD.has(last)
  const point = text.codePointAt(at - 2) as number
  return WORD.has(point > 0xffff ? point : last)
}

function wordAfter(text: string, at: number): boolean {
  return at < text.length && WORD.has(text.codePointAt(at) as number)
}

function widthAt(text: string, at: number): number {
  const point = text.codePointAt(at)
  return point !== undefined && point > 0xffff ? 2 : 1
}
