/** The arguments of `test`, taken apart. */
export interface ParsedTest {
  readonly primaries: readonly Primary[]
  readonly result: Combination
  /** What is wrong behind the primaries: told once those are evaluated, since one of them may be wrong before. */
  readonly fault: string | null
}

/** Parses arguments as POSIX has it for up to four of them, and as bash does for more. Never fails. */
export function parseTest(args: readonly string[]): ParsedTest {
  return new TestParser(args).parse()
}

/** One test. */
export type Primary =
  | { readonly type: 'unary'; readonly operator: string; readonly operand: string }
  | { readonly type: 'binary'; readonly operator: string; readonly left: string; readonly right: string }

/** How the primaries combine: one of them by its place, or what is made of others. */
export type Combination =
  | number
  | { readonly type: 'not'; readonly operand: Combination }
  | { readonly type: 'and' | 'or'; readonly operands: readonly Combination[] }

/** What the combination comes to for the values of its primaries. */
export function isTrue(combination: Combination, values: readonly boolean[]): boolean {
  if (typeof combination === 'number') return values[combination] === true
  if (combination.type === 'not') return !isTrue(combination.operand, values)
  if (combination.type === 'and') return combination.operands.every((operand) => isTrue(operand, values))
  return combination.operands.some((operand) => isTrue(operand, values))
}

/** A test that makes no sense: a message without the name of the command. */
export class TestError extends Error {
  override readonly name: string = 'TestError'
}

/** True for what `unaryTest` knows: `-e`, `-z`, … */
export function isUnaryOperator(operator: string): boolean {
  return /^-[abcdefghknoprstuvwxzGLNORS]$/.test(operator)
}

/** True for what `binaryTest` knows: `=`, `-eq`, `-nt`, … */
export function isBinaryOperator(operator: string): boolean {
  return BINARY.has(operator)
}

const BINARY: ReadonlySet<string> = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-ef', '-nt', '-ot'])

const MAX_DEPTH = 1000

class TestParser {
  readonly #args: readonly string[]
  readonly #primaries: Primary[] = []
  #at = 0
  #depth = 0

  constructor(args: readonly string[]) {
    this.#args = args
  }

  parse(): ParsedTest {
    let result: Combination = 0
    let fault: string | null = null
    try {
      result = this.#whole()
      const rest = this.#args[this.#at]
      if (rest !== undefined) fault = rest.startsWith('-') ? `syntax error: \`${rest}' unexpected` : 'too many arguments'
    } catch (error) {
      if (!(error instanceof TestError)) throw error
      fault = error.message
    }
    return { primaries: this.#primaries, result, fault }
  }

  /** POSIX settles up to four arguments by their number. */
  #whole(): Combination {
    switch (this.#args.length) {
      case 0:
        return { type: 'or', operands: [] }
      case 1:
        return this.#nonempty()
      case 2:
        return this.#two()
      case 3:
        return this.#three()
      case 4:
        if (this.#args[0] === '!') {
          this.#at += 1
          return { type: 'not', operand: this.#three() }
        }
        if (this.#args[0] === '(' && this.#args[3] === ')') {
          this.#at += 1
          const inner = this.#two()
          this.#at += 1
          return inner
        }
        return this.#or()
      default:
        return this.#or()
    }
  }

  #nonempty(): Combination {
    return this.#primary({ type: 'unary', operator: '-n', operand: this.#take() })
  }

  #two(): Combination {
    const operator = this.#args[this.#at] as string
    if (operator === '!') {
      this.#at += 1
      return { type: 'not', operand: this.#nonempty() }
    }
    if (!isUnaryOperator(operator)) throw new TestError(`${operator}: unary operator expected`)
    return this.#unary()
  }

  #three(): Combination {
    const first = this.#args[this.#at] as string
    const operator = this.#args[this.#at + 1] as string
    if (isBinaryOperator(operator)) return this.#binary()
    if (operator === '-a' || operator === '-o') {
      const left = this.#nonempty()
      this.#at += 1
      return { type: operator === '-a' ? 'and' : 'or', operands: [left, this.#nonempty()] }
    }
    if (first === '!') {
      this.#at += 1
      return { type: 'not', operand: this.#two() }
    }
    if (first !== '(' || this.#args[this.#at + 2] !== ')') throw new TestError(`${operator}: binary operator expected`)
    this.#at += 1
    const inner = this.#nonempty()
    this.#at += 1
    return inner
  }

  #or(): Combination {
    const operands = [this.#and()]
    while (this.#args[this.#at] === '-o') {
      this.#at += 1
      operands.push(this.#and())
    }
    return operands.length === 1 ? (operands[0] as Combination) : { type: 'or', operands }
  }

  #and(): Combination {
    const operands = [this.#term()]
    while (this.#args[this.#at] === '-a') {
      this.#at += 1
      operands.push(this.#term())
    }
    return operands.length === 1 ? (operands[0] as Combination) : { type: 'and', operands }
  }

  #term(): Combination {
    let negated = false
    while (this.#args[this.#at] === '!') {
      negated = !negated
      this.#at += 1
    }
    const operand = this.#args[this.#at] === '(' ? this.#group() : this.#simple()
    return negated ? { type: 'not', operand } : operand
  }

  #group(): Combination {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new TestError('too many arguments')
    this.#at += 1
    const inner = this.#or()
    const close = this.#args[this.#at]
    if (close === undefined) throw new TestError("`)' expected")
    if (close !== ')') throw new TestError(`\`)' expected, found ${close}`)
    this.#at += 1
    this.#depth -= 1
    return inner
  }

  #simple(): Combination {
    const first = this.#args[this.#at]
    if (first === undefined) throw new TestError('argument expected')
    const second = this.#args[this.#at + 1]
    if (second !== undefined && this.#at + 2 < this.#args.length && isBinaryOperator(second)) return this.#binary()
    // One without an operand is a text like any other.
    if (second !== undefined && isUnaryOperator(first)) return this.#unary()
    return this.#nonempty()
  }

  #unary(): Combination {
    const operator = this.#take()
    return this.#primary({ type: 'unary', operator, operand: this.#take() })
  }

  #binary(): Combination {
    const left = this.#take()
    const operator = this.#take()
    return this.#primary({ type: 'binary', operator, left, right: this.#take() })
  }

  #primary(primary: Primary): Combination {
    this.#primaries.push(primary)
    return this.#primaries.length - 1
  }

  #take(): string {
    const arg = this.#args[this.#at]
    if (arg === undefined) throw new TestError('argument expected')
    this.#at += 1
    return arg
  }
}
