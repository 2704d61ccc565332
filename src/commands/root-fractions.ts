/** 64 bits of a fraction, as two signed words. */
export interface Fraction {
  readonly high: number
  readonly low: number
}

/** The fractions of the square (2) or cube (3) roots of the first `count` primes: the constants of SHA-2. */
export function rootFractions(root: 2 | 3, count: number): readonly Fraction[] {
  const fractions: Fraction[] = []
  for (let candidate = 2; fractions.length < count; candidate++) {
    if (!isPrime(candidate)) continue
    const fraction = integerRoot(BigInt(candidate) << BigInt(64 * root), BigInt(root)) & 0xffff_ffff_ffff_ffffn
    fractions.push({ high: Number(fraction >> 32n) | 0, low: Number(fraction & 0xffff_ffffn) | 0 })
  }
  return fractions
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false
  return true
}

/** The largest whole number whose power is at most `value`; bit by bit. */
function integerRoot(value: bigint, power: bigint): bigint {
  let root = 0n
  for (let bit = 1n << 70n; bit > 0n; bit >>= 1n) if ((root | bit) ** power <= value) root |= bit
  return root
}
