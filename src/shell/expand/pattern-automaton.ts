import type { CharacterTest } from './character-class.ts'
import { foldCase } from './character-class.ts'
import type { PatternElement, PatternSequence } from './pattern-syntax.ts'

/**
 * Runs a pattern over text in time linear in the text: a deterministic automaton whose states are made when they are first reached.
 * `!(…)` keeps an automaton of its own running inside a state and goes on wherever that one does not accept.
 */
export interface Automaton {
  readonly start: AutomatonState
  step(state: AutomatonState, code: number): AutomatonState
  /** The state behind a first character that only a plain character of the pattern may match. */
  explicit(code: number): AutomatonState
}

export interface AutomatonState {
  readonly accepting: boolean
  /** Neither this text nor any longer one is accepted. */
  readonly dead: boolean
}

/** `reversed`: for reading a text from its end. `floating`: accepts any text that ends (read in that direction) with a match. */
export function createAutomaton(
  alternatives: readonly PatternSequence[],
  options: { nocase: boolean; reversed: boolean; floating: boolean },
): Automaton {
  return new LazyAutomaton(alternatives, options)
}

/** States kept before all are forgotten. */
const MAX_STATES = 1000

type Instruction =
  | { readonly type: 'char'; readonly code: number }
  | { readonly type: 'any' }
  | { readonly type: 'set'; readonly test: CharacterTest }
  | { readonly type: 'split'; targets: number[] }
  | { readonly type: 'not'; readonly inner: LazyAutomaton }
  | { readonly type: 'accept' }

/** Where a run stands: at an instruction, and inside `!(…)` in which state of the inner automaton. */
interface Thread {
  readonly at: number
  readonly inner: State | null
}

class State implements AutomatonState {
  readonly id: number
  readonly threads: readonly Thread[]
  readonly accepting: boolean
  readonly dead: boolean
  ascii: (State | undefined)[] = []
  other: Map<number, State> = new Map()

  constructor(id: number, threads: readonly Thread[], accepting: boolean) {
    this.id = id
    this.threads = threads
    this.accepting = accepting
    this.dead = threads.length === 0 && !accepting
  }
}

class LazyAutomaton implements Automaton {
  readonly start: State
  readonly #nocase: boolean
  readonly #reversed: boolean
  readonly #program: Instruction[] = []
  readonly #states = new Map<string, State>()
  #ids = 0

  constructor(alternatives: readonly PatternSequence[], options: { nocase: boolean; reversed: boolean; floating: boolean }) {
    this.#nocase = options.nocase
    this.#reversed = options.reversed
    if (options.floating) this.#element({ type: 'star' })
    this.#alternatives(alternatives)
    this.#program.push({ type: 'accept' })
    const closure = new Closure(this.#program)
    closure.enter(0)
    this.start = this.#state(closure)
  }

  step(state: State, code: number): State {
    const known = code < 0x80 ? state.ascii[code] : state.other.get(code)
    if (known !== undefined) return known
    const next = this.#advance(state, code)
    if (code < 0x80) state.ascii[code] = next
    else if (state.other.size < MAX_STATES) state.other.set(code, next)
    return next
  }

  explicit(code: number): State {
    const closure = new Closure(this.#program)
    for (const { at } of this.start.threads) {
      const instruction = this.#program[at] as Instruction
      if (instruction.type === 'char' && instruction.code === code) closure.enter(at + 1)
    }
    return this.#state(closure)
  }

  #advance(state: State, code: number): State {
    const closure = new Closure(this.#program)
    const folded = this.#nocase ? foldCase(code) : code
    for (const { at, inner } of state.threads) {
      const instruction = this.#program[at] as Instruction
      if (instruction.type === 'char') {
        if (instruction.code === folded) closure.enter(at + 1)
      } else if (instruction.type === 'set') {
        if (instruction.test(code)) closure.enter(at + 1)
      } else if (instruction.type === 'any') closure.enter(at + 1)
      else if (instruction.type === 'not') closure.within(at, instruction.inner.step(inner as State, code))
    }
    return this.#state(closure)
  }

  #state(closure: Closure): State {
    const key = closure.key()
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= MAX_STATES) this.#forget()
    const state = new State(this.#ids++, closure.threads, closure.accepting)
    this.#states.set(key, state)
    return state
  }

  #forget(): void {
    for (const state of this.#states.values()) {
      state.ascii = []
      state.other = new Map()
    }
    this.#states.clear()
  }

  #alternatives(alternatives: readonly PatternSequence[]): void {
    if (alternatives.length === 1) {
      this.#sequence(alternatives[0] as PatternSequence)
      return
    }
    const split = this.#split()
    const ends: { targets: number[] }[] = []
    for (const sequence of alternatives) {
      split.targets.push(this.#program.length)
      this.#sequence(sequence)
      ends.push(this.#split())
    }
    for (const end of ends) end.targets.push(this.#program.length)
  }

  #sequence(sequence: PatternSequence): void {
    if (this.#reversed) for (let i = sequence.length - 1; i >= 0; i--) this.#element(sequence[i] as PatternElement)
    else for (const element of sequence) this.#element(element)
  }

  #element(element: PatternElement): void {
    switch (element.type) {
      case 'char':
      case 'any':
      case 'set':
        this.#program.push(element)
        return
      case 'star': {
        const at = this.#program.length
        const split = this.#split()
        this.#program.push({ type: 'any' })
        this.#split().targets.push(at)
        split.targets.push(at + 1, this.#program.length)
        return
      }
      case 'group':
        this.#group(element.operator, element.alternatives)
        return
      default:
        element satisfies never
    }
  }

  #group(operator: '?' | '*' | '+' | '@' | '!', alternatives: readonly PatternSequence[]): void {
    if (operator === '!') {
      const inner = new LazyAutomaton(alternatives, { nocase: this.#nocase, reversed: this.#reversed, floating: false })
      this.#program.push({ type: 'not', inner })
      return
    }
    const at = this.#program.length
    const entry = this.#split()
    entry.targets.push(at + 1)
    this.#alternatives(alternatives)
    if (operator === '*' || operator === '+') this.#split().targets.push(at, this.#program.length)
    if (operator === '*' || operator === '?') entry.targets.push(this.#program.length)
  }

  #split(): { targets: number[] } {
    const split = { type: 'split' as const, targets: [] }
    this.#program.push(split)
    return split
  }
}

/** Gathers the threads of one state. */
class Closure {
  readonly threads: Thread[] = []
  accepting = false
  readonly #program: readonly Instruction[]
  readonly #entered = new Set<number>()
  readonly #inside = new Set<string>()
  readonly #keys: string[] = []

  constructor(program: readonly Instruction[]) {
    this.#program = program
  }

  enter(at: number): void {
    const waiting = [at]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.#entered.has(next)) continue
      this.#entered.add(next)
      const instruction = this.#program[next] as Instruction
      if (instruction.type === 'split') waiting.push(...instruction.targets)
      else if (instruction.type === 'accept') this.accepting = true
      else if (instruction.type === 'not') {
        this.#add(next, instruction.inner.start)
        if (!instruction.inner.start.accepting) waiting.push(next + 1)
      } else this.#add(next, null)
    }
  }

  within(at: number, inner: State): void {
    this.#add(at, inner)
    if (!inner.accepting) this.enter(at + 1)
  }

  key(): string {
    return `${this.accepting ? 1 : 0} ${this.#keys.sort().join(' ')}`
  }

  #add(at: number, inner: State | null): void {
    const key = inner === null ? `${at}` : `${at}:${inner.id}`
    if (this.#inside.has(key)) return
    this.#inside.add(key)
    this.#keys.push(key)
    this.threads.push({ at, inner })
  }
}
