import type { CommandContext } from './command.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'

/** For each line the bytes it is ordered by: `bytes[from[line], to[line])`. */
export interface TextKeys {
  readonly bytes: Uint8Array
  readonly from: Uint32Array
  readonly to: Uint32Array
}

export interface Ordering {
  /** Line numbers; a stretch of it is put in order, and what is equal stays as it is. */
  readonly order: Uint32Array
  /** Room as long as `order`. */
  readonly spare: Uint32Array
  /** Told each stretch of more than one line that turned out equal; null where nobody asks. */
  readonly equal: ((low: number, high: number) => void) | null
}

const FEW = 20
/** Lines dealt with between two pauses. */
const SLICE = 32_768

/**
 * Orders the lines `order[low, high)` by their bytes: byte after byte into buckets, so that the time goes by the bytes that tell
 * lines apart, whatever they are.
 */
export function* orderText(
  ordering: Ordering,
  low: number,
  high: number,
  keys: TextKeys,
  reverse: boolean,
  context: CommandContext,
): Steps<void> {
  if (high - low > FEW && isOrdered(ordering, low, high, keys, reverse)) return
  const { equal } = ordering
  const digits = new Uint16Array(high - low)
  const counts = new Uint32Array(257)
  const offsets = new Uint32Array(257)
  const stack: number[] = [low, high, 0]
  let work = 0
  while (stack.length > 0) {
    const depth = stack.pop() as number
    const end = stack.pop() as number
    const start = stack.pop() as number
    if (end - start <= FEW) {
      insert(ordering, start, end, keys, reverse, depth)
      work += 250
    } else {
      counts.fill(0)
      for (let at = start; at < end; at += SLICE) {
        count(ordering.order, at, Math.min(end, at + SLICE), keys, depth, digits, low, counts)
        yield* wait(context.pause())
      }
      const only = counts.indexOf(end - start)
      if (only > 0) stack.push(start, end, commonDepth(ordering.order, start, end, keys, depth + 1))
      else if (only === 0) equal?.(start, end)
      else {
        place(counts, offsets, start, reverse)
        for (let bucket = 0; bucket < 257; bucket++) {
          const size = counts[bucket] as number
          if (size < 2) continue
          const from = offsets[bucket] as number
          if (bucket === 0) equal?.(from, from + size)
          else stack.push(from, from + size, depth + 1)
        }
        for (let at = start; at < end; at += SLICE) {
          distribute(ordering, at, Math.min(end, at + SLICE), digits, low, offsets)
          yield* wait(context.pause())
        }
        ordering.order.set(ordering.spare.subarray(start, end), start)
      }
      work += end - start
    }
    if (work < SLICE) continue
    work = 0
    yield* wait(context.pause())
  }
}

/** Less than, equal to or greater than 0, as two lines' bytes from `depth` on are. */
export function compareText({ bytes, from, to }: TextKeys, a: number, b: number, depth: number): number {
  let i = (from[a] as number) + depth
  let j = (from[b] as number) + depth
  const aEnd = to[a] as number
  const bEnd = to[b] as number
  for (; i < aEnd && j < bEnd; i++, j++) {
    const difference = (bytes[i] as number) - (bytes[j] as number)
    if (difference !== 0) return difference
  }
  return aEnd - i - (bEnd - j)
}

/** Input is often in order already, and that is soon seen. */
function isOrdered({ order, equal }: Ordering, low: number, high: number, keys: TextKeys, reverse: boolean): boolean {
  const same: number[] = []
  for (let at = low + 1; at < high; at++) {
    const difference = compareText(keys, order[at - 1] as number, order[at] as number, 0)
    if (reverse ? difference < 0 : difference > 0) return false
    if (difference === 0 && equal !== null) same.push(at)
  }
  for (let i = 0; i < same.length; ) {
    const first = same[i] as number
    let last = first
    while (same[i] === last) {
      i += 1
      last += 1
    }
    equal?.(first - 1, last)
  }
  return true
}

function insert({ order, equal }: Ordering, low: number, high: number, keys: TextKeys, reverse: boolean, depth: number): void {
  for (let at = low + 1; at < high; at++) {
    const line = order[at] as number
    let to = at
    for (; to > low; to--) {
      const difference = compareText(keys, order[to - 1] as number, line, depth)
      if (reverse ? difference >= 0 : difference <= 0) break
      order[to] = order[to - 1] as number
    }
    order[to] = line
  }
  if (equal === null) return
  for (let start = low; start < high - 1; ) {
    let end = start + 1
    while (end < high && compareText(keys, order[start] as number, order[end] as number, depth) === 0) end += 1
    if (end - start > 1) equal(start, end)
    start = end
  }
}

function count(
  order: Uint32Array,
  low: number,
  high: number,
  { bytes, from, to }: TextKeys,
  depth: number,
  digits: Uint16Array,
  base: number,
  counts: Uint32Array,
): void {
  for (let at = low; at < high; at++) {
    const line = order[at] as number
    const position = (from[line] as number) + depth
    const digit = position < (to[line] as number) ? (bytes[position] as number) + 1 : 0
    digits[at - base] = digit
    counts[digit] = (counts[digit] as number) + 1
  }
}

/** How many bytes all the lines begin with alike, of which `depth` are known. */
function commonDepth(order: Uint32Array, low: number, high: number, { bytes, from, to }: TextKeys, depth: number): number {
  const first = order[low] as number
  const start = from[first] as number
  let common = (to[first] as number) - start
  for (let at = low + 1; at < high && common > depth; at++) {
    const line = order[at] as number
    const other = from[line] as number
    common = Math.min(common, (to[line] as number) - other)
    let same = depth
    while (same < common && bytes[other + same] === bytes[start + same]) same += 1
    common = same
  }
  return common
}

function place(counts: Uint32Array, offsets: Uint32Array, start: number, reverse: boolean): void {
  let next = start
  for (let i = 0; i < 257; i++) {
    const bucket = reverse ? 256 - i : i
    offsets[bucket] = next
    next += counts[bucket] as number
  }
}

function distribute({ order, spare }: Ordering, low: number, high: number, digits: Uint16Array, base: number, offsets: Uint32Array): void {
  for (let at = low; at < high; at++) {
    const digit = digits[at - base] as number
    const to = offsets[digit] as number
    offsets[digit] = to + 1
    spare[to] = order[at] as number
  }
}
