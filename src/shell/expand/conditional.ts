import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { compareBytes } from './byte-order.ts'
import type { Integer } from './integer.ts'
import { wrap } from './integer.ts'
import type { Primary } from './test-expression.ts'
import { isTrue, parseTest, TestError } from './test-expression.ts'

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
  const { primaries, result, fault } = parseTest(operands)
  const finish = (values: readonly boolean[]): number => {
    if (fault !== null) throw new TestError(fault)
    return isTrue(result, values) ? 0 : 1
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
