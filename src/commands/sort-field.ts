import type { SortKey } from './sort-key.ts'

/** Where the key starts in the line `bytes[start, end)`. `tab` is the byte that ends fields, -1 for runs of blanks that start them. */
export function keyStart(bytes: Uint8Array, start: number, end: number, key: SortKey, tab: number): number {
  let at = start
  for (let left = key.field; left > 0 && at < end; left--) {
    if (tab >= 0) {
      while (at < end && bytes[at] !== tab) at += 1
      if (at < end) at += 1
    } else at = pastField(bytes, at, end)
  }
  if (key.skipStartBlanks) at = pastBlanks(bytes, at, end)
  return Math.min(end, at + key.char)
}

/** Where the key ends; may be before its start. */
export function keyEnd(bytes: Uint8Array, start: number, end: number, key: SortKey, tab: number): number {
  if (key.endField === null) return end
  let at = start
  for (let left = key.endField; left > 0 && at < end; left--) {
    if (tab >= 0) {
      while (at < end && bytes[at] !== tab) at += 1
      if (at < end && (left > 1 || key.endChar > 0)) at += 1
    } else at = pastField(bytes, at, end)
  }
  if (key.endChar === 0) return at
  if (key.skipEndBlanks) at = pastBlanks(bytes, at, end)
  return Math.min(end, at + key.endChar)
}

/** Space, tab, and the newline that a record ended by NUL may hold. */
export function isSortBlank(byte: number): boolean {
  return byte <= 32 && (byte === 32 || byte === 9 || byte === 10)
}

export function pastBlanks(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && isSortBlank(bytes[at] as number)) at += 1
  return at
}

function pastField(bytes: Uint8Array, from: number, end: number): number {
  let at = pastBlanks(bytes, from, end)
  while (at < end && !isSortBlank(bytes[at] as number)) at += 1
  return at
}
