import { keyEnd, keyStart } from './sort-field.ts'
import type { SortKey } from './sort-key.ts'
import { compareDecimals, readGeneral, readMonth, unitOrder } from './sort-value.ts'
import { compareVersionBytes } from './sort-version.ts'

/** All that decides the order of lines. */
export interface SortPlan {
  readonly keys: readonly SortKey[]
  /** The byte that ends a field; -1 where blanks start them. */
  readonly tab: number
  /** Of lines whose keys are all the same. */
  readonly reverse: boolean
  readonly unique: boolean
  readonly stable: boolean
  readonly terminator: number
  /** Two numbers by chance, for `-R`. */
  readonly salt: readonly [number, number]
}

/** Compares the lines `a[aFrom, aTo)` and `b[bFrom, bTo)`. */
export type LineComparison = (a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number) => number

/** How two lines by themselves compare; for many, {@link orderLines} is faster. */
export function lineComparison(plan: SortPlan): LineComparison {
  const { keys, tab, unique, stable, reverse } = plan
  if (keys.length === 0) return reverse ? (a, aFrom, aTo, b, bFrom, bTo) => compareBytes(b, bFrom, bTo, a, aFrom, aTo) : compareBytes
  return (a, aFrom, aTo, b, bFrom, bTo) => {
    for (const key of keys) {
      const aKey = keyStart(a, aFrom, aTo, key, tab)
      const bKey = keyStart(b, bFrom, bTo, key, tab)
      const aEnd = Math.max(aKey, keyEnd(a, aFrom, aTo, key, tab))
      const bEnd = Math.max(bKey, keyEnd(b, bFrom, bTo, key, tab))
      const difference = compareKeys(plan, key, a, aKey, aEnd, b, bKey, bEnd)
      if (difference !== 0) return key.reverse ? -difference : difference
    }
    if (unique || stable) return 0
    const difference = compareBytes(a, aFrom, aTo, b, bFrom, bTo)
    return reverse ? -difference : difference
  }
}

function compareKeys(
  plan: SortPlan,
  key: SortKey,
  a: Uint8Array,
  aFrom: number,
  aTo: number,
  b: Uint8Array,
  bFrom: number,
  bTo: number,
): number {
  if (key.numeric) return compareDecimals(a, aFrom, aTo, b, bFrom, bTo)
  if (key.general) return compareGeneral(readGeneral(a, aFrom, aTo), readGeneral(b, bFrom, bTo))
  let [first, firstFrom, firstTo, second, secondFrom, secondTo] = [a, aFrom, aTo, b, bFrom, bTo]
  const table = keptBytes(key)
  if (table !== null) {
    first = keep(a, aFrom, aTo, table)
    second = keep(b, bFrom, bTo, table)
    firstFrom = 0
    secondFrom = 0
    firstTo = first.length
    secondTo = second.length
  }
  if (key.human) {
    const units = unitOrder(first, firstFrom, firstTo) - unitOrder(second, secondFrom, secondTo)
    return units || compareDecimals(first, firstFrom, firstTo, second, secondFrom, secondTo)
  }
  if (key.month) return readMonth(first, firstFrom, firstTo) - readMonth(second, secondFrom, secondTo)
  if (key.version) return compareVersionBytes(first, firstFrom, firstTo, second, secondFrom, secondTo)
  if (key.random) {
    const difference = hashBytes(first, firstFrom, firstTo, plan.salt) - hashBytes(second, secondFrom, secondTo, plan.salt)
    if (difference !== 0) return difference
  }
  return compareBytes(first, firstFrom, firstTo, second, secondFrom, secondTo)
}

export function compareBytes(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): number {
  let j = bFrom
  for (let i = aFrom; i < aTo && j < bTo; i++, j++) {
    const difference = (a[i] as number) - (b[j] as number)
    if (difference !== 0) return difference
  }
  return aTo - aFrom - (bTo - bFrom)
}

/** What is no number comes first, then NaN, then numbers. */
function compareGeneral(a: number | undefined, b: number | undefined): number {
  const rank = generalRank(a) - generalRank(b)
  return rank !== 0 || a === undefined || b === undefined || a === b ? rank : a < b ? -1 : a > b ? 1 : 0
}

export function generalRank(value: number | undefined): number {
  return value === undefined ? 0 : Number.isNaN(value) ? 1 : 2
}

/** What each byte counts as in the key, -1 for one that doesn't count; null where all count as they are. */
export function keptBytes({ ignore, fold }: SortKey): Int16Array | null {
  if (ignore === null && !fold) return null
  return Int16Array.from({ length: 256 }, (_, byte) => {
    const letter = (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122)
    const blank = byte === 32 || byte === 9 || byte === 10
    if (ignore === 'dictionary' && !letter && !blank && !(byte >= 48 && byte <= 57)) return -1
    if (ignore === 'nonprinting' && (byte < 32 || byte > 126)) return -1
    return fold && byte >= 97 && byte <= 122 ? byte - 32 : byte
  })
}

function keep(bytes: Uint8Array, from: number, to: number, table: Int16Array): Uint8Array {
  const kept = new Uint8Array(to - from)
  let length = 0
  for (let at = from; at < to; at++) {
    const byte = table[bytes[at] as number] as number
    if (byte >= 0) kept[length++] = byte
  }
  return kept.subarray(0, length)
}

/** A number of 53 bits that the bytes and the salt alone decide. */
export function hashBytes(bytes: Uint8Array, from: number, to: number, [first, second]: readonly [number, number]): number {
  let a = first
  let b = second
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    a = Math.imul(a ^ byte, 0x9e3779b1)
    b = Math.imul(b ^ byte, 0x85ebca77)
    a ^= b >>> 15
  }
  a = Math.imul(a ^ (b >>> 13) ^ (a >>> 16), 0xc2b2ae3d)
  b = Math.imul(b ^ (a >>> 16) ^ (b >>> 13), 0x27d4eb2f)
  return ((a ^ (a >>> 15)) >>> 11) * 2 ** 32 + ((b ^ (b >>> 16)) >>> 0)
}
