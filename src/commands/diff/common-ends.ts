import type { TextFile } from './text-file.ts'

/** Lines from 0 to `start` are the same in both files, and so are those from `ends` on: they needn't be compared. */
export interface CommonEnds {
  readonly start: number
  readonly ends: readonly [number, number]
}

/** Finds what both files start and end with, less `horizon` lines of each. */
export function commonEnds(
  files: readonly [TextFile, TextFile],
  { completes, horizon }: { readonly completes: boolean; readonly horizon: number },
): CommonEnds {
  const [a, b] = files
  const length0 = a.bytes.length
  const length1 = b.bytes.length
  let same = sameBytes(a.bytes, b.bytes)
  // A newline that only one of them has is no part of what they have in common.
  const past0 = length0 - (a.incomplete ? 1 : 0) < same
  const past1 = length1 - (b.incomplete ? 1 : 0) < same
  if (!completes && past0 !== past1) same -= 1
  const start = Math.max(lineAt(a.starts, same) - horizon, 0)

  if (!completes && a.incomplete !== b.incomplete) return { start, ends: [a.lines, b.lines] }
  const lowest = (a.starts[start] as number) + Math.max(length0 - length1, 0)
  let at0 = length0
  let at1 = length1
  while (at0 > lowest && a.bytes[at0 - 1] === b.bytes[at1 - 1]) {
    at0 -= 1
    at1 -= 1
  }
  // A line that only starts alike in the one file may belong to what differs.
  const doubtful = startsLine(a.bytes, at0) && !startsLine(b.bytes, at1) ? 1 : 0
  const left = Math.max(a.lines - lineFrom(a.starts, at0) - doubtful - horizon, 0)
  return { start, ends: [a.lines - left, b.lines - left] }
}

function sameBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length)
  let at = 0
  while (at < shorter && a[at] === b[at]) at += 1
  return at
}

function startsLine(bytes: Uint8Array, at: number): boolean {
  return at === 0 || bytes[at - 1] === 10
}

/** The line that the byte at `at` is in. */
function lineAt(starts: Int32Array, at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** The first line that starts at `at` or after. */
function lineFrom(starts: Int32Array, at: number): number {
  const line = lineAt(starts, at)
  return starts[line] === at ? line : line + 1
}
