/**
 * Numbers as C's `long double` has them on x86, in which bash's printf works: 64 bits of mantissa. The value is
 * `mantissa * 2 ** exponent`, negative where `negative` is set.
 */
export interface LongDouble {
  readonly kind: 'finite' | 'infinite' | 'nan'
  readonly negative: boolean
  readonly mantissa: bigint
  readonly exponent: number
}

/** What was read at the start of a text. */
export interface ReadNumber {
  readonly value: LongDouble
  /** Characters read, leading blanks included; 0 where there is no number. */
  readonly length: number
  /** Too large or too small to be held. */
  readonly outOfRange: boolean
}

/** Reads a number as `strtold` does: decimal, hexadecimal with `p`, `inf`, `nan`. */
export function parseLongDouble(text: string): ReadNumber {
  const match = NUMBER.exec(text)
  if (match === null) return { value: ZERO, length: 0, outOfRange: false }
  const [whole, sign, hexWhole, hexFraction = '', hexExponent = '0', decimal, fraction = '', exponent = '0', word] = match
  const negative = sign === '-'
  const length = whole.length
  if (word !== undefined) {
    const kind = word[0] === 'i' || word[0] === 'I' ? 'infinite' : 'nan'
    return { value: { ...ZERO, kind, negative }, length, outOfRange: false }
  }
  const read =
    hexWhole !== undefined
      ? fromRatio(BigInt(`0x0${hexWhole}${hexFraction}`), 1n, clamp(Number(hexExponent)) - 4 * hexFraction.length)
      : fromDecimal(`${decimal}${fraction}`, clamp(Number(exponent)) - fraction.length)
  return { value: { ...read.value, negative }, length, outOfRange: read.outOfRange }
}

/** Digits of `%f` and its kin, without sign and padding: `precision` digits behind the point. */
export function formatFixed(value: LongDouble, precision: number, point: boolean): string {
  const exact = Math.min(precision, MAX_FRACTION)
  const digits = roundedScale(value, exact)
    .toString()
    .padStart(exact + 1, '0')
  const whole = digits.slice(0, digits.length - exact)
  const fraction = digits.slice(digits.length - exact).padEnd(precision, '0')
  return fraction === '' && !point ? whole : `${whole}.${fraction}`
}

/** Digits of `%e`. */
export function formatExponential(value: LongDouble, precision: number, point: boolean): string {
  const { digits, exponent } = significant(value, precision)
  const fraction = digits.slice(1)
  return `${digits[0]}${fraction === '' && !point ? '' : `.${fraction}`}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Digits of `%g`: the shorter form, trailing zeros dropped unless `keep`. */
export function formatGeneral(value: LongDouble, precision: number, keep: boolean): string {
  const wanted = precision === 0 ? 1 : precision
  const { exponent } = significant(value, wanted - 1)
  if (exponent < -4 || exponent >= wanted) {
    const [digits = '', power = ''] = formatExponential(value, wanted - 1, keep).split('e')
    return `${keep ? digits : withoutZeros(digits)}e${power}`
  }
  const digits = formatFixed(value, wanted - 1 - exponent, keep)
  return keep ? digits : withoutZeros(digits)
}

/** Digits of `%a`; `precision` null: as many as the value has. */
export function formatHexadecimal(value: LongDouble, precision: number | null, point: boolean): string {
  if (value.mantissa === 0n) return `0x0${precision !== null && precision > 0 ? `.${'0'.repeat(precision)}` : point ? '.' : ''}p+0`
  let power = value.exponent + 60
  let digits = value.mantissa
  let places = 15
  if (precision !== null && precision < 15) {
    const cut = BigInt(4 * (15 - precision))
    digits = roundHalfEven(digits, 1n << cut)
    places = precision
    if (digits >> BigInt(4 * places) > 15n) {
      digits >>= 4n
      power += 4
    }
  }
  const text = digits.toString(16).padStart(places + 1, '0')
  const fraction = text.slice(1, 1 + places)
  const shown = precision === null ? fraction.replace(/0+$/, '') : fraction.padEnd(precision, '0')
  return `0x${text[0]}${shown === '' && !point ? '' : `.${shown}`}p${power < 0 ? '-' : '+'}${Math.abs(power)}`
}

const NUMBER =
  /^[ \t\n\v\f\r]*([+-]?)(?:0[xX](?=\.?[0-9a-fA-F])([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?|(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?|(inf(?:inity)?|nan(?:\([0-9a-zA-Z_]*\))?))/i
const ZERO: LongDouble = { kind: 'finite', negative: false, mantissa: 0n, exponent: 0 }
/** Lowest exponent of a mantissa's last bit, and highest. */
const MIN_EXPONENT = -16445
const MAX_EXPONENT = 16320
/** More digits behind the point than any value has. */
const MAX_FRACTION = 16_500
const MAX_DIGITS = 6000

function clamp(exponent: number): number {
  return Math.max(-100_000, Math.min(100_000, exponent))
}

function fromDecimal(digits: string, power: number): { value: LongDouble; outOfRange: boolean } {
  const significand = digits.replace(/^0+/, '')
  if (significand === '') return { value: ZERO, outOfRange: false }
  const magnitude = significand.length + power
  if (magnitude > 5000) return { value: { ...ZERO, kind: 'infinite' }, outOfRange: true }
  if (magnitude < -5000) return { value: ZERO, outOfRange: true }
  // Digits beyond these only tell which side of a half the value is on.
  const kept = significand.length > MAX_DIGITS ? `${significand.slice(0, MAX_DIGITS)}1` : significand
  const scale = power + significand.length - kept.length
  return scale >= 0 ? fromRatio(BigInt(kept) * 10n ** BigInt(scale), 1n, 0) : fromRatio(BigInt(kept), 10n ** BigInt(-scale), 0)
}

/** `numerator / denominator * 2 ** shift`, rounded to 64 bits. */
function fromRatio(numerator: bigint, denominator: bigint, shift: number): { value: LongDouble; outOfRange: boolean } {
  if (numerator === 0n) return { value: ZERO, outOfRange: false }
  let exponent = Math.max(bitLength(numerator) - bitLength(denominator) - 64, MIN_EXPONENT - shift)
  let mantissa = scaled(numerator, denominator, exponent)
  if (bitLength(mantissa) > 64) {
    exponent += 1
    mantissa = scaled(numerator, denominator, exponent)
  } else if (bitLength(mantissa) < 64 && exponent > MIN_EXPONENT - shift) {
    exponent -= 1
    mantissa = scaled(numerator, denominator, exponent)
  }
  if (bitLength(mantissa) > 64) {
    mantissa >>= 1n
    exponent += 1
  }
  // C calls a number too small when it can't be held with all 64 bits.
  const isRounded = (): boolean => bitLength(mantissa) < 64 && !isExact(numerator, denominator, mantissa, exponent)
  if (exponent + shift > MAX_EXPONENT) return { value: { ...ZERO, kind: 'infinite' }, outOfRange: true }
  return { value: { kind: 'finite', negative: false, mantissa, exponent: exponent + shift }, outOfRange: isRounded() }
}

function scaled(numerator: bigint, denominator: bigint, exponent: number): bigint {
  return exponent >= 0
    ? roundHalfEven(numerator, denominator << BigInt(exponent))
    : roundHalfEven(numerator << BigInt(-exponent), denominator)
}

function isExact(numerator: bigint, denominator: bigint, mantissa: bigint, exponent: number): boolean {
  return exponent >= 0
    ? (mantissa << BigInt(exponent)) * denominator === numerator
    : mantissa * denominator === numerator << BigInt(-exponent)
}

/** The value times ten to the `places`, as an integer. */
function roundedScale({ mantissa, exponent }: LongDouble, places: number): bigint {
  const numerator = (exponent > 0 ? mantissa << BigInt(exponent) : mantissa) * (places > 0 ? 10n ** BigInt(places) : 1n)
  const denominator = (exponent < 0 ? 1n << BigInt(-exponent) : 1n) * (places < 0 ? 10n ** BigInt(-places) : 1n)
  return roundHalfEven(numerator, denominator)
}

/** `precision + 1` digits, and the power of ten of the first. */
function significant(value: LongDouble, precision: number): { digits: string; exponent: number } {
  if (value.mantissa === 0n) return { digits: '0'.repeat(precision + 1), exponent: 0 }
  const exact = Math.min(precision, MAX_FRACTION)
  let exponent = Math.floor((bitLength(value.mantissa) + value.exponent - 1) * Math.LOG10E * Math.LN2)
  let digits = roundedScale(value, exact - exponent).toString()
  // The estimate is low by one at most; rounding up may add a digit as well.
  if (digits.length > exact + 1) {
    exponent += 1
    digits = roundedScale(value, exact - exponent).toString()
  }
  if (digits.length > exact + 1) {
    exponent += 1
    digits = digits.slice(0, exact + 1)
  }
  return { digits: digits.padEnd(precision + 1, '0'), exponent }
}

function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const twice = (numerator - quotient * denominator) * 2n
  return twice > denominator || (twice === denominator && (quotient & 1n) === 1n) ? quotient + 1n : quotient
}

function bitLength(value: bigint): number {
  const hex = value.toString(16)
  return value === 0n ? 0 : (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0] as string, 16)))
}

function withoutZeros(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
}
