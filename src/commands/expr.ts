import { encode } from '../bytes.ts'
import type { Dialect } from '../regex/posix-syntax.ts'
import { BASIC } from '../regex/posix-syntax.ts'
import { compileRegex, RegexError } from '../regex/regex.ts'
import type { Command, CommandContext } from './command.ts'
import { hasByteCharacters } from './locale.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, complain, utility } from './utility.ts'

const HELP = `Usage: expr EXPRESSION
  or:  expr OPTION
Print the value of EXPRESSION, each of whose words is an argument. From what binds least to what binds most:

  A | B       A where it is neither empty nor 0, else B
  A & B       A where neither is empty or 0, else 0
  A < B  A <= B  A = B  A == B  A != B  A >= B  A > B
              1 where it holds, else 0; as integers where both are, else as texts
  A + B  A - B
  A * B  A / B  A % B
  STRING : REGEX            the match of the basic regular expression at the start of STRING:
  match STRING REGEX        what \\(...\\) holds, or the number of characters
  substr STRING POS LENGTH  part of STRING, the first character being at POS 1
  index STRING CHARS        where the first of CHARS stands in STRING, or 0
  length STRING             characters of STRING
  + TOKEN     TOKEN as a text, whatever it says
  ( A )       the value of A

      --help     show this help
      --version  show the version

The status is 0 where the value is neither empty nor 0, 1 where it is, 2 for a mistake in EXPRESSION, 3 for a fault.
`

const answers: Command = utility({ help: HELP, options: {}, usageStatus: 2, run: () => 0 })

/** `expr`: the value of an expression, given one word an argument. */
export const expr: Command = {
  run(args, context) {
    // Options are known only where there is nothing else.
    const only = args.length === 1 ? (args[0] as string) : ''
    if (only.length > 2 && ['--help', '--version'].some((option) => option.startsWith(only))) return answers.run(args, context)
    const words = args[0] === '--' ? args.slice(1) : args
    if (words.length === 0) return fail(context, `missing operand\nTry '${context.name} --help' for more information.`)
    try {
      const value = new Evaluation(words, context).value()
      return say(context.stdout, `${value}\n`, isNull(value) ? 1 : 0)
    } catch (error) {
      if (error instanceof CommandFailure || error instanceof RegexError) return fail(context, error.message)
      if (error instanceof RangeError) return fail(context, 'expression nested too deeply', 3)
      throw error
    }
  },
}

async function fail(context: CommandContext, message: string, status = 2): Promise<number> {
  await complain(context, message)
  return status
}

/** A text, or an integer of any size. */
type Value = string | bigint

/** The operators of two operands, what binds least first. Those of one level are taken from the left. */
const LEVELS: readonly (readonly string[])[] = [['|'], ['&'], ['<', '<=', '=', '==', '!=', '>=', '>'], ['+', '-'], ['*', '/', '%'], [':']]
const LEVEL_OF: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
)

/** As basic expressions are read when their authors aren't warned of what looks like a slip. */
const DIALECT: Dialect = { ...BASIC, oneRepeat: false, emptyRanges: true }

class Evaluation {
  readonly #words: readonly string[]
  readonly #context: CommandContext
  readonly #bytes: boolean
  #at = 0

  constructor(words: readonly string[], context: CommandContext) {
    this.#words = words
    this.#context = context
    this.#bytes = hasByteCharacters(context)
  }

  value(): Value {
    const value = this.#binary(0, true)
    const extra = this.#words[this.#at]
    if (extra !== undefined) throw new CommandFailure(`syntax error: unexpected argument ${this.#quoted(extra)}`)
    return value
  }

  /** Operators of `level` and up. What has no bearing on the outcome is read but not worked out: `evaluate` is false. */
  #binary(level: number, evaluate: boolean): Value {
    let left = this.#prefix(evaluate)
    for (;;) {
      const operator = this.#words[this.#at]
      const found = operator === undefined ? undefined : LEVEL_OF.get(operator)
      if (operator === undefined || found === undefined || found < level) return left
      this.#at += 1
      const needed = operator === '|' ? isNull(left) : operator !== '&' || !isNull(left)
      const right = this.#binary(found + 1, evaluate && needed)
      if (operator === '|') left = isNull(left) ? (isNull(right) ? 0n : right) : left
      else if (operator === '&') left = isNull(left) || isNull(right) ? 0n : left
      else if (evaluate) left = this.#apply(operator, left, right)
    }
  }

  #apply(operator: string, left: Value, right: Value): Value {
    if (operator === ':') return this.#match(left, right)
    if (LEVEL_OF.get(operator) === 2) return holds(operator, compare(left, right)) ? 1n : 0n
    const a = integer(left)
    const b = integer(right)
    if (a === null || b === null) throw new CommandFailure('non-integer argument')
    if (operator === '+') return a + b
    if (operator === '-') return a - b
    if (operator === '*') return a * b
    if (b === 0n) throw new CommandFailure('division by zero')
    return operator === '/' ? a / b : a % b
  }

  #prefix(evaluate: boolean): Value {
    const word = this.#next()
    switch (word) {
      case '+':
        return this.#next()
      case 'length':
        return BigInt(this.#characters(this.#prefix(evaluate)).length)
      case 'match': {
        const text = this.#prefix(evaluate)
        const pattern = this.#prefix(evaluate)
        return evaluate ? this.#match(text, pattern) : text
      }
      case 'index': {
        const text = this.#characters(this.#prefix(evaluate))
        const wanted = new Set(this.#characters(this.#prefix(evaluate)))
        return BigInt(text.findIndex((character) => wanted.has(character)) + 1)
      }
      case 'substr': {
        const text = this.#characters(this.#prefix(evaluate))
        const start = integer(this.#prefix(evaluate))
        const length = integer(this.#prefix(evaluate))
        if (start === null || length === null || start <= 0n || length <= 0n) return ''
        return text.slice(Number(start) - 1, Number(start - 1n + length)).join('')
      }
      case '(': {
        const value = this.#binary(0, evaluate)
        const close = this.#words[this.#at]
        if (close === undefined) throw new CommandFailure(`syntax error: expecting ')' after ${this.#quotedLast()}`)
        if (close !== ')') throw new CommandFailure(`syntax error: expecting ')' instead of ${this.#quoted(close)}`)
        this.#at += 1
        return value
      }
      case ')':
        throw new CommandFailure("syntax error: unexpected ')'")
      default:
        return word
    }
  }

  #next(): string {
    const word = this.#words[this.#at]
    if (word === undefined) throw new CommandFailure(`syntax error: missing argument after ${this.#quotedLast()}`)
    this.#at += 1
    return word
  }

  #match(value: Value, expression: Value): Value {
    const text = this.#characters(value).join('')
    const regex = compileRegex(this.#characters(expression).join(''), { syntax: DIALECT, bytes: this.#bytes })
    const found = regex.exec(text, 0)
    const match = found?.start === 0 ? found : null
    if (regex.groups > 0) return match?.text(1) ?? ''
    return match === null ? 0n : BigInt(this.#characters(text.slice(0, match.end)).length)
  }

  #characters(value: Value): string[] {
    const text = String(value)
    if (!this.#bytes) return Array.from(text)
    return Array.from(encode(text), (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte))
  }

  #quotedLast(): string {
    return this.#quoted(this.#words[this.#at - 1] ?? '')
  }

  #quoted(word: string): string {
    return quoted(this.#context, word)
  }
}

/** Empty, or made of zeros alone, with a minus or not. */
function isNull(value: Value): boolean {
  return typeof value === 'bigint' ? value === 0n : value === '' || /^-?0+$/.test(value)
}

function integer(value: Value): bigint | null {
  if (typeof value === 'bigint') return value
  if (!/^-?[0-9]+$/.test(value)) return null
  return value.startsWith('-') ? -BigInt(value.slice(1)) : BigInt(value)
}

/** Below, at or above zero, as `left` is below, at or above `right`. */
function compare(left: Value, right: Value): number {
  const a = integer(left)
  const b = integer(right)
  if (a !== null && b !== null) return a < b ? -1 : a > b ? 1 : 0
  return compareBytes(encode(String(left)), encode(String(right)))
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const order = (a[at] as number) - (b[at] as number)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function holds(operator: string, order: number): boolean {
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '!=':
      return order !== 0
    default:
      return order === 0
  }
}
