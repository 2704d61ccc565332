import type { BinaryOperator, Operation, Tree, Variable } from './arithmetic-tree.ts'
import { ArithmeticError, parseArithmetic, TOO_DEEP } from './arithmetic-tree.ts'
import type { Integer } from './integer.ts'
import { add, bitAnd, bitOr, bitXor, divide, multiply, parseInteger, power, remainder, shiftLeft, shiftRight, subtract } from './integer.ts'

export { ArithmeticError } from './arithmetic-tree.ts'
export type { Integer } from './integer.ts'
export { formatInteger, parseInteger } from './integer.ts'

/** The variables an expression works on. */
export interface ArithmeticScope {
  /** Value of a scalar; undefined when unset. May throw (nounset). A number must be a safe integer. */
  read(name: string): string | number | undefined
  write(name: string, value: Integer): void
  /** `subscript` as written: the scope knows whether it is arithmetic or a key. */
  readElement(name: string, subscript: string): string | number | undefined
  writeElement(name: string, subscript: string, value: Integer): void
  /** A subscript that names the same element without evaluating anything again: for `a[i++] += 1`. Left out: the subscript stays as written. */
  fixSubscript?(name: string, subscript: string): string
  /** The value for the characters NUL and `index` that stand in the expression for `$x`. */
  slot(index: number): string | number
}

/** A compiled expression. Throws {@link ArithmeticError}, and what the scope throws. */
export type Arithmetic = (scope: ArithmeticScope) => Integer

/**
 * Compiles an expression; the same text again costs a look-up. Throws {@link ArithmeticError} on a syntax error.
 *
 * Where an operand can stand, NUL followed by the character with code `index` is a slot, which takes its value from the scope. A value that is not
 * a plain integer is evaluated on its own, so whoever wants `$x` to be text inside the expression puts only plain integers into slots
 * (see {@link parseInteger}) and compiles the expanded text otherwise, or when the expression with slots doesn't parse.
 */
export function compileArithmetic(text: string): Arithmetic {
  return compile(text).run
}

interface Compiled {
  readonly run: Arithmetic
  /** How deep its closures nest. */
  readonly depth: number
}

const CACHE_ENTRIES = 2000
const CACHE_TEXT = 2000
/** Nested evaluations, weighed by how deep each nests, that fit on the stack of any runtime. */
const MAX_LEVEL = 1024
const LIMIT = Number.MAX_SAFE_INTEGER

const cache = new Map<string, Compiled>()
let level = 0

function compile(text: string): Compiled {
  const known = cache.get(text)
  if (known !== undefined) return known
  const emitter = new Emitter(text)
  const run = emitter.emit(parseArithmetic(text))
  const compiled: Compiled = { run, depth: emitter.depth }
  if (text.length <= CACHE_TEXT) {
    if (cache.size >= CACHE_ENTRIES) cache.clear()
    cache.set(text, compiled)
  }
  return compiled
}

/** The integer a variable's value stands for. */
function integerOf(value: string | number | undefined, scope: ArithmeticScope): Integer {
  if (typeof value === 'number') return value
  if (value === undefined) return 0
  return parseInteger(value) ?? evaluate(value, scope)
}

function evaluate(text: string, scope: ArithmeticScope): Integer {
  const { run, depth } = compile(text)
  const outer = level
  level += depth
  try {
    if (level > MAX_LEVEL) throw new ArithmeticError(text, TOO_DEEP, text)
    return run(scope)
  } finally {
    level = outer
  }
}

class Emitter {
  depth = 0
  readonly #text: string
  #open = 0

  constructor(text: string) {
    this.#text = text
  }

  emit(tree: Tree): Arithmetic {
    this.#open += 1
    if (this.#open > this.depth) this.depth = this.#open
    const run = this.#emit(tree)
    this.#open -= 1
    return run
  }

  #emit(tree: Tree): Arithmetic {
    switch (tree.type) {
      case 'constant': {
        const { value } = tree
        return () => value
      }
      case 'slot': {
        const { index } = tree
        return (scope) => integerOf(scope.slot(index), scope)
      }
      case 'variable':
        return reader(tree)
      case 'assign':
        return this.#assign(tree.target, tree.operator, this.emit(tree.value), tree.at)
      case 'step':
        return stepper(tree.target, tree.by, tree.prefix)
      case 'unary':
        return unary(tree.operators, this.emit(tree.operand))
      case 'binary':
        return this.#binary(tree.first, tree.rest)
      case 'and':
        return conjunction(tree.operands.map((operand) => this.emit(operand)))
      case 'or':
        return disjunction(tree.operands.map((operand) => this.emit(operand)))
      case 'conditional': {
        const test = this.emit(tree.test)
        const yes = this.emit(tree.yes)
        const no = this.emit(tree.no)
        return (scope) => (test(scope) !== 0 ? yes(scope) : no(scope))
      }
      case 'comma': {
        const items = tree.items.map((item) => this.emit(item))
        return (scope) => {
          let value: Integer = 0
          for (const item of items) value = item(scope)
          return value
        }
      }
      default:
        return tree satisfies never
    }
  }

  #assign(target: Variable, operator: BinaryOperator | null, value: Arithmetic, at: number): Arithmetic {
    const { name, subscript } = target
    if (operator === null && subscript === null) {
      return (scope) => {
        const result = value(scope)
        scope.write(name, result)
        return result
      }
    }
    if (operator === null) {
      return (scope) => {
        const result = value(scope)
        scope.writeElement(name, subscript as string, result)
        return result
      }
    }
    const apply = this.#operation(operator, at)
    if (subscript === null) {
      return (scope) => {
        const before = integerOf(scope.read(name), scope)
        const result = apply(before, value(scope))
        scope.write(name, result)
        return result
      }
    }
    return (scope) => {
      const fixed = fix(scope, name, subscript)
      const before = element(scope, name, fixed)
      const result = apply(before, value(scope))
      scope.writeElement(name, fixed, result)
      return result
    }
  }

  #binary(first: Tree, rest: readonly Operation[]): Arithmetic {
    // A long run is walked in a loop, so that its length is no depth.
    if (rest.length > 8) return this.#run(first, rest)
    let left = this.emit(first)
    let simple: Tree | null = first
    for (const { operator, operand, at } of rest) {
      const constant = operand.type === 'constant' && typeof operand.value === 'number' ? operand.value : null
      left =
        (constant === null ? null : simple?.type === 'variable' ? withConstant(simple, operator, constant) : null) ??
        this.#pair(left, operator, this.emit(operand), at)
      simple = null
    }
    return left
  }

  #run(first: Tree, rest: readonly Operation[]): Arithmetic {
    const start = this.emit(first)
    const steps = rest.map(({ operator, operand, at }) => ({ apply: this.#operation(operator, at), value: this.emit(operand) }))
    return (scope) => {
      let result = start(scope)
      for (const { apply, value } of steps) result = apply(result, value(scope))
      return result
    }
  }

  #pair(left: Arithmetic, operator: BinaryOperator, right: Arithmetic, at: number): Arithmetic {
    switch (operator) {
      case '+':
        return (scope) => {
          const a = left(scope)
          const b = right(scope)
          if (typeof a === 'number' && typeof b === 'number') {
            const sum = a + b
            if (sum <= LIMIT && sum >= -LIMIT) return sum
          }
          return add(a, b)
        }
      case '-':
        return (scope) => {
          const a = left(scope)
          const b = right(scope)
          if (typeof a === 'number' && typeof b === 'number') {
            const difference = a - b
            if (difference <= LIMIT && difference >= -LIMIT) return difference
          }
          return subtract(a, b)
        }
      case '*':
        return (scope) => multiply(left(scope), right(scope))
      case '<':
        return (scope) => (left(scope) < right(scope) ? 1 : 0)
      case '<=':
        return (scope) => (left(scope) <= right(scope) ? 1 : 0)
      case '>':
        return (scope) => (left(scope) > right(scope) ? 1 : 0)
      case '>=':
        return (scope) => (left(scope) >= right(scope) ? 1 : 0)
      case '==':
        return (scope) => (left(scope) === right(scope) ? 1 : 0)
      case '!=':
        return (scope) => (left(scope) !== right(scope) ? 1 : 0)
      default: {
        const apply = this.#operation(operator, at)
        return (scope) => apply(left(scope), right(scope))
      }
    }
  }

  #operation(operator: BinaryOperator, at: number): (left: Integer, right: Integer) => Integer {
    switch (operator) {
      case '+':
        return add
      case '-':
        return subtract
      case '*':
        return multiply
      case '/':
        return (left, right) => (right === 0 ? this.#fail('division by 0', at) : divide(left, right))
      case '%':
        return (left, right) => (right === 0 ? this.#fail('division by 0', at) : remainder(left, right))
      case '**':
        return (left, right) => (right < 0 ? this.#fail('exponent less than 0', at) : power(left, right))
      case '<<':
        return shiftLeft
      case '>>':
        return shiftRight
      case '&':
        return bitAnd
      case '^':
        return bitXor
      case '|':
        return bitOr
      case '<':
        return (left, right) => (left < right ? 1 : 0)
      case '<=':
        return (left, right) => (left <= right ? 1 : 0)
      case '>':
        return (left, right) => (left > right ? 1 : 0)
      case '>=':
        return (left, right) => (left >= right ? 1 : 0)
      case '==':
        return (left, right) => (left === right ? 1 : 0)
      case '!=':
        return (left, right) => (left !== right ? 1 : 0)
      default:
        return operator satisfies never
    }
  }

  #fail(fault: string, at: number): never {
    throw new ArithmeticError(this.#text, fault, this.#text.slice(at))
  }
}

function reader({ name, subscript }: Variable): Arithmetic {
  if (subscript !== null) return (scope) => element(scope, name, subscript)
  return (scope) => {
    const value = scope.read(name)
    return typeof value === 'number' ? value : integerOf(value, scope)
  }
}

/** An element's value. Its subscript may be evaluated in turn, so it counts as nesting. */
function element(scope: ArithmeticScope, name: string, subscript: string): Integer {
  const outer = level
  level += 2
  try {
    if (level > MAX_LEVEL) throw new ArithmeticError(subscript, TOO_DEEP, subscript)
    return integerOf(scope.readElement(name, subscript), scope)
  } finally {
    level = outer
  }
}

function fix(scope: ArithmeticScope, name: string, subscript: string): string {
  return scope.fixSubscript?.(name, subscript) ?? subscript
}

function stepper({ name, subscript }: Variable, by: 1 | -1, prefix: boolean): Arithmetic {
  if (subscript !== null) {
    return (scope) => {
      const fixed = fix(scope, name, subscript)
      const before = element(scope, name, fixed)
      const after = add(before, by)
      scope.writeElement(name, fixed, after)
      return prefix ? after : before
    }
  }
  return (scope) => {
    const value = scope.read(name)
    const before = typeof value === 'number' ? value : integerOf(value, scope)
    const after = add(before, by)
    scope.write(name, after)
    return prefix ? after : before
  }
}

function unary(operators: readonly string[], operand: Arithmetic): Arithmetic {
  const only = operators.length === 1 ? operators[0] : null
  if (only === '-') return (scope) => subtract(0, operand(scope))
  if (only === '!') return (scope) => (operand(scope) === 0 ? 1 : 0)
  return (scope) => operators.reduceRight(applyUnary, operand(scope))
}

function applyUnary(value: Integer, operator: string): Integer {
  switch (operator) {
    case '-':
      return subtract(0, value)
    case '!':
      return value === 0 ? 1 : 0
    case '~':
      return subtract(-1, value)
    default:
      return value
  }
}

function conjunction(operands: readonly Arithmetic[]): Arithmetic {
  return (scope) => {
    for (const operand of operands) if (operand(scope) === 0) return 0
    return 1
  }
}

function disjunction(operands: readonly Arithmetic[]): Arithmetic {
  return (scope) => {
    for (const operand of operands) if (operand(scope) !== 0) return 1
    return 0
  }
}

/** The forms that loops are made of: a variable against a number. */
function withConstant(variable: Variable, operator: BinaryOperator, constant: number): Arithmetic | null {
  const { name, subscript } = variable
  if (subscript !== null) return null
  switch (operator) {
    case '+':
    case '-': {
      const by = operator === '+' ? constant : -constant
      return (scope) => {
        const value = scope.read(name)
        if (typeof value !== 'number') return add(integerOf(value, scope), by)
        const sum = value + by
        return sum <= LIMIT && sum >= -LIMIT ? sum : add(value, by)
      }
    }
    case '<':
      return (scope) => {
        const value = scope.read(name)
        return (typeof value === 'number' ? value : integerOf(value, scope)) < constant ? 1 : 0
      }
    case '<=':
      return (scope) => {
        const value = scope.read(name)
        return (typeof value === 'number' ? value : integerOf(value, scope)) <= constant ? 1 : 0
      }
    case '>':
      return (scope) => (integerOf(scope.read(name), scope) > constant ? 1 : 0)
    case '>=':
      return (scope) => (integerOf(scope.read(name), scope) >= constant ? 1 : 0)
    case '==':
      return (scope) => (integerOf(scope.read(name), scope) === constant ? 1 : 0)
    case '!=':
      return (scope) => (integerOf(scope.read(name), scope) !== constant ? 1 : 0)
    default:
      return null
  }
}
