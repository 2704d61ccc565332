import { WORD } from './char-set.ts'
import type { Program } from './program.ts'
import { ASSERTIONS, Op } from './program.ts'
import { RegexError } from './regex-error.ts'

/** What lies on one side of a place in the text, as far as assertions ask. */
export const Edge = { TEXT: 0, LINE: 1, WORD: 2, OTHER: 3 } as const

/** The class of characters that stands for the end of the text. */
export const END = 0

/** The state that nothing leads out of. States are offsets in the table, so that `state + class` is an entry. */
export const DEAD = 1

/**
 * A pattern as an automaton whose states are made when first needed: one look-up a character, whatever the pattern.
 *
 * An entry of the table is 0 while unknown, a state, or a state negated: then the pattern matched up to the place
 * *before* the character just taken. {@link Automaton.take} and {@link Automaton.classOf} may renew `table` and `stride`.
 */
export class Automaton {
  /** `table[state + class]`. */
  table: Int32Array = new Int32Array(0)
  /** Entries a state has in the table; grows when a new class of characters turns up. */
  stride = 8
  /** Class of each ASCII character. */
  readonly ascii: Uint16Array = new Uint16Array(128)
  readonly #program: Program
  readonly #multiline: boolean
  readonly #closure: Closure
  readonly #classes = new Map<string, number>()
  readonly #wide = new Map<number, number>()
  /** By class: which sets hold it, and its edge. */
  #members: Uint8Array[] = []
  #edges: number[] = []
  #states: State[] = []
  #byKey = new Map<string, number>()
  #starts: number[] = []
  #work = 0
  #generation = 0
  /** Instructions noted in all states together. */
  #held = 0

  constructor(program: Program, multiline: boolean) {
    this.#program = program
    this.#multiline = multiline
    this.#closure = new Closure(program)
    this.#members.push(new Uint8Array(program.sets.length))
    this.#edges.push(Edge.TEXT)
    for (let point = 0; point < 128; point++) this.ascii[point] = this.#classify(point)
    this.#forget()
  }

  /** The state to begin in behind such an edge. */
  start(edge: number): number {
    this.#work = 0
    const known = this.#starts[edge]
    if (known !== undefined) return known
    this.#closure.clear()
    this.#closure.add(0)
    const state = this.#intern(this.#closure.kernel(), this.#program.asserts ? edge : Edge.OTHER)
    this.#starts[edge] = state
    return state
  }

  /** The class of a character: those the pattern can't tell apart share one. */
  classOf(point: number): number {
    if (point < 128) return this.ascii[point] as number
    const known = this.#wide.get(point)
    if (known !== undefined) return known
    const found = this.#classify(point)
    this.#wide.set(point, found)
    return found
  }

  /** A state that was given when the stride was `stride`, as it is numbered now. */
  renumber(state: number, stride: number): number {
    return DEAD + ((state - DEAD) / stride) * this.stride
  }

  edgeOf(point: number): number {
    if (this.#multiline && point === 10) return Edge.LINE
    return WORD.has(point) ? Edge.WORD : Edge.OTHER
  }

  /** Fills in and gives an entry of the table that is 0. */
  take(state: number, kind: number): number {
    const from = this.#states[(state - DEAD) / this.stride] as State
    const program = this.#program
    const closure = this.#closure
    let nodes = from.nodes
    if (program.asserts && from.pending) {
      closure.clear()
      for (const pc of nodes) closure.addAt(pc, (assertion) => this.#holds(assertion, from.edge, this.#edges[kind] as number))
      nodes = closure.kernel()
    }
    closure.clear()
    let matched = false
    const members = this.#members[kind] as Uint8Array
    for (const pc of nodes) {
      const op = program.op[pc]
      if (op === Op.MATCH) matched = true
      else if (op === Op.SET && kind !== END) {
        const set = program.x[pc] as number
        if (set < 0 || members[set] === 1) closure.add(pc + 1)
      }
    }
    const kernel = closure.kernel()
    this.#work += nodes.length + kernel.length + 4
    if (this.#work > MOST_WORK) throw new RegexError('Regular expression too big')
    const before = this.#generation
    const target = this.#intern(kernel, program.asserts ? (this.#edges[kind] as number) : Edge.OTHER)
    const entry = matched ? -target : target
    if (this.#generation === before) this.table[state + kind] = entry
    return entry
  }

  #classify(point: number): number {
    const { sets, asserts } = this.#program
    const members = new Uint8Array(sets.length)
    sets.forEach((set, index) => {
      members[index] = set.has(point) ? 1 : 0
    })
    const edge = asserts ? this.edgeOf(point) : Edge.OTHER
    const key = `${edge}${members.join('')}`
    const known = this.#classes.get(key)
    if (known !== undefined) return known
    const found = this.#members.push(members) - 1
    this.#edges.push(edge)
    this.#classes.set(key, found)
    if (found >= this.stride) this.#widen()
    return found
  }

  /** Doubles the stride; what the table knows stays. */
  #widen(): void {
    const old = this.stride
    this.stride = old * 2
    const table = new Int32Array(DEAD + this.stride * Math.max(8, this.#states.length))
    for (let state = 0; state < this.#states.length; state++) {
      for (let kind = 0; kind < old; kind++) {
        const entry = this.table[DEAD + state * old + kind] as number
        table[DEAD + state * this.stride + kind] = entry === 0 ? 0 : entry < 0 ? -this.renumber(-entry, old) : this.renumber(entry, old)
      }
    }
    table.fill(DEAD, DEAD, DEAD + this.stride)
    this.table = table
    this.#starts = this.#starts.map((state) => this.renumber(state, old))
    for (const [key, state] of this.#byKey) this.#byKey.set(key, this.renumber(state, old))
  }

  #holds(assertion: number, before: number, after: number): boolean {
    switch (ASSERTIONS[assertion]) {
      case 'line-start':
        return before <= Edge.LINE
      case 'line-end':
        return after <= Edge.LINE
      case 'text-start':
        return before === Edge.TEXT
      case 'text-end':
        return after === Edge.TEXT
      case 'word-boundary':
        return (before === Edge.WORD) !== (after === Edge.WORD)
      case 'no-word-boundary':
        return (before === Edge.WORD) === (after === Edge.WORD)
      case 'word-start':
        return before !== Edge.WORD && after === Edge.WORD
      case 'word-end':
        return before === Edge.WORD && after !== Edge.WORD
      case 'no-word-before':
        return before !== Edge.WORD
      default:
        return after !== Edge.WORD
    }
  }

  #intern(nodes: Int32Array, edge: number): number {
    if (nodes.length === 0) return DEAD
    const key = `${edge},${nodes.join()}`
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    if ((this.#states.length + 1) * this.stride > LARGEST_TABLE || this.#held > MOST_HELD) this.#forget()
    const index = this.#states.length
    const pending = nodes.some((pc) => this.#program.op[pc] === Op.ASSERT)
    this.#states.push({ nodes, edge, pending })
    this.#held += nodes.length
    const state = DEAD + index * this.stride
    this.#byKey.set(key, state)
    const needed = DEAD + (index + 1) * this.stride
    if (needed > this.table.length) {
      const larger = new Int32Array(Math.max(needed, this.table.length * 2))
      larger.set(this.table)
      this.table = larger
    }
    return state
  }

  #forget(): void {
    this.#generation += 1
    this.#held = 0
    this.#byKey = new Map()
    this.#starts = []
    this.#states = [{ nodes: new Int32Array(0), edge: Edge.OTHER, pending: false }]
    this.table = new Int32Array(DEAD + this.stride * 8)
    this.table.fill(DEAD, DEAD, DEAD + this.stride)
  }
}

interface State {
  readonly nodes: Int32Array
  /** What was taken last. */
  readonly edge: number
  /** Among the nodes are assertions. */
  readonly pending: boolean
}

/** Entries of the table before all states are dropped. */
const LARGEST_TABLE = 1 << 21
/** Instructions noted in states before all are dropped. */
const MOST_HELD = 1 << 21
/** Instructions looked at for new states between two starts. */
const MOST_WORK = 4e7

/** Instructions reachable without taking a character. */
class Closure {
  readonly #program: Program
  readonly #seen: Int32Array
  #round = 0
  #found: number[] = []
  readonly #stack: number[] = []

  constructor(program: Program) {
    this.#program = program
    this.#seen = new Int32Array(program.op.length)
  }

  clear(): void {
    this.#round += 1
    this.#found = []
  }

  /** Adds what is reachable from `pc`, stopping at assertions. */
  add(pc: number): void {
    this.addAt(pc, null)
  }

  /** Adds what is reachable from `pc`, going on behind the assertions that hold. */
  addAt(from: number, holds: ((assertion: number) => boolean) | null): void {
    const { op, x, y } = this.#program
    const stack = this.#stack
    stack.push(from)
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (this.#seen[pc] === this.#round) continue
      this.#seen[pc] = this.#round
      switch (op[pc]) {
        case Op.JUMP:
          stack.push(x[pc] as number)
          break
        case Op.SPLIT:
          stack.push(y[pc] as number, x[pc] as number)
          break
        case Op.ASSERT:
          if (holds === null) this.#found.push(pc)
          else if (holds(x[pc] as number)) stack.push(pc + 1)
          break
        default:
          this.#found.push(pc)
      }
    }
  }

  /** What has been added since `clear`, sorted. */
  kernel(): Int32Array {
    return Int32Array.from(this.#found).sort()
  }
}
