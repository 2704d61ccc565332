import type { SetItem } from './tr-set.ts'
import { CommandFailure } from './utility.ts'

/** What each byte becomes. Sets that don't fit each other end the command. */
export function translation(
  first: readonly SetItem[],
  second: readonly SetItem[],
  { complement, truncate }: { readonly complement: boolean; readonly truncate: boolean },
): Uint8Array {
  if (second.some(({ kind }) => kind === 'equivalence')) {
    throw new CommandFailure('[=c=] expressions may not appear in string2 when translating')
  }
  if (second.some((item) => item.kind === 'class' && !isCase(item))) {
    throw new CommandFailure("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
  }
  const from = complement ? [complementOf(first)] : columnsOf(first)
  const to = columnsOf(second)
  if (!complement) checkCases(from, to)
  const targets = fill(to, lengthOf(from))
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const sourceLength = lengthOf(from)
  let length = lengthOf(targets)
  if (sourceLength > length && !truncate) {
    if (length === 0) throw new CommandFailure('when not truncating set1, string2 must be non-empty')
    const last = second.at(-1) as SetItem
    if (last.kind === 'class') {
      throw new CommandFailure('when translating with string1 longer than string2,\nthe latter string must not end with a character class')
    }
    targets.push({ bytes: [last.bytes.at(-1) as number], times: sourceLength - length, item: last })
    length = sourceLength
  }
  if (complement && first.some(({ kind }) => kind === 'class')) {
    const bytes = new Set(targets.flatMap((target) => target.bytes))
    if (length !== sourceLength || bytes.size > 1) {
      throw new CommandFailure(
        'when translating with complemented character classes,\nstring2 must map all characters in the domain to one',
      )
    }
  }
  pair(from, targets, table)
  return table
}

/** A stretch of a set: its bytes in order, all of them `times` times. */
interface Column {
  readonly bytes: readonly number[]
  /** null: as often as it takes. */
  readonly times: number | null
  readonly item: SetItem | null
}

function columnsOf(items: readonly SetItem[]): Column[] {
  return items.map((item) => ({ bytes: item.bytes, times: item.kind === 'repeat' ? (item.count ?? null) : 1, item }))
}

function complementOf(items: readonly SetItem[]): Column {
  const known = new Set(items.flatMap(({ bytes }) => bytes))
  return { bytes: Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !known.has(byte)), times: 1, item: null }
}

function isCase(item: SetItem | null): boolean {
  return item?.kind === 'class' && (item.name === 'upper' || item.name === 'lower')
}

/** Counts a case class that stands against another as one, since all of it is translated at once. */
function sizeOf({ bytes, times }: Column): number {
  return bytes.length * (times ?? 0)
}

function lengthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, column) => sum + sizeOf(column), 0)
}

function fill(columns: readonly Column[], length: number): Column[] {
  const missing = Math.max(0, length - lengthOf(columns))
  return columns.map((column) => (column.times === null ? { ...column, times: missing } : column))
}

/** Each case class of string2 must start where one of string1 does. */
function checkCases(from: readonly Column[], to: readonly Column[]): void {
  const starts = new Set<number>()
  let at = 0
  for (const column of from) {
    if (isCase(column.item)) starts.add(at)
    at += sizeOf(column)
  }
  at = 0
  const filled = fill(to, lengthOf(from))
  for (const column of filled) {
    if (at > lengthOf(from)) return
    if (isCase(column.item) && !starts.has(at)) throw new CommandFailure('misaligned [:upper:] and/or [:lower:] construct')
    at += sizeOf(column)
  }
}

function pair(from: readonly Column[], to: readonly Column[], table: Uint8Array): void {
  const sources = each(from)
  const targets = each(to)
  for (;;) {
    const source = sources.next()
    const target = targets.next()
    if (source.done === true || target.done === true) return
    table[source.value.byte] = target.value.byte
  }
}

function* each(columns: readonly Column[]): Generator<{ readonly byte: number }> {
  for (const { bytes, times } of columns) for (let time = 0; time < (times ?? 0); time++) for (const byte of bytes) yield { byte }
}
