/** A 64-bit integer: a number where that is safe, else a bigint. One value has one form, so `===` compares. */
export type Integer = number | bigint

const LIMIT = Number.MAX_SAFE_INTEGER
const SPACES = /^[ \t\n]+|[ \t\n]+$/g

/** Wraps any bigint to 64 bits, as C does. */
export function wrap(value: bigint): Integer {
  const wrapped = BigInt.asIntN(64, value)
  return wrapped <= LIMIT && wrapped >= -LIMIT ? Number(wrapped) : wrapped
}

/** The decimal text. */
export function formatInteger(value: Integer): string {
  return String(value)
}

/**
 * Reads text that is nothing but one integer constant as bash writes them (`42`, `-7`, `0x1f`, `017`, `36#zz`, blanks around it);
 * empty text is 0. undefined for any other text, be it an expression or a wrong constant.
 */
export function parseInteger(text: string): Integer | undefined {
  const length = text.length
  if (length === 0) return 0
  const first = text.charCodeAt(0)
  const start = first === 0x2d ? 1 : 0
  if (length > 15 || start === length || (text.charCodeAt(start) === 0x30 && length > start + 1)) return parseSpaced(text)
  let value = 0
  for (let at = start; at < length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return parseSpaced(text)
    value = value * 10 + digit
  }
  return start === 1 && value !== 0 ? -value : value
}

/** What is wrong with an integer constant, as bash words it. */
export type ConstantFault = 'invalid number' | 'invalid arithmetic base' | 'invalid integer constant' | 'value too great for base'

/** The value of an unsigned constant: digits, letters, `#`, `@`, `_`, starting with a digit. */
export function parseConstant(text: string): Integer | ConstantFault {
  let base = 10
  let based = false
  let at = 0
  if (text.charCodeAt(0) === 0x30) {
    if (text.length === 1) return 0
    based = true
    base = text[1] === 'x' || text[1] === 'X' ? 16 : 8
    at = base === 16 ? 2 : 1
  }
  let value = 0
  let large: bigint | null = null
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x23) {
      if (based) return 'invalid number'
      if (large !== null || value < 2 || value > 64) return 'invalid arithmetic base'
      base = value
      value = 0
      based = true
      if (at + 1 === text.length || text.charCodeAt(at + 1) === 0x23) return 'invalid integer constant'
      continue
    }
    const digit = digitValue(code, base)
    if (digit >= base) return 'value too great for base'
    if (large !== null) {
      large = BigInt.asIntN(64, large * BigInt(base) + BigInt(digit))
      continue
    }
    const next = value * base + digit
    if (next > LIMIT) large = BigInt.asIntN(64, BigInt(value) * BigInt(base) + BigInt(digit))
    else value = next
  }
  return large === null ? value : wrap(large)
}

export function add(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right
    if (sum <= LIMIT && sum >= -LIMIT) return sum
  }
  return wrap(BigInt(left) + BigInt(right))
}

export function subtract(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right
    if (difference <= LIMIT && difference >= -LIMIT) return difference
  }
  return wrap(BigInt(left) - BigInt(right))
}

export function multiply(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right
    // Adding 0 turns -0 into 0.
    if (product <= LIMIT && product >= -LIMIT) return product + 0
  }
  return wrap(BigInt(left) * BigInt(right))
}

/** Rounds toward zero. `right` is not 0. */
export function divide(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') return Math.trunc(left / right) + 0
  return wrap(BigInt(left) / BigInt(right))
}

/** Has the sign of `left`. `right` is not 0. */
export function remainder(left: Integer, right: Integer): Integer {
  if (typeof left === 'number' && typeof right === 'number') return (left % right) + 0
  return wrap(BigInt(left) % BigInt(right))
}

/** `right` is not negative. */
export function power(left: Integer, right: Integer): Integer {
  let base = BigInt(left)
  let exponent = BigInt(right)
  let result = 1n
  while (exponent > 0n) {
    if ((exponent & 1n) === 1n) result = BigInt.asIntN(64, result * base)
    exponent >>= 1n
    if (exponent > 0n) base = BigInt.asIntN(64, base * base)
  }
  return wrap(result)
}

/** The count is taken modulo 64. */
export function shiftLeft(left: Integer, right: Integer): Integer {
  const count = shiftCount(right)
  if (typeof left === 'number') {
    const shifted = left * 2 ** count
    if (shifted <= LIMIT && shifted >= -LIMIT) return shifted
  }
  return wrap(BigInt(left) << BigInt(count))
}

/** Keeps the sign; the count is taken modulo 64. */
export function shiftRight(left: Integer, right: Integer): Integer {
  const count = shiftCount(right)
  if (typeof left === 'number') return Math.floor(left / 2 ** count)
  return wrap(left >> BigInt(count))
}

export function bitAnd(left: Integer, right: Integer): Integer {
  if (isInt32(left) && isInt32(right)) return left & right
  return wrap(BigInt(left) & BigInt(right))
}

export function bitOr(left: Integer, right: Integer): Integer {
  if (isInt32(left) && isInt32(right)) return left | right
  return wrap(BigInt(left) | BigInt(right))
}

export function bitXor(left: Integer, right: Integer): Integer {
  if (isInt32(left) && isInt32(right)) return left ^ right
  return wrap(BigInt(left) ^ BigInt(right))
}

function parseSpaced(text: string): Integer | undefined {
  const trimmed = text.replace(SPACES, '')
  if (trimmed === '') return 0
  const sign = trimmed[0]
  const constant = sign === '-' || sign === '+' ? trimmed.slice(1) : trimmed
  if (!/^[0-9][0-9a-zA-Z#@_]*$/.test(constant)) return undefined
  const value = parseConstant(constant)
  if (typeof value === 'string') return undefined
  return sign === '-' ? subtract(0, value) : value
}

/** Up to base 36 both cases of a letter are the same digit. 64 for what is no digit. */
function digitValue(code: number, base: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 10
  if (code >= 0x41 && code <= 0x5a) return code - 0x41 + (base <= 36 ? 10 : 36)
  if (code === 0x40) return 62
  return code === 0x5f ? 63 : 64
}

function shiftCount(count: Integer): number {
  return isInt32(count) ? count & 63 : Number(BigInt.asUintN(6, BigInt(count)))
}

function isInt32(value: Integer): value is number {
  return typeof value === 'number' && (value | 0) === value
}
