import type { CharSet } from './char-set.ts'
import type { AssertionKind, Node } from './node.ts'
import { isNullable, rewrite } from './node.ts'
import { RegexError } from './regex-error.ts'

/** What an instruction does; `x` and `y` are its arguments. */
export const Op = {
  /** The pattern, or the look-around or atomic group that is running, has matched. */
  MATCH: 0,
  /** Takes one character of set `x`. */
  SET: 1,
  JUMP: 2,
  /** Tries `x`, then `y`. */
  SPLIT: 3,
  /** Notes the place in register `x`. */
  SAVE: 4,
  /** Goes on if the place is of kind `x`, an index into {@link ASSERTIONS}. */
  ASSERT: 5,
  REFERENCE: 6,
  /** Sets register `x` to -1. */
  CLEAR: 7,
  /**
   * Ends a turn of a loop whose body may match nothing. A turn that took nothing since register `x` fails, unless it was the first
   * (register `x + 1` is -1): then the loop ends and goes to `y`.
   */
  TURN: 8,
  /** Runs what follows up to its MATCH here, then goes to `y`; `x`: 0 ahead, 1 ahead negated, 2 behind, 3 behind negated. */
  LOOK: 9,
  /** Runs what follows up to its MATCH, then goes to `y` from where that ended, never back into it. */
  ATOMIC: 10,
} as const

/** Kinds of assertion in the order of their numbers. */
export const ASSERTIONS: readonly AssertionKind[] = [
  'line-start',
  'line-end',
  'text-start',
  'text-end',
  'word-boundary',
  'no-word-boundary',
  'word-start',
  'word-end',
  'no-word-before',
  'no-word-after',
]

/** A pattern as instructions, started at 0. */
export interface Program {
  readonly op: readonly number[]
  readonly x: readonly number[]
  readonly y: readonly number[]
  readonly sets: readonly CharSet[]
  /** Registers: two a group (its start, its end), group 0 being the match, then those of loops. */
  readonly registers: number
  readonly asserts: boolean
}

export interface ProgramOptions {
  /** Groups, empty turns of loops and references are left out: enough to know whether and where the pattern matches. */
  readonly bare?: boolean
  /** Reads the text from its end to its start; needs `bare`. */
  readonly reversed?: boolean
  /** Looks for the pattern everywhere, not only where it is started; needs `bare`. */
  readonly anywhere?: boolean
}

/** Compiles a pattern. Throws {@link RegexError} where it grows too big. */
export function compileProgram(node: Node, groups: number, options: ProgramOptions = {}): Program {
  const writer = new ProgramWriter(node, groups, options)
  return writer.write(node)
}

const LARGEST_PROGRAM = 150_000

const REVERSED: Partial<Record<AssertionKind, AssertionKind>> = {
  'line-start': 'line-end',
  'line-end': 'line-start',
  'text-start': 'text-end',
  'text-end': 'text-start',
  'word-start': 'word-end',
  'word-end': 'word-start',
  'no-word-before': 'no-word-after',
  'no-word-after': 'no-word-before',
}

class ProgramWriter {
  readonly #options: ProgramOptions
  readonly #root: Node
  readonly #op: number[] = []
  readonly #x: number[] = []
  readonly #y: number[] = []
  readonly #sets: CharSet[] = []
  readonly #setIndex = new Map<string, number>()
  #registers: number
  #asserts = false
  #reversed: boolean

  constructor(root: Node, groups: number, options: ProgramOptions) {
    this.#root = root
    this.#options = options
    this.#registers = 2 * groups + 2
    this.#reversed = options.reversed === true
  }

  write(node: Node): Program {
    if (this.#options.anywhere === true) {
      this.#emit(Op.SPLIT, 3, 1)
      this.#emit(Op.SET, -1)
      this.#emit(Op.JUMP, 0)
    }
    this.#node(node)
    this.#emit(Op.MATCH)
    return { op: this.#op, x: this.#x, y: this.#y, sets: this.#sets, registers: this.#registers, asserts: this.#asserts }
  }

  #emit(op: number, x = 0, y = 0): number {
    if (this.#op.length >= LARGEST_PROGRAM) throw new RegexError('Regular expression too big')
    this.#op.push(op)
    this.#x.push(x)
    this.#y.push(y)
    return this.#op.length - 1
  }

  #node(node: Node): void {
    switch (node.type) {
      case 'empty':
        return
      case 'set':
        this.#emit(Op.SET, this.#setNumber(node.set))
        return
      case 'sequence':
        for (const part of this.#reversed ? node.parts.toReversed() : node.parts) this.#node(part)
        return
      case 'choice':
        this.#choice(node.options)
        return
      case 'repeat':
        this.#repeat(node.body, node.min, node.max, node.lazy === true)
        return
      case 'group':
        this.#group(node.index, node.body)
        return
      case 'reference':
        this.#reference(node.index)
        return
      case 'assertion':
        this.#asserts = true
        this.#emit(Op.ASSERT, ASSERTIONS.indexOf(this.#reversed ? (REVERSED[node.kind] ?? node.kind) : node.kind))
        return
      case 'look':
        this.#look(node.ahead, node.negated, node.body)
        return
      case 'atomic': {
        const at = this.#emit(Op.ATOMIC)
        this.#node(node.body)
        this.#emit(Op.MATCH)
        this.#y[at] = this.#op.length
        return
      }
      case 'keep':
        this.#emit(Op.SAVE, 0)
        return
      default:
        node satisfies never
    }
  }

  #choice(options: readonly Node[]): void {
    const jumps: number[] = []
    for (const option of options.slice(0, -1)) {
      const split = this.#emit(Op.SPLIT, this.#op.length + 1)
      this.#node(option)
      jumps.push(this.#emit(Op.JUMP))
      this.#y[split] = this.#op.length
    }
    this.#node(options.at(-1) as Node)
    for (const jump of jumps) this.#x[jump] = this.#op.length
  }

  #group(index: number, body: Node): void {
    if (this.#options.bare === true) return this.#node(body)
    // Looking behind runs backwards, and so meets the end of a group first.
    this.#emit(Op.SAVE, 2 * index + (this.#reversed ? 1 : 0))
    this.#node(body)
    this.#emit(Op.SAVE, 2 * index + (this.#reversed ? 0 : 1))
  }

  #reference(index: number): void {
    if (this.#options.bare !== true) {
      this.#emit(Op.REFERENCE, index, this.#reversed ? 1 : 0)
      return
    }
    // Whatever the group may match stands in for what it did match: a superset, to be checked.
    const body = groupBody(this.#root, index)
    if (body !== undefined) this.#node(withoutConditions(body))
  }

  #look(ahead: boolean, negated: boolean, body: Node): void {
    const outer = this.#reversed
    this.#reversed = !ahead
    const at = this.#emit(Op.LOOK, (ahead ? 0 : 2) + (negated ? 1 : 0))
    this.#node(body)
    this.#emit(Op.MATCH)
    this.#y[at] = this.#op.length
    this.#reversed = outer
  }

  #repeat(body: Node, min: number, max: number, lazy: boolean): void {
    if (isEmpty(body)) return this.#node(body)
    const checked = this.#options.bare !== true && isNullable(body)
    if (max === Infinity && min === 1 && !checked) {
      const start = this.#op.length
      this.#node(body)
      this.#split(start, this.#op.length + 1, lazy)
      return
    }
    for (let i = 0; i < min; i++) this.#node(body)
    if (max === Infinity) return checked ? this.#checkedStar(body, lazy, min > 0) : this.#star(body, lazy)
    const register = this.#registers
    if (checked && max > min) {
      this.#registers += 2
      this.#emit(min > 0 ? Op.SAVE : Op.CLEAR, register + 1)
    }
    const splits: number[] = []
    const turns: number[] = []
    for (let i = min; i < max; i++) {
      splits.push(this.#split(this.#op.length + 1, 0, lazy))
      if (checked) this.#emit(Op.SAVE, register)
      this.#node(body)
      if (checked) turns.push(this.#emit(Op.TURN, register))
    }
    for (const split of splits) this.#leave(split, lazy)
    for (const turn of turns) this.#y[turn] = this.#op.length
  }

  #star(body: Node, lazy: boolean): void {
    const start = this.#split(this.#op.length + 1, 0, lazy)
    this.#node(body)
    this.#emit(Op.JUMP, start)
    this.#leave(start, lazy)
  }

  #checkedStar(body: Node, lazy: boolean, entered: boolean): void {
    const register = this.#registers
    this.#registers += 2
    this.#emit(entered ? Op.SAVE : Op.CLEAR, register + 1)
    const start = this.#split(this.#op.length + 1, 0, lazy)
    this.#emit(Op.SAVE, register)
    this.#node(body)
    const turn = this.#emit(Op.TURN, register)
    this.#emit(Op.JUMP, start)
    this.#leave(start, lazy)
    this.#y[turn] = this.#op.length
  }

  #leave(split: number, lazy: boolean): void {
    ;(lazy ? this.#x : this.#y)[split] = this.#op.length
  }

  #split(inside: number, outside: number, lazy: boolean): number {
    return lazy ? this.#emit(Op.SPLIT, outside, inside) : this.#emit(Op.SPLIT, inside, outside)
  }

  #setNumber(set: CharSet): number {
    const known = this.#setIndex.get(set.source)
    if (known !== undefined) return known
    this.#sets.push(set)
    this.#setIndex.set(set.source, this.#sets.length - 1)
    return this.#sets.length - 1
  }
}

function isEmpty(node: Node): boolean {
  return node.type === 'empty' || (node.type === 'sequence' && node.parts.every(isEmpty))
}

/** What the node may take, wherever it stands. */
function withoutConditions(node: Node): Node {
  return rewrite(node, (part) => (part.type === 'assertion' || part.type === 'look' ? { type: 'empty' } : part))
}

function groupBody(node: Node, index: number): Node | undefined {
  if (node.type === 'group' && node.index === index) return node.body
  if (node.type === 'sequence') return firstOf(node.parts, index)
  if (node.type === 'choice') return firstOf(node.options, index)
  return 'body' in node ? groupBody(node.body, index) : undefined
}

function firstOf(nodes: readonly Node[], index: number): Node | undefined {
  for (const node of nodes) {
    const found = groupBody(node, index)
    if (found !== undefined) return found
  }
  return undefined
}
