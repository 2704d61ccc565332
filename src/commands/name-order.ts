import { encode } from '../bytes.ts'

// The order of UTF-16 units is that of the bytes but from the surrogates on.
const DIFFERS = /[\ud800-\uffff]/

/** Sorts by name in byte order, in place. */
export function sortByName<T extends { readonly name: string }>(items: T[]): T[] {
  const compare = nameOrder(items)
  if (items.every((item, at) => at === 0 || compare((items[at - 1] as T).name, item.name) <= 0)) return items
  return items.sort((a, b) => compare(a.name, b.name))
}

/** Compares names in byte order; the quick way where all of them allow it. */
export function nameOrder(items: readonly { readonly name: string }[]): (a: string, b: string) => number {
  return items.some((item) => DIFFERS.test(item.name)) ? compareBytes : compareUnits
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareBytes(a: string, b: string): number {
  const first = encode(a)
  const second = encode(b)
  const length = Math.min(first.length, second.length)
  for (let at = 0; at < length; at++) {
    const difference = (first[at] as number) - (second[at] as number)
    if (difference !== 0) return difference
  }
  return first.length - second.length
}
