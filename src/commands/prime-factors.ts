/** The prime factors of a number, smallest first, as often as they divide it. `pause` is awaited in long work. */
export async function primeFactors(number: bigint, pause: () => Promise<void> | undefined): Promise<bigint[]> {
  const factors: bigint[] = []
  let rest = number
  if (rest < 2n) return factors
  for (let prime = 2n; prime < SMALL && prime * prime <= rest; prime += prime === 2n ? 1n : 2n) {
    while (rest % prime === 0n) {
      factors.push(prime)
      rest /= prime
    }
  }
  if (rest > 1n) await split(rest, factors, pause)
  return factors.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

const SMALL = 5000n
const STEPS_A_TURN = 512

async function split(number: bigint, factors: bigint[], pause: () => Promise<void> | undefined): Promise<void> {
  if (number === 1n) return
  if (number < SMALL * SMALL || isPrime(number)) {
    factors.push(number)
    return
  }
  const divisor = await findDivisor(number, pause)
  await split(divisor, factors, pause)
  await split(number / divisor, factors, pause)
}

/** Pollard's rho as Brent improved it: products of many differences share one greatest common divisor. */
async function findDivisor(number: bigint, pause: () => Promise<void> | undefined): Promise<bigint> {
  for (let offset = 1n; ; offset++) {
    const next = (value: bigint): bigint => (value * value + offset) % number
    let fast = 2n
    let slow = 2n
    let saved = fast
    let divisor = 1n
    let product = 1n
    for (let length = 1; divisor === 1n; length *= 2) {
      slow = fast
      for (let i = 0; i < length; i++) fast = next(fast)
      for (let done = 0; done < length && divisor === 1n; done += STEPS_A_TURN) {
        saved = fast
        for (let i = 0; i < Math.min(STEPS_A_TURN, length - done); i++) {
          fast = next(fast)
          product = (product * (slow > fast ? slow - fast : fast - slow)) % number
        }
        divisor = commonDivisor(product, number)
        const waiting = pause()
        if (waiting !== undefined) await waiting
      }
    }
    if (divisor === number) {
      // Too many steps at once: again, one by one.
      do {
        saved = next(saved)
        divisor = commonDivisor(slow > saved ? slow - saved : saved - slow, number)
      } while (divisor === 1n)
    }
    if (divisor !== number) return divisor
  }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [first, second] = [a, b]
  while (second !== 0n) [first, second] = [second, first % second]
  return first
}

/** Miller and Rabin's test; with these bases no number below 3.3e24 is taken wrongly. */
function isPrime(number: bigint): boolean {
  let odd = number - 1n
  let twos = 0
  while (odd % 2n === 0n) {
    odd /= 2n
    twos += 1
  }
  return [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n].every((base) => {
    let power = raised(base, odd, number)
    if (power === 1n || power === number - 1n) return true
    for (let i = 1; i < twos; i++) {
      power = (power * power) % number
      if (power === number - 1n) return true
    }
    return false
  })
}

function raised(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base % modulus
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}
