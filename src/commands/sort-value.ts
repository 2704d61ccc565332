import { pastBlanks } from './sort-field.ts'

/** The number read last: the nearest double, whether that is exactly it, and where its text ends. */
export const numberRead: { value: number; exact: boolean; end: number } = { value: 0, exact: true, end: 0 }

const POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power)

/** Reads the number at the start of `bytes[from, to)` into {@link numberRead}. */
export function readDecimal(bytes: Uint8Array, from: number, to: number): void {
  let at = pastBlanks(bytes, from, to)
  const start = at
  const negative = bytes[at] === 45 && at < to
  if (negative) at += 1
  let mantissa = 0
  let digits = 0
  let decimals = 0
  for (; at < to; at++) {
    const digit = (bytes[at] as number) - 48
    if (digit < 0 || digit > 9) break
    mantissa = mantissa * 10 + digit
    if (mantissa > 0) digits += 1
  }
  if (at < to && bytes[at] === 46) {
    at += 1
    for (; at < to; at++) {
      const digit = (bytes[at] as number) - 48
      if (digit < 0 || digit > 9) break
      decimals += 1
      mantissa = mantissa * 10 + digit
      if (mantissa > 0) digits += 1
    }
  }
  numberRead.end = at
  numberRead.exact = digits <= 15 && decimals <= 22
  // A mantissa and a power of ten that are both exact give the nearest double.
  let value = decimals === 0 ? mantissa : mantissa / (POWERS[decimals] ?? 1)
  if (!numberRead.exact) value = Math.abs(Number(ascii(bytes, start, at).replace(/\.$/, '')))
  numberRead.value = negative && value !== 0 ? -value : value
}

/** Compares two numbers digit by digit, however long they are. */
export function compareDecimals(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): number {
  const first = digitsOf(a, aFrom, aTo)
  const second = digitsOf(b, bFrom, bTo)
  if (first.sign !== second.sign) return first.sign - second.sign
  if (first.sign === 0) return 0
  const { whole, fraction } = first
  const order =
    whole.length - second.whole.length ||
    (whole === second.whole ? 0 : whole < second.whole ? -1 : 1) ||
    (fraction === second.fraction ? 0 : fraction < second.fraction ? -1 : 1)
  return order * first.sign
}

function digitsOf(bytes: Uint8Array, from: number, to: number): { sign: number; whole: string; fraction: string } {
  readDecimal(bytes, from, to)
  const text = ascii(bytes, pastBlanks(bytes, from, to), numberRead.end)
  const [integer = '', decimals = ''] = text.replace('-', '').split('.')
  const whole = integer.replace(/^0+/, '')
  let kept = decimals.length
  while (decimals[kept - 1] === '0') kept -= 1
  const fraction = decimals.slice(0, kept)
  const sign = whole === '' && fraction === '' ? 0 : text.startsWith('-') ? -1 : 1
  return { sign, whole, fraction }
}

const UNITS = new Map([...'KMGTPEZY'].map((letter, power) => [letter.charCodeAt(0), power + 1]))

/** The power that the suffix of `sort -h` stands for, with the number's sign. */
export function unitOrder(bytes: Uint8Array, from: number, to: number): number {
  readDecimal(bytes, from, to)
  if (numberRead.value === 0 || numberRead.end >= to) return 0
  const byte = bytes[numberRead.end] as number
  const power = byte === 0x6b ? 1 : (UNITS.get(byte) ?? 0)
  return numberRead.value < 0 ? -power : power
}

const GENERAL =
  /^[ \t\n\v\f\r]*([-+]?)(?:(0x[0-9a-f]+(?:\.[0-9a-f]*)?(?:p[-+]?[0-9]+)?|0x\.[0-9a-f]+(?:p[-+]?[0-9]+)?)|((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)|(inf(?:inity)?)|(nan))/i

/** A number as `strtod` reads it; NaN for NaN, undefined where there is none. */
export function readGeneral(bytes: Uint8Array, from: number, to: number): number | undefined {
  const [, sign = '', hex, decimal, infinite, nan] = GENERAL.exec(ascii(bytes, from, Math.min(to, from + 400))) ?? []
  if (nan !== undefined) return Number.NaN
  const size = infinite !== undefined ? Number.POSITIVE_INFINITY : hex !== undefined ? hexValue(hex) : Number(decimal ?? Number.NaN)
  if (Number.isNaN(size)) return undefined
  return sign === '-' && size !== 0 ? -size : size
}

function hexValue(text: string): number {
  const [, whole = '', fraction = '', power = '0'] = /^0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([-+]?[0-9]+))?$/i.exec(text) ?? []
  let value = 0
  for (const digit of whole + fraction) value = value * 16 + Number.parseInt(digit, 16)
  return value * 2 ** (Number(power) - 4 * fraction.length)
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** 1 to 12 for the month whose name the key starts with, 0 for none. */
export function readMonth(bytes: Uint8Array, from: number, to: number): number {
  const start = pastBlanks(bytes, from, to)
  return to - start < 3 ? 0 : MONTHS.indexOf(ascii(bytes, start, start + 3).toUpperCase()) + 1
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += 4096) text += String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 4096)))
  return text
}
