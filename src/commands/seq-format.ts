import { formatExponential, formatFixed, formatGeneral, formatHexadecimal, parseLongDouble } from '../shell/expand/long-double.ts'
import type { CommandContext } from './command.ts'
import { quoted } from './quoting.ts'
import { CommandFailure } from './utility.ts'

/** A whole number; one that is not exact as a number is a bigint. */
export type Units = bigint | number

/** Writes the number that `units / 10 ** scale` is; a zero may be one below zero. */
export type SeqFormat = (units: Units, scale: number, negativeZero: boolean) => string

type DigitFormat = (units: Units, scale: number) => string

/** A format with text round the number. */
export interface SeqFormatAround {
  readonly format: SeqFormat
  /** The number alone of what the format wrote. */
  number(text: string): string
}

/** What `-f` asks for: text round one `%` directive for a floating point number. A format that is none ends the command. */
export function parseSeqFormat(format: string, context: CommandContext): SeqFormatAround {
  const name = quoted(context, format)
  const start = /^(?:[^%]|%%)*/.exec(format)?.[0].length ?? 0
  if (start === format.length) throw new CommandFailure(`format ${name} has no % directive`)
  const directive = /^%([-+#0 ']*)([0-9]*)(?:\.([0-9]*))?L?([\s\S]?)/.exec(format.slice(start))
  const [whole = '', flags = '', width = '', precision, letter = ''] = directive ?? []
  if (letter === '') throw new CommandFailure(`format ${name} ends in %`)
  if (!'efgaEFGA'.includes(letter)) throw new CommandFailure(`format ${name} has unknown %${letter} directive`)
  const rest = format.slice(start + whole.length)
  const end = /^(?:[^%]|%%)*/.exec(rest)?.[0].length ?? 0
  if (end < rest.length) throw new CommandFailure(`format ${name} has too many % directives`)
  const before = format.slice(0, start).replaceAll('%%', '%')
  const after = rest.replaceAll('%%', '%')
  const number = numberFormat(letter, flags, Number(width), precision === undefined ? null : Number(precision))
  return {
    format: (units, scale, negativeZero) => before + number(units, scale, negativeZero) + after,
    number: (text) => text.slice(before.length, text.length - after.length),
  }
}

function numberFormat(letter: string, flags: string, width: number, precision: number | null): SeqFormat {
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const digits = digitFormat(letter, flags.includes('#'), precision)
  return (units, scale, negativeZero) => {
    const negative = units < 0 || negativeZero
    const prefix = negative ? '-' : sign
    const text = digits(units < 0 ? -units : units, scale)
    const missing = width - prefix.length - text.length
    if (missing <= 0) return prefix + text
    if (flags.includes('-')) return prefix + text + ' '.repeat(missing)
    if (!flags.includes('0')) return ' '.repeat(missing) + prefix + text
    return text.startsWith('0x') || text.startsWith('0X')
      ? prefix + text.slice(0, 2) + '0'.repeat(missing) + text.slice(2)
      : prefix + '0'.repeat(missing) + text
  }
}

function digitFormat(letter: string, alternate: boolean, precision: number | null): DigitFormat {
  const places = precision ?? 6
  const upper = letter !== letter.toLowerCase()
  const cased = (text: string) => (upper ? text.toUpperCase() : text)
  const read = (units: Units, scale: number) => parseLongDouble(scale === 0 ? String(units) : `${units}e-${scale}`).value
  switch (letter.toLowerCase()) {
    case 'f': {
      const zeros = places > 0 ? `.${'0'.repeat(places)}` : alternate ? '.' : ''
      return (units, scale) => (scale === 0 && units < 2 ** 53 ? units + zeros : formatFixed(read(units, scale), places, alternate))
    }
    case 'e':
      return (units, scale) => cased(formatExponential(read(units, scale), places, alternate))
    case 'a':
      return (units, scale) => cased(formatHexadecimal(read(units, scale), precision, alternate))
    default: {
      const limit = 10 ** Math.min(Math.max(places, 1), 15)
      return (units, scale) =>
        scale === 0 && units < limit && !alternate ? String(units) : cased(formatGeneral(read(units, scale), places, alternate))
    }
  }
}
