import { parseLongDouble } from '../shell/expand/long-double.ts'
import type { CommandContext } from './command.ts'
import { UsageError } from './options.ts'
import { quoted } from './quoting.ts'

/** An operand of `seq`, exact: `units / 10 ** scale`. */
export interface SeqNumber {
  readonly units: bigint
  readonly scale: number
  /** +1 or -1 where it is infinite, else 0. */
  readonly infinite: -1 | 0 | 1
  /** Written as -0. */
  readonly negativeZero: boolean
  /** Characters it takes written out. */
  readonly width: number
  /** Digits behind the point as it was written; null where that says nothing (hexadecimal fractions). */
  readonly precision: number | null
}

/** Reads an operand. What is no number is a usage error. */
export function readSeqNumber(operand: string, context: CommandContext): SeqNumber {
  const read = parseLongDouble(operand)
  if (read.length === 0 || read.length !== operand.length) {
    throw new UsageError(`invalid floating point argument: ${quoted(context, operand)}`)
  }
  const { value } = read
  if (value.kind === 'nan') {
    throw new UsageError(`invalid ${quoted(context, 'not-a-number')} argument: ${quoted(context, operand)}`)
  }
  const text = operand.trimStart().replace(/^\++/, '')
  const plain = { infinite: 0, negativeZero: false, width: 0, precision: text.includes('.') || /p/i.test(text) ? null : 0 } as const
  if (value.kind === 'infinite') return { ...plain, units: 0n, scale: 0, infinite: value.negative ? -1 : 1, precision: 0 }
  const decimal = /^(-?)([0-9]*)(\.([0-9]*))?(?:e([-+]?[0-9]+))?$/i.exec(text)
  if (decimal === null) {
    const units = value.negative ? -value.mantissa : value.mantissa
    if (value.exponent >= 0) return { ...plain, units: units << BigInt(value.exponent), scale: 0 }
    return simplest({ ...plain, units: units * 5n ** BigInt(-value.exponent), scale: -value.exponent })
  }
  const [, sign = '', whole = '', point, fraction = '', power = ''] = decimal
  const exponent = Number(power)
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - exponent
  const precision = Math.max(0, scale)
  // What is written before the point: moved by the exponent, at least one digit.
  const before = Math.max(1, whole.length + Math.max(0, exponent)) + (exponent < 0 && whole.length > 0 ? 0 : 0)
  const width = sign.length + before + (precision > 0 ? 1 + precision : 0)
  return {
    ...(scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 }),
    infinite: 0,
    negativeZero: sign === '-' && units === 0n,
    width: point === '.' && fraction === '' && exponent === 0 ? sign.length + whole.length : width,
    precision,
  }
}

/** The number in units of `scale`, which is at least its own. */
export function unitsAt({ units, scale }: SeqNumber, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale)
}

function simplest(number: SeqNumber): SeqNumber {
  let { units, scale } = number
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n
    scale -= 1
  }
  return { ...number, units, scale }
}
