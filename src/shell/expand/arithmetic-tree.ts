import type { Integer } from './integer.ts'
import { parseConstant } from './integer.ts'

/** A parsed arithmetic expression. Offsets (`at`) say where in the text the token starts that an error at run time names. */
export type Tree =
  | { readonly type: 'constant'; readonly value: Integer }
  | { readonly type: 'slot'; readonly index: number }
  | Variable
  | {
      readonly type: 'assign'
      readonly target: Variable
      readonly operator: BinaryOperator | null
      readonly value: Tree
      readonly at: number
    }
  | { readonly type: 'step'; readonly target: Variable; readonly by: 1 | -1; readonly prefix: boolean }
  /** Operators as written; the last one is applied first. */
  | { readonly type: 'unary'; readonly operators: readonly string[]; readonly operand: Tree }
  | { readonly type: 'binary'; readonly first: Tree; readonly rest: readonly Operation[] }
  | { readonly type: 'and' | 'or'; readonly operands: readonly Tree[] }
  | { readonly type: 'conditional'; readonly test: Tree; readonly yes: Tree; readonly no: Tree }
  | { readonly type: 'comma'; readonly items: readonly Tree[] }

export interface Variable {
  readonly type: 'variable'
  readonly name: string
  /** As written between the brackets. */
  readonly subscript: string | null
}

/** One step of a left-associative run: what is applied to the value so far. */
export interface Operation {
  readonly operator: BinaryOperator
  readonly operand: Tree
  readonly at: number
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '**' | '<<' | '>>' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&' | '^' | '|'

/** An expression that can't be parsed or evaluated. `message` is what bash prints behind `bash: line N: `. */
export class ArithmeticError extends Error {
  override readonly name: string = 'ArithmeticError'
  readonly expression: string
  /** The text from the token at fault on. */
  readonly token: string

  constructor(expression: string, fault: string, token: string) {
    super(`${expression.replace(LEADING_SPACES, '')}: ${fault} (error token is "${token}")`)
    this.expression = expression
    this.token = token
  }
}

/** What a too deep expression is told, be it by its brackets or by variables that name each other. */
export const TOO_DEEP = 'expression recursion level exceeded'

/** Parses an expression; blank text is 0. Throws {@link ArithmeticError}. */
export function parseArithmetic(text: string): Tree {
  return new Parser(text).parse()
}

const LEADING_SPACES = /^[ \t\n]+/
const MAX_DEPTH = 400
const SLOT = 0

const PRECEDENCE: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '==': 6,
  '!=': 6,
  '<': 7,
  '<=': 7,
  '>': 7,
  '>=': 7,
  '<<': 8,
  '>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
  '**': 11,
}

const OPERATORS = /(?:<<|>>)=?|[=!<>]=|&&|\|\||\*\*|[*/%+\-&^|]=|[=<>+\-*/%!()&|^~?:,]/y

/** Tokens: an operator as written, or one of these. `++` and `--` before a variable and behind one are tokens of their own. */
type Kind = 'end' | 'number' | 'name' | 'slot' | 'assign' | '++x' | '--x' | 'x++' | 'x--' | (string & {})

class Parser {
  readonly #text: string
  #at = 0
  #depth = 0
  #kind: Kind = 'end'
  #before: Kind = 'end'
  /** Where the last token that isn't the end starts: what errors point at. */
  #start = 0
  #number: Integer = 0
  #variable: Variable = { type: 'variable', name: '', subscript: null }
  #assignment: BinaryOperator | null = null

  constructor(text: string) {
    this.#text = text
  }

  parse(): Tree {
    this.#next()
    if (this.#kind === 'end') return { type: 'constant', value: 0 }
    const tree = this.#comma()
    if (this.#kind !== 'end') this.#fail('syntax error in expression')
    return tree
  }

  #comma(): Tree {
    const first = this.#assign()
    if (this.#kind !== ',') return first
    const items = [first]
    while (this.#kind === ',') {
      this.#next()
      items.push(this.#assign())
    }
    return { type: 'comma', items }
  }

  #assign(): Tree {
    this.#descend()
    const target = this.#conditional()
    if (this.#kind !== 'assign') return this.#ascend(target)
    if (target.type !== 'variable' || this.#before !== 'name') this.#fail('attempted assignment to non-variable')
    const operator = this.#assignment
    this.#next()
    const value = this.#assign()
    return this.#ascend({ type: 'assign', target, operator, value, at: this.#start })
  }

  #conditional(): Tree {
    const test = this.#binary(1)
    if (this.#kind !== '?') return test
    this.#descend()
    this.#next()
    if (this.#kind === 'end' || this.#kind === ':') this.#fail('expression expected')
    const yes = this.#comma()
    if (this.#kind !== ':') this.#fail("`:' expected for conditional expression")
    this.#next()
    if (this.#kind === 'end') this.#fail('expression expected')
    const no = this.#conditional()
    return this.#ascend({ type: 'conditional', test, yes, no })
  }

  #binary(minimum: number): Tree {
    let left = this.#unary()
    for (;;) {
      const precedence = PRECEDENCE[this.#kind]
      if (precedence === undefined || precedence < minimum) return left
      left = precedence <= 2 ? this.#logical(left, precedence) : precedence === 11 ? this.#power(left) : this.#run(left, precedence)
    }
  }

  #logical(first: Tree, precedence: number): Tree {
    const operands = [first]
    while (PRECEDENCE[this.#kind] === precedence) {
      this.#next()
      operands.push(this.#binary(precedence + 1))
    }
    return { type: precedence === 1 ? 'or' : 'and', operands }
  }

  #power(first: Tree): Tree {
    this.#descend()
    this.#next()
    const operand = this.#binary(11)
    return this.#ascend({ type: 'binary', first, rest: [{ operator: '**', operand, at: this.#start }] })
  }

  #run(first: Tree, precedence: number): Tree {
    const rest: Operation[] = []
    while (PRECEDENCE[this.#kind] === precedence) {
      const operator = this.#kind as BinaryOperator
      this.#next()
      const at = this.#start
      rest.push({ operator, operand: this.#binary(precedence + 1), at })
    }
    return { type: 'binary', first, rest }
  }

  #unary(): Tree {
    const operators: string[] = []
    while (this.#kind === '-' || this.#kind === '+' || this.#kind === '!' || this.#kind === '~') {
      operators.push(this.#kind)
      this.#next()
    }
    const operand = this.#primary()
    return operators.length === 0 ? operand : { type: 'unary', operators, operand }
  }

  #primary(): Tree {
    switch (this.#kind) {
      case 'number': {
        const value = this.#number
        this.#next()
        return { type: 'constant', value }
      }
      case 'slot': {
        const value = this.#number as number
        this.#next()
        return { type: 'slot', index: value }
      }
      case 'name':
        return this.#stepped()
      case '++x':
      case '--x': {
        const by = this.#kind === '++x' ? 1 : -1
        this.#next()
        const target = this.#variable
        // What follows is read as behind a number, but a second step here has an error of its own.
        this.#kind = 'number'
        this.#refuseStep()
        this.#next()
        return { type: 'step', target, by, prefix: true }
      }
      case '(': {
        this.#next()
        const inner = this.#comma()
        if (this.#kind !== ')') this.#fail("missing `)'")
        this.#next()
        return inner
      }
      default:
        return this.#fail('syntax error: operand expected')
    }
  }

  #stepped(): Tree {
    const target = this.#variable
    this.#next()
    if (this.#kind !== 'x++' && this.#kind !== 'x--') return target
    const by = this.#kind === 'x++' ? 1 : -1
    this.#kind = 'number'
    this.#next()
    return { type: 'step', target, by, prefix: false }
  }

  #refuseStep(): void {
    const at = this.#skipSpaces(this.#at)
    const sign = this.#text.slice(at, at + 2)
    if (sign !== '++' && sign !== '--') return
    this.#start = at
    this.#fail(`${sign}: assignment requires lvalue`)
  }

  #next(): void {
    const text = this.#text
    const at = this.#skipSpaces(this.#at)
    this.#before = this.#kind
    this.#at = at
    if (at >= text.length) {
      this.#kind = 'end'
      return
    }
    this.#start = at
    const code = text.charCodeAt(at)
    if (isDigit(code)) this.#constant()
    else if (isNameStart(code)) this.#name()
    else if (code === SLOT && at + 1 < text.length) this.#slot()
    else if ((code === 0x2b || code === 0x2d) && text.charCodeAt(at + 1) === code) this.#doubled(text[at] as string)
    else this.#operator()
  }

  #slot(): void {
    this.#number = this.#text.charCodeAt(this.#at + 1)
    this.#kind = 'slot'
    this.#at += 2
  }

  #operator(): void {
    OPERATORS.lastIndex = this.#at
    const operator = OPERATORS.exec(this.#text)?.[0]
    if (operator === undefined) {
      const complete = this.#before === 'number' || this.#before === 'name' || this.#before === 'slot'
      this.#fail(complete ? 'syntax error: invalid arithmetic operator' : 'syntax error: operand expected')
    }
    this.#at += operator.length
    if (operator !== '=' && (!operator.endsWith('=') || PRECEDENCE[operator] !== undefined)) {
      this.#kind = operator
      return
    }
    this.#kind = 'assign'
    this.#assignment = operator === '=' ? null : (operator.slice(0, -1) as BinaryOperator)
  }

  #constant(): void {
    const text = this.#text
    const start = this.#at
    let end = start + 1
    while (isConstantPart(text.charCodeAt(end))) end += 1
    const constant = text.slice(start, end)
    const value = parseConstant(constant)
    if (typeof value === 'string') throw new ArithmeticError(text.slice(0, end), value, constant)
    this.#number = value
    this.#kind = 'number'
    this.#at = end
  }

  #name(): void {
    const text = this.#text
    const start = this.#at
    let end = start + 1
    while (isNameStart(text.charCodeAt(end)) || isDigit(text.charCodeAt(end))) end += 1
    const name = text.slice(start, end)
    this.#kind = 'name'
    this.#at = end
    if (text[end] !== '[') {
      this.#variable = { type: 'variable', name, subscript: null }
      return
    }
    const close = subscriptEnd(text, end)
    if (close < 0) this.#fail('bad array subscript')
    this.#variable = { type: 'variable', name, subscript: text.slice(end + 1, close) }
    this.#at = close + 1
  }

  /** `++` and `--`: behind a variable, before a variable, or one sign alone. */
  #doubled(sign: string): void {
    if (this.#before === 'name') {
      this.#kind = sign === '+' ? 'x++' : 'x--'
      this.#at += 2
      return
    }
    const prefix = isNameStart(this.#text.charCodeAt(this.#skipSpaces(this.#at + 2)))
    this.#kind = prefix ? (sign === '+' ? '++x' : '--x') : sign
    this.#at += prefix ? 2 : 1
  }

  #skipSpaces(from: number): number {
    let at = from
    for (;;) {
      const code = this.#text.charCodeAt(at)
      if (code !== 0x20 && code !== 0x09 && code !== 0x0a) return at
      at += 1
    }
  }

  #descend(): void {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) this.#fail(TOO_DEEP)
  }

  #ascend(tree: Tree): Tree {
    this.#depth -= 1
    return tree
  }

  #fail(fault: string): never {
    throw new ArithmeticError(this.#text, fault, this.#text.slice(this.#start))
  }
}

/** Offset of the bracket that closes the one at `open`, or -1. Quoted brackets don't count. */
function subscriptEnd(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at += 1
    else if (char === "'" || char === '"') {
      const close = text.indexOf(char, at + 1)
      if (close > 0) at = close
    } else if (char === '[') depth += 1
    else if (char === ']') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return -1
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isNameStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}

function isConstantPart(code: number): boolean {
  return isDigit(code) || isNameStart(code) || code === 0x23 || code === 0x40
}
