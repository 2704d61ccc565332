import type { CommandContext } from './command.ts'
import type { Ordering } from './sort-text.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'

const FEW = 64
const BITS = 11
const BUCKETS = 1 << BITS
const SLICE = 65_536

/** Orders the lines `order[low, high)` by their numbers, the least first. No number may be NaN or -0. */
export function* orderNumbers(ordering: Ordering, low: number, high: number, values: Float64Array, context: CommandContext): Steps<void> {
  const { order } = ordering
  if (!isOrdered(order, low, high, values)) {
    if (high - low <= FEW) insert(order, low, high, values)
    else yield* distribute(ordering, low, high, values, context)
  }
  const { equal } = ordering
  if (equal === null) return
  for (let start = low; start < high - 1; ) {
    const value = values[order[start] as number] as number
    let end = start + 1
    while (end < high && values[order[end] as number] === value) end += 1
    if (end - start > 1) equal(start, end)
    start = end
  }
}

function isOrdered(order: Uint32Array, low: number, high: number, values: Float64Array): boolean {
  let before = values[order[low] as number] as number
  for (let at = low + 1; at < high; at++) {
    const value = values[order[at] as number] as number
    if (value < before) return false
    before = value
  }
  return true
}

function insert(order: Uint32Array, low: number, high: number, values: Float64Array): void {
  for (let at = low + 1; at < high; at++) {
    const line = order[at] as number
    const value = values[line] as number
    let to = at
    for (; to > low && (values[order[to - 1] as number] as number) > value; to--) order[to] = order[to - 1] as number
    order[to] = line
  }
}

/** By 11 bits at a time from the lowest up, leaving out those in which all numbers agree: the low halves of whole numbers, mostly. */
function* distribute({ order, spare }: Ordering, low: number, high: number, values: Float64Array, context: CommandContext): Steps<void> {
  const length = high - low
  // Two words a number, so that their order as unsigned words is the order of the numbers.
  let words = new Uint32Array(length * 2)
  let others = new Uint32Array(length * 2)
  let lines: Uint32Array = order.slice(low, high)
  let otherLines: Uint32Array = spare.subarray(low, high)
  const counts = new Uint32Array(6 * BUCKETS)
  for (let at = 0; at < length; at += SLICE) {
    convert(lines, at, Math.min(length, at + SLICE), values, words, counts)
    yield* wait(context.pause())
  }
  for (let pass = 0; pass < 6; pass++) {
    const passCounts = counts.subarray(pass * BUCKETS, (pass + 1) * BUCKETS)
    if (passCounts.indexOf(length) >= 0) continue
    let next = 0
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const size = passCounts[bucket] as number
      passCounts[bucket] = next
      next += size
    }
    for (let at = 0; at < length; at += SLICE) {
      move(words, others, lines, otherLines, at, Math.min(length, at + SLICE), pass, passCounts)
      yield* wait(context.pause())
    }
    ;[words, others] = [others, words]
    ;[lines, otherLines] = [otherLines, lines]
  }
  order.set(lines, low)
}

const number = new Float64Array(1)
const halves = new Uint32Array(number.buffer)
// Which half holds the sign depends on the machine's byte order.
number[0] = -1
const HIGH = halves[1] === 0 ? 0 : 1

function convert(lines: Uint32Array, low: number, high: number, values: Float64Array, words: Uint32Array, counts: Uint32Array): void {
  for (let at = low; at < high; at++) {
    number[0] = values[lines[at] as number] as number
    let upper = halves[HIGH] as number
    let lower = halves[1 - HIGH] as number
    if (upper & 0x80000000) {
      upper = ~upper >>> 0
      lower = ~lower >>> 0
    } else upper = (upper | 0x80000000) >>> 0
    words[at * 2] = lower
    words[at * 2 + 1] = upper
    for (let pass = 0; pass < 6; pass++) {
      const slot = pass * BUCKETS + digitOf(lower, upper, pass)
      counts[slot] = (counts[slot] as number) + 1
    }
  }
}

function move(
  words: Uint32Array,
  others: Uint32Array,
  lines: Uint32Array,
  otherLines: Uint32Array,
  low: number,
  high: number,
  pass: number,
  offsets: Uint32Array,
): void {
  for (let at = low; at < high; at++) {
    const lower = words[at * 2] as number
    const upper = words[at * 2 + 1] as number
    const digit = digitOf(lower, upper, pass)
    const to = offsets[digit] as number
    offsets[digit] = to + 1
    others[to * 2] = lower
    others[to * 2 + 1] = upper
    otherLines[to] = lines[at] as number
  }
}

function digitOf(lower: number, upper: number, pass: number): number {
  return pass < 3 ? (lower >>> (pass * BITS)) & (BUCKETS - 1) : (upper >>> ((pass - 3) * BITS)) & (BUCKETS - 1)
}
