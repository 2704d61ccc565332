import type { CommandContext } from './command.ts'
import type { Ordering } from './sort-text.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'

/** Lines put in order at one go. */
const BLOCK = 512

/** Orders the lines `order[low, high)` by comparing two at a time. */
export function* orderByComparison(
  { order, spare, equal }: Ordering,
  low: number,
  high: number,
  compare: (a: number, b: number) => number,
  context: CommandContext,
): Steps<void> {
  for (let at = low; at < high; at += BLOCK) {
    order.set(Array.from(order.subarray(at, Math.min(high, at + BLOCK))).sort(compare), at)
    yield* wait(context.pause())
  }
  for (let width = BLOCK; width < high - low; width *= 2) {
    for (let start = low; start + width < high; start += width * 2) {
      const end = Math.min(high, start + width * 2)
      const state = { first: start, second: start + width, to: start }
      while (state.to < end) {
        mergeSome(order, spare, start + width, end, state, compare)
        yield* wait(context.pause())
      }
      order.set(spare.subarray(start, end), start)
    }
  }
  if (equal === null) return
  for (let start = low; start < high - 1; ) {
    let end = start + 1
    while (end < high && compare(order[start] as number, order[end] as number) === 0) end += 1
    if (end - start > 1) equal(start, end)
    start = end
    if ((start & 4095) === 0) yield* wait(context.pause())
  }
}

function mergeSome(
  order: Uint32Array,
  spare: Uint32Array,
  middle: number,
  end: number,
  state: { first: number; second: number; to: number },
  compare: (a: number, b: number) => number,
): void {
  let { first, second, to } = state
  for (const stop = Math.min(end, to + 4096); to < stop; to++) {
    const takeFirst = second >= end || (first < middle && compare(order[first] as number, order[second] as number) <= 0)
    spare[to] = order[takeFirst ? first : second] as number
    if (takeFirst) first += 1
    else second += 1
  }
  state.first = first
  state.second = second
  state.to = to
}
