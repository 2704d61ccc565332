import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { CommandFailure } from '../utility.ts'
import type { FoundFile, Test } from './found-file.ts'

/** One test, action or option of an expression. */
export interface Primary {
  readonly test: Test
  /** What asking costs: tests side by side are asked the cheap ones first. Null for one that does something, which keeps its place. */
  readonly cost: number | null
}

/** The expression word by word. */
export type Word =
  | { readonly type: 'primary'; readonly text: string; readonly primary: Primary }
  | { readonly type: 'operator'; readonly text: string; readonly operator: Operator }

export type Operator = '(' | ')' | '!' | 'and' | 'or' | ','

/**
 * Puts an expression together. `implied`: it is to stand in parentheses of its own, before `-print`, which shows in messages.
 * Throws what GNU find says of one that makes no sense.
 */
export function compileExpression(words: readonly Word[], implied: boolean): Test {
  const reader = new ExpressionReader(words, implied)
  return compile(reader.read())
}

type Tree =
  | { readonly type: 'primary'; readonly primary: Primary }
  | { readonly type: 'not'; readonly body: Tree }
  | { readonly type: 'and' | 'or' | 'list'; readonly parts: readonly Tree[] }

class ExpressionReader {
  readonly #words: readonly Word[]
  readonly #implied: boolean
  #at = 0

  constructor(words: readonly Word[], implied: boolean) {
    this.#words = words
    this.#implied = implied
  }

  read(): Tree {
    const tree = this.#list()
    if (this.#at < this.#words.length) throw new CommandFailure("you have too many ')'")
    return tree
  }

  #list(): Tree {
    return this.#chain('list', ',', () => this.#chain('or', 'or', () => this.#conjunction()))
  }

  #chain(type: 'or' | 'list', operator: Operator, next: () => Tree): Tree {
    const first = next()
    if (!this.#isNext(operator)) return first
    const parts = [first]
    while (this.#isNext(operator)) {
      this.#at += 1
      parts.push(next())
    }
    return { type, parts }
  }

  #conjunction(): Tree {
    const parts = [this.#operand()]
    for (;;) {
      const word = this.#words[this.#at]
      if (word === undefined) break
      if (word.type === 'operator' && word.operator !== '(' && word.operator !== '!') {
        if (word.operator !== 'and') break
        this.#at += 1
      }
      parts.push(this.#operand())
    }
    return parts.length === 1 ? (parts[0] as Tree) : { type: 'and', parts }
  }

  #operand(): Tree {
    let negated = false
    for (;;) {
      const word = this.#words[this.#at]
      if (word === undefined) throw this.#missing(null)
      this.#at += 1
      if (word.type === 'primary') return negate({ type: 'primary', primary: word.primary }, negated)
      switch (word.operator) {
        case '!':
          negated = !negated
          break
        case '(':
          return negate(this.#group(), negated)
        case ')':
          this.#at -= 1
          throw this.#missing(word)
        default:
          throw new CommandFailure(`invalid expression; you have used a binary operator '${word.text}' with nothing before it.`)
      }
    }
  }

  #group(): Tree {
    if (this.#isNext(')')) throw new CommandFailure('invalid expression; empty parentheses are not allowed.')
    if (this.#at === this.#words.length) {
      throw new CommandFailure(
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('",
      )
    }
    const body = this.#list()
    if (!this.#isNext(')')) throw new CommandFailure("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
    this.#at += 1
    return body
  }

  #isNext(operator: Operator): boolean {
    const word = this.#words[this.#at]
    return word?.type === 'operator' && word.operator === operator
  }

  /** Nothing, or a `)`, where an operand should be. */
  #missing(close: Word | null): CommandFailure {
    const before = this.#words[this.#at - 1]
    if (before === undefined) return new CommandFailure("you have too many ')'")
    if (close !== null) return new CommandFailure(`expected an expression between '${before.text}' and ')'`)
    return new CommandFailure(this.#implied ? `expected an expression after '${before.text}'` : 'invalid expression')
  }
}

function negate(tree: Tree, negated: boolean): Tree {
  return negated ? { type: 'not', body: tree } : tree
}

function compile(tree: Tree): Test {
  switch (tree.type) {
    case 'primary':
      return tree.primary.test
    case 'not':
      return negation(compile(tree.body))
    case 'and':
      return conjunction(cheapFirst(tree.parts).map(compile))
    case 'or':
      return disjunction(tree.parts.map(compile))
    case 'list':
      return sequence(tree.parts.map(compile))
    default:
      return tree satisfies never
  }
}

/** Sorts each run of tests that do nothing by what they cost. */
function cheapFirst(parts: readonly Tree[]): Tree[] {
  const sorted: Tree[] = []
  let run: Tree[] = []
  const end = (): void => {
    sorted.push(...run.sort((a, b) => (costOf(a) as number) - (costOf(b) as number)))
    run = []
  }
  for (const part of parts) {
    if (costOf(part) !== null) {
      run.push(part)
      continue
    }
    end()
    sorted.push(part)
  }
  end()
  return sorted
}

function costOf(tree: Tree): number | null {
  if (tree.type === 'primary') return tree.primary.cost
  if (tree.type === 'not') return costOf(tree.body)
  let most = 0
  for (const part of tree.parts) {
    const cost = costOf(part)
    if (cost === null) return null
    most = Math.max(most, cost)
  }
  return most
}

function negation(test: Test): Test {
  return (file) => {
    const holds = test(file)
    return isPromise(holds) ? holds.then((known) => !known) : !holds
  }
}

/** Asks one after the other until one answers `stop`. */
function until(stop: boolean, tests: readonly Test[]): Test {
  const from = (file: FoundFile, start: number): MaybePromise<boolean> => {
    for (let at = start; at < tests.length; at++) {
      const holds = (tests[at] as Test)(file)
      if (isPromise(holds)) return holds.then((known) => (known === stop ? stop : from(file, at + 1)))
      if (holds === stop) return stop
    }
    return !stop
  }
  return (file) => from(file, 0)
}

function conjunction(tests: readonly Test[]): Test {
  const [first, second] = tests
  if (tests.length !== 2 || first === undefined || second === undefined) return until(false, tests)
  return (file) => {
    const holds = first(file)
    if (isPromise(holds)) return holds.then((known) => known && second(file))
    return holds && second(file)
  }
}

function disjunction(tests: readonly Test[]): Test {
  return until(true, tests)
}

function sequence(tests: readonly Test[]): Test {
  const from = (file: FoundFile, start: number): MaybePromise<boolean> => {
    let last = true
    for (let at = start; at < tests.length; at++) {
      const holds = (tests[at] as Test)(file)
      if (isPromise(holds)) return holds.then((known) => (at + 1 < tests.length ? from(file, at + 1) : known))
      last = holds
    }
    return last
  }
  return (file) => from(file, 0)
}
