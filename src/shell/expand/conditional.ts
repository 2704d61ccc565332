import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { compareBytes } from './byte-order.ts'
import type { Integer } from './integer.ts'
import { wrap } from './integer.ts'

/** What tests ask of the shell. */
export interface TestContext {
  /** `test`, `[` or `[[`: what messages start with. */
  readonly name: string
  /** The file a path as written leads to; null where it can't be had. */
  stat(path: string): MaybePromise<FileStat | null>
  /** As `stat`, of a link itself. */
  lstat(path: string): MaybePromise<FileStat | null>
  /** Whether the file may be used so. Left out: everything that exists may be read and written, and executed where a mode bit says so or it is a directory. */
  access?(path: string, use: 'read' | 'write' | 'execute'): MaybePromise<boolean>
  isTerminal(descriptor: number): boolean
  /** `-v`: the variable, or the element (`a[1]`, `a[@]`), has a value. */
  isSet(name: string): boolean
  /** `-R` */
  isNameReference(name: string): boolean
  /** `-o` */
  isOptionOn(name: string): boolean
  /** For `[[ ]]`: the operands of `-eq` and its kin are expressions. Left out: they must be plain integers. */
  evaluate?(expression: string): Integer
  /** User and group that `-O` and `-G` compare with; 0 where left out. */
  readonly uid?: number
  readonly gid?: number
  /** Takes a message, such as `[: too many arguments`. */
  report(message: string): void
}

/** A test that makes no sense: a message without the name of the command. */
export class TestError extends Error {
  override readonly name: string = 'TestError'
}

/**
 * The `test` and `[` builtins: 0 true, 1 false, 2 an error that was reported. `args` are the arguments behind the name; for `[` the last
 * one must be `]`.
 */
export function evaluateTest(args: readonly string[], context: TestContext): MaybePromise<number> {
  let operands = args
  if (context.name === '[') {
    if (args.at(-1) !== ']') {
      context.report("[: missing `]'")
      return 2
    }
    operands = args.slice(0, -1)
  }
  const { primaries, result, fault } = new TestParser(operands).parse()
  const finish = (values: readonly boolean[]): number => {
    if (fault !== null) throw new TestError(fault)
    return truth(result, values) ? 0 : 1
  }
  const refuse = (error: unknown): number => {
    if (!(error instanceof TestError)) throw error
    context.report(`${context.name}: ${error.message}`)
    return 2
  }
  try {
    const values = evaluateAll(primaries, context, 0, [])
    return isPromise(values) ? values.then(finish).catch(refuse) : finish(values)
  } catch (error) {
    return refuse(error)
  }
}

/** True for what {@link unaryTest} knows: `-e`, `-z`, … */
export function isUnaryOperator(operator: string): boolean {
  return /^-[abcdefghknoprstuvwxzGLNORS]$/.test(operator)
}

/** True for what {@link binaryTest} knows: `=`, `-eq`, `-nt`, … */
export function isBinaryOperator(operator: string): boolean {
  return BINARY.has(operator)
}

/** A test of one operand. Throws {@link TestError} for an operator it doesn't know. */
export function unaryTest(operator: string, operand: string, context: TestContext): MaybePromise<boolean> {
  switch (operator) {
    case '-n':
      return operand !== ''
    case '-z':
      return operand === ''
    case '-v':
      return context.isSet(operand)
    case '-R':
      return context.isNameReference(operand)
    case '-o':
      return context.isOptionOn(operand)
    case '-t': {
      const descriptor = plainInteger(operand)
      return descriptor !== null && descriptor >= 0 && descriptor <= 0x7fff_ffff && context.isTerminal(Number(descriptor))
    }
    case '-a':
    case '-e':
      return file(context.stat(operand), () => true)
    case '-h':
    case '-L':
      return file(context.lstat(operand), (stat) => stat.type === 'symlink')
    case '-r':
      return context.access?.(operand, 'read') ?? file(context.stat(operand), () => true)
    case '-w':
      return context.access?.(operand, 'write') ?? file(context.stat(operand), () => true)
    case '-x':
      return (
        context.access?.(operand, 'execute') ??
        file(context.stat(operand), (stat) => stat.type === 'directory' || (stat.mode & 0o111) !== 0)
      )
    default: {
      const test = FILE_TESTS.get(operator)
      if (test === undefined) throw new TestError(`${operator}: unary operator expected`)
      return file(context.stat(operand), (stat) => test(stat, context))
    }
  }
}

/** A test of two operands; `=`, `==` and `!=` compare texts. Throws {@link TestError}. */
export function binaryTest(operator: string, left: string, right: string, context: TestContext): MaybePromise<boolean> {
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return compareBytes(left, right) < 0
    case '>':
      return compareBytes(left, right) > 0
    case '-eq':
    case '-ne':
    case '-lt':
    case '-le':
    case '-gt':
    case '-ge':
      return compareIntegers(operator, integerOf(left, context), integerOf(right, context))
    case '-ef':
      return both(left, right, context, (one, other) => one !== null && other !== null && one.dev === other.dev && one.ino === other.ino)
    case '-nt':
      return both(left, right, context, isNewer)
    case '-ot':
      return both(left, right, context, (one, other) => isNewer(other, one))
    default:
      throw new TestError(`${operator}: binary operator expected`)
  }
}

type FileTest = (stat: FileStat, context: TestContext) => boolean

const BINARY: ReadonlySet<string> = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-ef', '-nt', '-ot'])

const FILE_TESTS: ReadonlyMap<string, FileTest> = new Map<string, FileTest>([
  ['-f', (stat) => stat.type === 'file'],
  ['-d', (stat) => stat.type === 'directory'],
  ['-c', (stat) => stat.type === 'character-device'],
  ['-p', (stat) => stat.type === 'fifo'],
  ['-b', () => false],
  ['-S', () => false],
  ['-s', (stat) => stat.size > 0],
  ['-u', (stat) => (stat.mode & 0o4000) !== 0],
  ['-g', (stat) => (stat.mode & 0o2000) !== 0],
  ['-k', (stat) => (stat.mode & 0o1000) !== 0],
  ['-N', (stat) => stat.mtimeMs > stat.atimeMs],
  ['-O', (stat, context) => stat.uid === (context.uid ?? 0)],
  ['-G', (stat, context) => stat.gid === (context.gid ?? 0)],
])

function file(stat: MaybePromise<FileStat | null>, test: (stat: FileStat) => boolean): MaybePromise<boolean> {
  if (isPromise(stat)) return stat.then((found) => found !== null && test(found))
  return stat !== null && test(stat)
}

function both(
  left: string,
  right: string,
  context: TestContext,
  test: (left: FileStat | null, right: FileStat | null) => boolean,
): MaybePromise<boolean> {
  const one = context.stat(left)
  const other = context.stat(right)
  if (isPromise(one) || isPromise(other)) return Promise.all([one, other]).then(([first, second]) => test(first, second))
  return test(one, other)
}

function isNewer(one: FileStat | null, other: FileStat | null): boolean {
  return one !== null && (other === null || one.mtimeMs > other.mtimeMs)
}

function compareIntegers(operator: string, left: Integer, right: Integer): boolean {
  switch (operator) {
    case '-eq':
      return left === right
    case '-ne':
      return left !== right
    case '-lt':
      return left < right
    case '-le':
      return left <= right
    case '-gt':
      return left > right
    default:
      return left >= right
  }
}

function integerOf(text: string, context: TestContext): Integer {
  if (context.evaluate !== undefined) return context.evaluate(text)
  const value = plainInteger(text)
  if (value === null) throw new TestError(`${text}: integer expression expected`)
  return value
}

function plainInteger(text: string): Integer | null {
  if (/^-?\d{1,15}$/.test(text)) return Number(text) + 0
  const match = /^[ \t\n\v\f\r]*([+-]?\d+)[ \t]*$/.exec(text)
  if (match === null) return null
  const digits = match[1] as string
  const value = BigInt(digits.startsWith('+') ? digits.slice(1) : digits)
  return BigInt.asIntN(64, value) === value ? wrap(value) : null
}

type Primary =
  | { readonly type: 'unary'; readonly operator: string; readonly operand: string }
  | { readonly type: 'binary'; readonly operator: string; readonly left: string; readonly right: string }

/** How the primaries combine: one of them by its place, or what is made of others. */
type Combination =
  | number
  | { readonly type: 'not'; readonly operand: Combination }
  | { readonly type: 'and' | 'or'; readonly operands: readonly Combination[] }

/** All primaries are evaluated, in order: nothing is skipped, so that a wrong operand is always reported. */
function evaluateAll(primaries: readonly Primary[], context: TestContext, from: number, values: boolean[]): MaybePromise<boolean[]> {
  for (let at = from; at < primaries.length; at++) {
    const primary = primaries[at] as Primary
    const value =
      primary.type === 'unary'
        ? unaryTest(primary.operator, primary.operand, context)
        : binaryTest(primary.operator, primary.left, primary.right, context)
    if (isPromise(value)) {
      return value.then((settled) => {
        values.push(settled)
        return evaluateAll(primaries, context, at + 1, values)
      })
    }
    values.push(value)
  }
  return values
}

function truth(combination: Combination, values: readonly boolean[]): boolean {
  if (typeof combination === 'number') return values[combination] === true
  if (combination.type === 'not') return !truth(combination.operand, values)
  if (combination.type === 'and') return combination.operands.every((operand) => truth(operand, values))
  return combination.operands.some((operand) => truth(operand, values))
}

const MAX_DEPTH = 1000

class TestParser {
  readonly #args: readonly string[]
  readonly #primaries: Primary[] = []
  #at = 0
  #depth = 0

  constructor(args: readonly string[]) {
    this.#args = args
  }

  /** `fault`: what is wrong behind the primaries, to be told once those are evaluated. */
  parse(): { primaries: readonly Primary[]; result: Combination; fault: string | null } {
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
