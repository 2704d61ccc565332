import { decode, encode } from '../bytes.ts'
import { isPromise } from '../host.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output, writeTo } from './output.ts'
import { quoted } from './quoting.ts'
import { parseSeqFormat, type SeqFormat, type SeqFormatAround, type Units } from './seq-format.ts'
import { readSeqNumber, type SeqNumber, unitsAt } from './seq-number.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { utility } from './utility.ts'

const HELP = `Usage: seq [OPTION]... LAST
       seq [OPTION]... FIRST LAST
       seq [OPTION]... FIRST INCREMENT LAST
Write the numbers from FIRST to LAST, in steps of INCREMENT. FIRST and INCREMENT are 1 when left out.

  -f, --format=FORMAT      write each number by FORMAT, as printf would with one of %e %f %g %a
  -s, --separator=STRING   STRING stands between the numbers, instead of a newline
  -w, --equal-width        fill numbers up with zeros to one width
      --help               show this help
      --version            show the version
`

const CHUNK = 131_072
/** As many as a number that is counted may have. */
const DIGITS = 24

/** `seq`: numbers one after another. */
export const seq: Command = {
  run: (args, context) => withoutNegatives.run(negativesAsOperands(args), context),
}

const withoutNegatives: Command = utility({
  help: HELP,
  options: { 'f|format': 'required', 's|separator': 'required', 'w|equal-width': 'none' },
  operandsEndOptions: true,
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** What looks like a negative number ends the options. */
function negativesAsOperands(args: readonly string[]): readonly string[] {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (/^-[.0-9]/.test(arg)) return [...args.slice(0, at), '--', ...args.slice(at)]
    if (arg === '--' || !arg.startsWith('-')) return args
    if (/^-w*[fs]$|^--(f|fo|for|form|forma|format|s|se|sep.*)$/.test(arg)) at += 1
  }
  return args
}

function* run({ operands, value, has }: ParsedOptions, context: CommandContext): Steps<number> {
  if (operands.length === 0) throw new UsageError('missing operand')
  if (operands[3] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[3])}`)
  const asked = value('f')
  const custom = asked === null ? null : parseSeqFormat(asked, context)
  if (custom !== null && has('w')) throw new UsageError('format string may not be specified when printing equal width strings')
  const last = readSeqNumber(operands.at(-1) as string, context)
  const first = readSeqNumber(operands.length > 1 ? (operands[0] as string) : '1', context)
  const step = readSeqNumber(operands.length > 2 ? (operands[1] as string) : '1', context)
  if (step.units === 0n && step.infinite === 0) {
    throw new UsageError(`invalid Zero increment value: ${quoted(context, operands[1] as string)}`)
  }
  const separator = encode(value('s') ?? '\n')
  const walk = walkOf(first, step, last)
  if (walk === null) return 0
  const width = has('w') ? equalWidth(first, step, last) : 0
  const exact = first.precision !== null && step.precision !== null && last.precision !== null
  const precision = Math.max(first.precision ?? 0, step.precision ?? 0)
  const fast = custom === null && exact && walk.scale === precision && !first.negativeZero && walk.first >= 0n && walk.step > 0n
  if (fast && precision < DIGITS && walk.end < Number.MAX_SAFE_INTEGER && walk.step < Number.MAX_SAFE_INTEGER) {
    const units = { first: Number(walk.first), step: Number(walk.step), end: Number(walk.end), scale: precision }
    yield* writeCounting(units, width, separator, context)
    return 0
  }
  const around = custom ?? (exact ? null : parseSeqFormat('%g', context))
  const format = around?.format ?? fixedFormat(precision, width)
  const end = around === null ? walk.end : withExtra(walk, around, last, context)
  yield* writeAll({ ...walk, end }, format, first.negativeZero, separator, context)
  return 0
}

/** The numbers in units of one scale; `end` is the last of them, or infinite. */
interface Walk {
  readonly first: bigint
  readonly step: bigint
  readonly end: bigint | number
  readonly scale: number
}

function walkOf(first: SeqNumber, step: SeqNumber, last: SeqNumber): Walk | null {
  const scale = Math.max(first.scale, step.scale)
  const up = step.units > 0n
  const start = unitsAt(first, scale)
  const by = unitsAt(step, scale)
  if (last.infinite !== 0) {
    const endless = last.infinite > 0 === up
    return endless ? { first: start, step: by, end: up ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY, scale } : null
  }
  const finest = Math.max(scale, last.scale)
  const distance = unitsAt(last, finest) - unitsAt(first, finest)
  if (distance !== 0n && distance > 0n !== up) return null
  const steps = distance / unitsAt(step, finest)
  return { first: start, step: by, end: start + steps * by, scale }
}

/** GNU's rule: a number past the last one counts too where the format makes it the last one. */
function withExtra(
  { step, end, scale }: Walk,
  { format, number }: SeqFormatAround,
  last: SeqNumber,
  context: CommandContext,
): bigint | number {
  if (typeof end === 'number') return end
  const text = format(end + step, scale, false)
  if (text === format(end, scale, false)) return end
  const written = readSeqNumber(number(text), context)
  const finest = Math.max(written.scale, last.scale)
  return unitsAt(written, finest) === unitsAt(last, finest) ? end + step : end
}

function equalWidth(first: SeqNumber, step: SeqNumber, last: SeqNumber): number {
  const precision = Math.max(first.precision ?? 0, step.precision ?? 0)
  const widthOf = (number: SeqNumber) => {
    const own = number.precision ?? 0
    return number.width + precision - own + (own === 0 && precision > 0 ? 1 : 0) - (own > 0 && precision === 0 ? 1 : 0)
  }
  return Math.max(widthOf(first), widthOf(last))
}

function fixedFormat(precision: number, width: number): SeqFormat {
  return (units, scale, negativeZero) => {
    const sign = units < 0 || negativeZero ? '-' : ''
    const digits = String(units < 0 ? -units : units).padStart(scale + 1, '0')
    const whole = digits.slice(0, digits.length - scale)
    const fraction = digits.slice(digits.length - scale).padEnd(precision, '0')
    return sign + (fraction === '' ? whole : `${whole}.${fraction}`).padStart(width - sign.length, '0')
  }
}

function* writeAll(
  { first, step, end, scale }: Walk,
  format: SeqFormat,
  negativeZero: boolean,
  separator: Uint8Array,
  context: CommandContext,
): Steps<void> {
  const output = new Output(context.stdout)
  const between = decode(separator)
  // Numbers count faster than bigints.
  const safe = [first, step, end].every((units) => units >= Number.MIN_SAFE_INTEGER / 2 && units <= Number.MAX_SAFE_INTEGER / 2)
  const numbers = safe ? counted(Number(first), Number(step), Number(end)) : counted(first, step, end)
  let count = 0
  for (const units of numbers) {
    const text = format(units, scale, negativeZero && count === 0)
    output.text(count > 0 ? between + text : text)
    count += 1
    const settled = output.settle()
    if (isPromise(settled)) yield* wait(settled)
    if ((count & 1023) === 0) yield* wait(context.pause())
  }
  output.text('\n')
  yield* wait(output.flush())
}

function* counted<T extends Units>(first: T, step: T, end: Units): Generator<T> {
  for (let units = first; step > 0 ? units <= end : units >= end; units = ((units as number) + (step as number)) as T) yield units
}

/** Counts in decimal digits, as one would by hand: the fastest there is. */
function* writeCounting(
  { first, step, end, scale }: { first: number; step: number; end: number; scale: number },
  width: number,
  separator: Uint8Array,
  context: CommandContext,
): Steps<void> {
  const digits = new Uint8Array(DIGITS).fill(48)
  const filled = scale > 0 ? width - 1 : width
  let start = DIGITS - Math.max(String(first).length, scale + 1, Math.min(filled, DIGITS))
  const point = scale > 0 ? DIGITS - scale : DIGITS
  digits.set(encode(String(first)), digits.length - String(first).length)
  const built = new ByteBuilder()
  const padding = Math.max(0, filled - DIGITS)
  const longest = padding + DIGITS + separator.length + 2
  const newline = separator.length === 1 ? (separator[0] as number) : -1
  for (let number = first; ; ) {
    // Numbers until the chunk is full, then a chance for others.
    built.reserve(CHUNK + longest)
    const { buffer } = built
    let to = built.length
    let finished = false
    while (to < CHUNK) {
      for (let i = 0; i < padding; i++) buffer[to++] = 48
      for (let at = start; at < point; at++) buffer[to++] = digits[at] as number
      if (scale > 0) {
        buffer[to++] = 46
        for (let at = point; at < DIGITS; at++) buffer[to++] = digits[at] as number
      }
      if (number === end) {
        buffer[to++] = 10
        finished = true
        break
      }
      if (newline >= 0) buffer[to++] = newline
      else for (const byte of separator) buffer[to++] = byte
      number += step
      let at = DIGITS - 1
      for (let carry = step; carry > 0; at--) {
        const sum = (digits[at] as number) - 48 + carry
        if (sum < 10) {
          digits[at] = sum + 48
          break
        }
        digits[at] = (sum % 10) + 48
        carry = Math.floor(sum / 10)
      }
      if (at < start) start = at
    }
    built.length = to
    yield* wait(writeTo(context.stdout, built.take()))
    if (finished) return
    yield* wait(context.pause())
  }
}
