import type { CharSet } from './char-set.ts'
import { WORD } from './char-set.ts'
import type { Program } from './program.ts'
import { ASSERTIONS, Op } from './program.ts'
import { RegexError } from './regex-error.ts'

export interface BacktrackerOptions {
  readonly multiline: boolean
  readonly ignoreCase: boolean
  /** The message of the error when a pattern that can't be bounded otherwise takes too many steps. */
  readonly exhausted?: string
}

/**
 * Runs a program by trying one way after the other, in the pattern's own order, and so finds what each group matched.
 * A pair of instruction and place is never tried twice, so that the work is bounded by their product. With back-references,
 * and inside look-around and atomic groups, that rule can't hold: there the number of steps is bounded, and reaching it throws a
 * {@link RegexError}.
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
  /** Look-arounds and atomic groups that are running. */
  #depth = 0

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
    let best = this.#registers.slice()
    this.#steps = Math.max(0, MOST_STEPS - STEPS_AFTER_FIRST)
    try {
      while ((best[1] as number) < text.length) {
        const end = this.#resume(0, false)
        if (end < 0) break
        this.#registers[1] = end
        if (end > (best[1] as number)) best = this.#registers.slice()
      }
    } catch (error) {
      if (!(error instanceof RegexError)) throw error
    }
    return best
  }

  #begin(text: string, start: number, length: number): void {
    this.#text = text
    this.#start = start
    this.#steps = 0
    this.#depth = 0
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
    const end = this.#resume(this.#stack.length - 2, false)
    if (end >= 0) this.#registers[1] = end
    return end
  }

  /** Tries what is on the stack above `base` until something matches; where it ended, or -1. */
  #resume(base: number, backwards: boolean): number {
    const { op, x, y, sets } = this.#program
    const text = this.#text
    const stack = this.#stack
    const remembers = this.#remembers && this.#depth === 0
    while (stack.length > base) {
      let at = stack.pop() as number
      let pc = stack.pop() as number
      if (pc < 0) {
        this.#registers[-pc - 1] = at
        continue
      }
      for (;;) {
        if (remembers) {
          const cell = pc * this.#width + (at - this.#start)
          const bit = 1 << (cell & 31)
          if (((this.#seen[cell >>> 5] as number) & bit) !== 0) break
          this.#seen[cell >>> 5] = (this.#seen[cell >>> 5] as number) | bit
        } else if (++this.#steps > MOST_STEPS) throw new RegexError(this.#options.exhausted ?? 'Memory exhausted')
        const code = op[pc] as number
        const arg = x[pc] as number
        if (code === Op.SET) {
          if (at === (backwards ? 0 : text.length)) break
          const point = backwards ? pointBefore(text, at) : (text.codePointAt(at) as number)
          if (!(sets[arg] as CharSet).has(point)) break
          const width = point > 0xffff ? 2 : 1
          at += backwards ? -width : width
          pc += 1
        } else if (code === Op.SPLIT) {
          stack.push(y[pc] as number, at)
          pc = arg
        } else if (code === Op.JUMP) pc = arg
        else if (code === Op.SAVE || code === Op.CLEAR) {
          this.#set(arg, code === Op.SAVE ? at : -1)
          pc += 1
        } else if (code === Op.ASSERT) {
          if (!holds(arg, text, at, this.#options.multiline)) break
          pc += 1
        } else if (code === Op.MATCH) {
          if (this.#goal >= 0 && at !== this.#goal && this.#depth === 0) break
          return at
        } else if (code === Op.TURN) {
          if (this.#registers[arg] !== at) {
            this.#set(arg + 1, at)
            pc += 1
          } else if (this.#registers[arg + 1] === -1) pc = y[pc] as number
          else break
        } else if (code === Op.REFERENCE) {
          const end = this.#pastReference(arg, at, backwards)
          if (end < 0) break
          at = end
          pc += 1
        } else if (code === Op.LOOK) {
          const found = this.#inside(pc + 1, at, arg >= 2)
          if (found >= 0 === ((arg & 1) === 1)) break
          pc = y[pc] as number
        } else {
          const end = this.#inside(pc + 1, at, backwards)
          if (end < 0) break
          at = end
          pc = y[pc] as number
        }
      }
    }
    return -1
  }

  /** Runs a look-around or an atomic group: where it ended, or -1. Of its stack only what puts registers back is kept. */
  #inside(pc: number, at: number, backwards: boolean): number {
    const stack = this.#stack
    const base = stack.length
    stack.push(pc, at)
    this.#depth += 1
    const end = this.#resume(base, backwards)
    this.#depth -= 1
    let kept = base
    for (let i = base; i < stack.length; i += 2) {
      if ((stack[i] as number) >= 0) continue
      stack[kept] = stack[i] as number
      stack[kept + 1] = stack[i + 1] as number
      kept += 2
    }
    stack.length = kept
    return end
  }

  #set(register: number, value: number): void {
    this.#stack.push(-register - 1, this.#registers[register] as number)
    this.#registers[register] = value
  }

  #pastReference(group: number, at: number, backwards: boolean): number {
    const start = this.#registers[2 * group] as number
    const end = this.#registers[2 * group + 1] as number
    if (start < 0 || end < 0) return -1
    const length = end - start
    const from = backwards ? at - length : at
    if (from < 0) return -1
    const wanted = this.#text.slice(start, end)
    const found = this.#text.slice(from, from + length)
    const same =
      wanted === found || (this.#options.ignoreCase && wanted.toLowerCase() === found.toLowerCase() && wanted.length === found.length)
    return same ? (backwards ? from : from + length) : -1
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
  return at > 0 && WORD.has(pointBefore(text, at))
}

function wordAfter(text: string, at: number): boolean {
  return at < text.length && WORD.has(text.codePointAt(at) as number)
}

function pointBefore(text: string, at: number): number {
  const last = text.charCodeAt(at - 1)
  if (last < 0xdc00 || last > 0xdfff || at === 1) return last
  const point = text.codePointAt(at - 2) as number
  return point > 0xffff ? point : last
}

function widthAt(text: string, at: number): number {
  const point = text.codePointAt(at)
  return point !== undefined && point > 0xffff ? 2 : 1
}
