import type { CommandContext } from './command.ts'
import { generalRank, hashBytes, keptBytes, type SortPlan } from './sort-compare.ts'
import { keyEnd, keyStart } from './sort-field.ts'
import type { SortKey } from './sort-key.ts'
import { orderByComparison } from './sort-merge.ts'
import { orderNumbers } from './sort-numbers.ts'
import { type Ordering, orderText, type TextKeys } from './sort-text.ts'
import { compareDecimals, numberRead, readDecimal, readGeneral, readMonth, unitOrder } from './sort-value.ts'
import { compareVersionBytes } from './sort-version.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'

/** Lines in order. */
export interface OrderedLines {
  readonly order: Uint32Array
  /** 1 for places whose line is the same as the one before; null unless that was asked for. */
  readonly repeated: Uint8Array | null
}

/** Lines in one stretch of bytes: `bytes[from[n], to[n])` is line n. */
export type Lines = TextKeys

const SLICE = 16_384

/**
 * Orders lines. Each key in turn orders the stretches that the keys before left equal, so a key is read of the lines that
 * need it alone, and each kind of key has the way to order that suits it.
 */
export function* orderLines(lines: Lines, plan: SortPlan, context: CommandContext): Steps<OrderedLines> {
  const count = lines.from.length
  const order = new Uint32Array(count)
  for (let line = 0; line < count; line++) order[line] = line
  const spare = new Uint32Array(count)
  const { keys, unique, stable, reverse } = plan

  let open: number[] = count > 1 ? [0, count] : []
  for (const [index, key] of keys.entries()) {
    const isLast = index === keys.length - 1
    const wanted = !isLast || unique || !stable
    for (const pass of passesOf(key)) {
      const next: number[] = []
      const equal = (low: number, high: number) => {
        next.push(low, high)
      }
      yield* pass({ order, spare, equal: wanted || pass !== passesOf(key).at(-1) ? equal : null }, open, lines, key, plan, context)
      open = next
    }
  }
  if (unique) {
    if (keys.length === 0) open = yield* orderWhole({ order, spare, equal: null }, open, lines, reverse, true, context)
    const repeated = new Uint8Array(count)
    for (let i = 0; i < open.length; i += 2) repeated.fill(1, (open[i] as number) + 1, open[i + 1])
    return { order, repeated }
  }
  if (keys.length === 0 || !stable) yield* orderWhole({ order, spare, equal: null }, open, lines, reverse, false, context)
  return { order, repeated: null }
}

function* orderWhole(
  ordering: Ordering,
  open: readonly number[],
  lines: Lines,
  reverse: boolean,
  wanted: boolean,
  context: CommandContext,
): Steps<number[]> {
  const equal: number[] = []
  const told = wanted ? { ...ordering, equal: (low: number, high: number) => void equal.push(low, high) } : ordering
  for (let i = 0; i < open.length; i += 2) yield* orderText(told, open[i] as number, open[i + 1] as number, lines, reverse, context)
  return equal
}

/** Orders the open stretches, given as pairs of their ends, by one aspect of a key. */
type Pass = (
  ordering: Ordering,
  open: readonly number[],
  lines: Lines,
  key: SortKey,
  plan: SortPlan,
  context: CommandContext,
) => Steps<void>

const TEXT: readonly Pass[] = [byText]
const NUMERIC: readonly Pass[] = [byDecimal]
const HUMAN: readonly Pass[] = [byNumber(({ bytes }, from, to) => unitOrder(bytes, from, to)), byDecimal]
const GENERAL: readonly Pass[] = [
  byNumber(({ bytes }, from, to) => generalRank(readGeneral(bytes, from, to))),
  byNumber(({ bytes }, from, to) => readGeneral(bytes, from, to) || 0),
]
const MONTH: readonly Pass[] = [byNumber(({ bytes }, from, to) => readMonth(bytes, from, to))]
const RANDOM: readonly Pass[] = [byNumber(({ bytes }, from, to, { salt }) => hashBytes(bytes, from, to, salt)), byText]
const VERSION: readonly Pass[] = [byVersion]

function passesOf(key: SortKey): readonly Pass[] {
  if (key.numeric) return NUMERIC
  if (key.human) return HUMAN
  if (key.general) return GENERAL
  if (key.month) return MONTH
  if (key.version) return VERSION
  return key.random ? RANDOM : TEXT
}

function* byText(
  ordering: Ordering,
  open: readonly number[],
  lines: Lines,
  key: SortKey,
  plan: SortPlan,
  context: CommandContext,
): Steps<void> {
  const keys = yield* keysOf(ordering, open, lines, key, plan, context)
  for (let i = 0; i < open.length; i += 2) {
    yield* orderText(ordering, open[i] as number, open[i + 1] as number, keys, key.reverse, context)
  }
}

function byNumber(read: (keys: TextKeys, from: number, to: number, plan: SortPlan) => number): Pass {
  return function* (ordering, open, lines, key, plan, context) {
    const keys = yield* keysOf(ordering, open, lines, key, plan, context)
    const values = new Float64Array(lines.from.length)
    const sign = key.reverse ? -1 : 1
    yield* eachLine(ordering, open, context, (line) => {
      values[line] = sign * read(keys, keys.from[line] as number, keys.to[line] as number, plan) + 0
    })
    for (let i = 0; i < open.length; i += 2) yield* orderNumbers(ordering, open[i] as number, open[i + 1] as number, values, context)
  }
}

/** Numbers of any length: by the nearest doubles, then digit by digit where those don't tell them apart. */
function* byDecimal(
  ordering: Ordering,
  open: readonly number[],
  lines: Lines,
  key: SortKey,
  plan: SortPlan,
  context: CommandContext,
): Steps<void> {
  const keys = yield* keysOf(ordering, open, lines, key, plan, context)
  const { bytes, from, to } = keys
  const values = new Float64Array(from.length)
  let inexact: Uint8Array | null = null
  const sign = key.reverse ? -1 : 1
  yield* eachLine(ordering, open, context, (line) => {
    readDecimal(bytes, from[line] as number, to[line] as number)
    // Adding 0 makes one zero of both.
    values[line] = sign * numberRead.value + 0
    if (numberRead.exact) return
    inexact ??= new Uint8Array(from.length)
    inexact[line] = 1
  })
  const { order, equal } = ordering
  const doubtful = inexact as Uint8Array | null
  const unsure: number[] = []
  const told = (low: number, high: number) => {
    if (doubtful !== null && order.subarray(low, high).some((line) => doubtful[line] === 1)) unsure.push(low, high)
    else equal?.(low, high)
  }
  const asked = { ...ordering, equal: equal !== null || doubtful !== null ? told : null }
  for (let i = 0; i < open.length; i += 2) yield* orderNumbers(asked, open[i] as number, open[i + 1] as number, values, context)
  const compare = (a: number, b: number) =>
    sign * compareDecimals(bytes, from[a] as number, to[a] as number, bytes, from[b] as number, to[b] as number)
  for (let i = 0; i < unsure.length; i += 2) {
    yield* orderByComparison(ordering, unsure[i] as number, unsure[i + 1] as number, compare, context)
  }
}

function* byVersion(
  ordering: Ordering,
  open: readonly number[],
  lines: Lines,
  key: SortKey,
  plan: SortPlan,
  context: CommandContext,
): Steps<void> {
  const { bytes, from, to } = yield* keysOf(ordering, open, lines, key, plan, context)
  const sign = key.reverse ? -1 : 1
  const compare = (a: number, b: number) =>
    sign * compareVersionBytes(bytes, from[a] as number, to[a] as number, bytes, from[b] as number, to[b] as number)
  for (let i = 0; i < open.length; i += 2) {
    yield* orderByComparison(ordering, open[i] as number, open[i + 1] as number, compare, context)
  }
}

/** The key of each line that is still open; others' stay empty. */
function* keysOf(
  ordering: Ordering,
  open: readonly number[],
  lines: Lines,
  key: SortKey,
  { tab }: SortPlan,
  context: CommandContext,
): Steps<TextKeys> {
  const { bytes } = lines
  const whole = key.field === 0 && key.char === 0 && !key.skipStartBlanks && key.endField === null
  // In capitals an e is a suffix of -h.
  const table = key.numeric || key.general ? null : keptBytes(key)
  if (whole && table === null) return lines
  const from = new Uint32Array(lines.from.length)
  const to = new Uint32Array(lines.from.length)
  let size = 0
  yield* eachLine(ordering, open, context, (line) => {
    const start = lines.from[line] as number
    const end = lines.to[line] as number
    const first = keyStart(bytes, start, end, key, tab)
    const last = Math.max(first, keyEnd(bytes, start, end, key, tab))
    from[line] = first
    to[line] = last
    size += last - first
  })
  if (table === null) return { bytes, from, to }
  const kept = new Uint8Array(size)
  let length = 0
  yield* eachLine(ordering, open, context, (line) => {
    const last = to[line] as number
    let at = from[line] as number
    from[line] = length
    for (; at < last; at++) {
      const byte = table[bytes[at] as number] as number
      if (byte >= 0) kept[length++] = byte
    }
    to[line] = length
  })
  return { bytes: kept, from, to }
}

function* eachLine({ order }: Ordering, open: readonly number[], context: CommandContext, use: (line: number) => void): Steps<void> {
  let work = 0
  for (let i = 0; i < open.length; i += 2) {
    const high = open[i + 1] as number
    for (let at = open[i] as number; at < high; at++) {
      use(order[at] as number)
      work += 1
      if (work < SLICE) continue
      work = 0
      yield* wait(context.pause())
    }
  }
}
