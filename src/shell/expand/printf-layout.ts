import type { LongDouble } from './long-double.ts'
import { formatExponential, formatFixed, formatGeneral, formatHexadecimal } from './long-double.ts'
import { byteLength, byteSlice } from './string-length.ts'

/** How a value is laid out: flags, width and precision with each `*` filled in. */
export interface Layout {
  readonly left: boolean
  readonly zero: boolean
  readonly plus: boolean
  readonly space: boolean
  readonly alternate: boolean
  readonly width: number
  readonly precision: number | null
}

/** A text in its field; width and precision count bytes. */
export function padText(text: string, { left, width, precision }: Layout): string {
  const cut = precision === null ? text : byteSlice(text, precision)
  if (width === 0) return cut
  const missing = width - byteLength(cut)
  if (missing <= 0) return cut
  return left ? cut + ' '.repeat(missing) : ' '.repeat(missing) + cut
}

/** `%d` */
export function formatSigned(value: bigint, layout: Layout): string {
  const negative = value < 0n
  return padNumber(signOf(negative, layout), digitsOf((negative ? -value : value).toString(), layout), layout, layout.precision === null)
}

/** `%u`, `%o`, `%x`, `%X` */
export function formatUnsigned(value: bigint, letter: string, layout: Layout): string {
  const radix = letter === 'o' ? 8 : letter === 'u' ? 10 : 16
  const raw = value.toString(radix)
  let digits = digitsOf(raw, layout)
  let prefix = ''
  if (layout.alternate && letter === 'o' && !digits.startsWith('0')) digits = `0${digits}`
  if (layout.alternate && radix === 16 && value !== 0n) prefix = '0x'
  const text = padNumber(prefix, digits, layout, layout.precision === null)
  return letter === 'X' ? text.toUpperCase() : text
}

/** `%f`, `%e`, `%g`, `%a` and their capitals. */
export function formatFloat(value: LongDouble, letter: string, layout: Layout): string {
  const sign = signOf(value.negative, layout)
  const text = padNumber(sign, floatDigits(value, letter.toLowerCase(), layout), layout, value.kind === 'finite')
  return letter < 'a' ? text.toUpperCase() : text
}

/** `%.0d` of 0 has no digits. */
function digitsOf(digits: string, { precision }: Layout): string {
  if (precision === null) return digits
  return precision === 0 && digits === '0' ? '' : digits.padStart(precision, '0')
}

function floatDigits(value: LongDouble, letter: string, { precision, alternate }: Layout): string {
  if (value.kind === 'infinite') return 'inf'
  if (value.kind === 'nan') return 'nan'
  switch (letter) {
    case 'f':
      return formatFixed(value, precision ?? 6, alternate)
    case 'e':
      return formatExponential(value, precision ?? 6, alternate)
    case 'g':
      return formatGeneral(value, precision ?? 6, alternate)
    default:
      return formatHexadecimal(value, precision, alternate)
  }
}

function signOf(negative: boolean, { plus, space }: Layout): string {
  return negative ? '-' : plus ? '+' : space ? ' ' : ''
}

function padNumber(sign: string, digits: string, { left, zero, width }: Layout, zeros: boolean): string {
  const missing = width - sign.length - digits.length
  if (missing <= 0) return sign + digits
  if (left) return sign + digits + ' '.repeat(missing)
  if (!zero || !zeros) return ' '.repeat(missing) + sign + digits
  const prefix = digits.startsWith('0x') ? '0x' : ''
  return sign + prefix + '0'.repeat(missing) + digits.slice(prefix.length)
}
