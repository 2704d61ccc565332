import { decode, encode } from '../../bytes.ts'
import { WorkspaceError } from '../../errors.ts'
import { decodePercentB } from '../syntax/escape-sequence.ts'
import type { LongDouble } from './long-double.ts'
import { parseLongDouble } from './long-double.ts'
import type { Conversion, Directive } from './printf-format.ts'
import { compileFormat } from './printf-format.ts'
import type { Layout } from './printf-layout.ts'
import { formatFloat, formatSigned, formatUnsigned, padText } from './printf-layout.ts'
import { quoteWord } from './quote.ts'
import { byteLength, byteSlice } from './string-length.ts'

export interface PrintfContext {
  /** Milliseconds since the epoch. */
  now(): number
  /** When the shell started, for `%(…)T` of -2; now where it is left out. */
  started?(): number
  /** A time as `strftime` formats it. */
  strftime(format: string, ms: number): string
}

export interface PrintfResult {
  readonly text: string
  readonly status: number
  /** Messages, without the `bash: line N: ` before them. */
  readonly errors: readonly string[]
  /** A `\c` of `%b` ended the output. */
  readonly stopped: boolean
  /** What `%n` assigns: variable and bytes printed before it. */
  readonly assignments: readonly { readonly name: string; readonly value: string }[]
}

/** The `printf` builtin: formats the arguments, using the format again while arguments are left. Throws LIMIT_EXCEEDED for a width of many megabytes. */
export function formatPrintf(format: string, args: readonly string[], context: PrintfContext): PrintfResult {
  return new Printer(args, context).print(compileFormat(format))
}

/** Widest field; bash gives up at 2 GiB, where a page long has. */
const MAX_WIDTH = 64 * 1024 * 1024
const MAX_C_INT = 0x7fff_ffff
/** What `%d` prints as it stands. */
const DECIMAL = /^(?:0|-?[1-9]\d{0,17})$/
const SURROGATE = /[\ud800-\udfff]/
const MIN_SIGNED = -(2n ** 63n)
const MAX_SIGNED = 2n ** 63n - 1n
const MAX_UNSIGNED = 2n ** 64n - 1n

class Printer {
  readonly #args: readonly string[]
  readonly #context: PrintfContext
  readonly #pieces: string[] = []
  readonly #errors: string[] = []
  readonly #assignments: { name: string; value: string }[] = []
  #next = 0
  #status = 0
  #stopped = false
  #failed = false

  constructor(args: readonly string[], context: PrintfContext) {
    this.#args = args
    this.#context = context
  }

  print(directives: readonly Directive[]): PrintfResult {
    for (;;) {
      const before = this.#next
      for (const directive of directives) {
        this.#directive(directive)
        if (this.#stopped || this.#failed) break
      }
      if (this.#stopped || this.#failed || this.#next === before || this.#next >= this.#args.length) break
    }
    const joined = this.#pieces.join('')
    // Bytes printed one by one may make a character together.
    const text = SURROGATE.test(joined) ? decode(encode(joined)) : joined
    return { text, status: this.#status, errors: this.#errors, stopped: this.#stopped, assignments: this.#assignments }
  }

  #directive(directive: Directive): void {
    switch (directive.type) {
      case 'text':
        this.#pieces.push(directive.text)
        for (const error of directive.errors) this.#errors.push(`printf: ${error}`)
        return
      case 'warning':
        this.#errors.push(`printf: ${directive.message}`)
        return
      case 'failure':
        this.#complain(directive.message)
        this.#failed = true
        return
      case 'conversion':
        this.#conversion(directive)
        return
      default:
        directive satisfies never
    }
  }

  #conversion(given: Conversion): void {
    const { letter } = given
    if (given.bare && letter === 's') {
      this.#pieces.push(this.#argument() ?? '')
      return
    }
    if (given.bare && letter === 'd' && DECIMAL.test(this.#args[this.#next] ?? '')) {
      this.#pieces.push(this.#argument() as string)
      return
    }
    const starWidth = given.width === '*' ? this.#count() : given.width
    const starPrecision = given.precision === '*' ? this.#count() : given.precision
    const layout: Layout = {
      left: given.left || (starWidth ?? 0) < 0,
      zero: given.zero,
      plus: given.plus,
      space: given.space,
      alternate: given.alternate,
      width: Math.abs(starWidth ?? 0),
      precision: starPrecision === null || starPrecision < 0 ? null : starPrecision,
    }
    if (layout.width >= MAX_C_INT || (layout.precision ?? 0) >= MAX_C_INT) {
      this.#argument()
      return
    }
    if (layout.width > MAX_WIDTH || ((layout.precision ?? 0) > MAX_WIDTH && 'diouxXeEfFgGaA'.includes(letter))) {
      throw new WorkspaceError('LIMIT_EXCEEDED', `printf: a field of more than ${MAX_WIDTH} bytes`)
    }
    switch (letter) {
      case 's':
        this.#pieces.push(padText(this.#argument() ?? '', layout))
        return
      case 'b':
        this.#escaped(layout)
        return
      case 'q':
        this.#pieces.push(padText(quoteWord(this.#argument() ?? ''), layout))
        return
      case 'Q': {
        const text = this.#argument() ?? ''
        const cut = layout.precision === null ? text : byteSlice(text, layout.precision)
        this.#pieces.push(padText(quoteWord(cut), { ...layout, precision: null }))
        return
      }
      case 'c': {
        const text = this.#argument() ?? ''
        this.#pieces.push(padText(text === '' ? '\0' : byteSlice(text, 1), { ...layout, precision: null }))
        return
      }
      case 'n':
        this.#assign()
        return
      case 'T':
        this.#pieces.push(padText(this.#context.strftime(given.time, this.#time()), layout))
        return
      case 'd':
      case 'i':
        this.#pieces.push(formatSigned(this.#integer(MIN_SIGNED, MAX_SIGNED), layout))
        return
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        this.#pieces.push(formatUnsigned(BigInt.asUintN(64, this.#integer(-MAX_UNSIGNED, MAX_UNSIGNED)), letter, layout))
        return
      default:
        this.#pieces.push(formatFloat(this.#float(), letter, layout))
    }
  }

  #escaped(layout: Layout): void {
    const { text, stopped, errors } = decodePercentB(this.#argument() ?? '')
    for (const error of errors) this.#errors.push(`printf: ${error}`)
    this.#pieces.push(padText(text, layout))
    this.#stopped = stopped
  }

  #assign(): void {
    const name = this.#argument()
    if (name === undefined) return
    if (/^[a-zA-Z_][a-zA-Z0-9_]*(?:\[.+\])?$/.test(name)) {
      this.#assignments.push({ name, value: String(byteLength(this.#pieces.join(''))) })
      return
    }
    this.#complain(`\`${name}': not a valid identifier`)
    this.#failed = true
  }

  #time(): number {
    const missing = this.#next >= this.#args.length
    const seconds = missing ? -1n : this.#integer(MIN_SIGNED, MAX_SIGNED)
    if (seconds === -1n) return this.#context.now()
    if (seconds === -2n) return this.#context.started?.() ?? this.#context.now()
    return Number(seconds) * 1000
  }

  /** The argument of a `*`: a C int. */
  #count(): number {
    const value = Number(this.#integer(MIN_SIGNED, MAX_SIGNED))
    return Math.max(-MAX_C_INT, Math.min(MAX_C_INT, value))
  }

  #integer(least: bigint, most: bigint): bigint {
    const text = this.#argument()
    if (text === undefined || text === '') return 0n
    if (text[0] === '"' || text[0] === "'") return BigInt(text.codePointAt(1) ?? 0)
    const match = /^[ \t\n\v\f\r]*([+-]?)(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|(\d+))/.exec(text)
    if (match === null || match[0].length < text.length) this.#complain(`${text}: ${wrongNumber(text)}`)
    if (match === null) return 0n
    const [, sign, hexadecimal, octal, decimal] = match
    const magnitude = BigInt(hexadecimal !== undefined ? `0x${hexadecimal}` : octal !== undefined ? `0o0${octal}` : (decimal as string))
    const value = sign === '-' ? -magnitude : magnitude
    if (value >= least && value <= most) return value
    this.#errors.push(`printf: warning: ${text}: Numerical result out of range`)
    // strtoumax gives the largest number for what is too far below 0 as well.
    return value < 0n && least === MIN_SIGNED ? least : most
  }

  #float(): LongDouble {
    const text = this.#argument()
    if (text === undefined || text === '') return parseLongDouble('0').value
    if (text[0] === '"' || text[0] === "'") return parseLongDouble(String(text.codePointAt(1) ?? 0)).value
    const { value, length, outOfRange } = parseLongDouble(text)
    if (length < text.length) this.#complain(`${text}: ${wrongNumber(text)}`)
    else if (outOfRange) this.#errors.push(`printf: warning: ${text}: Numerical result out of range`)
    return value
  }

  #argument(): string | undefined {
    const text = this.#args[this.#next]
    if (text !== undefined) this.#next += 1
    return text
  }

  #complain(message: string): void {
    this.#errors.push(`printf: ${message}`)
    this.#status = 1
  }
}

function wrongNumber(text: string): string {
  if (/^0\d/.test(text)) return 'invalid octal number'
  return text.startsWith('0x') ? 'invalid hex number' : 'invalid number'
}
