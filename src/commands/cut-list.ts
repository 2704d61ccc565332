import type { CommandContext } from './command.ts'
import { UsageError } from './options.ts'
import { quoted } from './quoting.ts'

/** Positions from `low` to `high`, both in it, counted from 1. */
export interface CutRange {
  readonly low: number
  readonly high: number
}

/** Reads a list such as `1,3-5,7-` into ranges in order that don't overlap; a list that is none is a usage error. */
export function parseCutList(
  context: CommandContext,
  list: string,
  { fields, complement }: { readonly fields: boolean; readonly complement: boolean },
): readonly CutRange[] {
  const noun = fields ? 'field' : 'byte/character position'
  const parts = list.split(/[, \t]/)
  const ranges = parts.map((part): CutRange => {
    if (part === '-') throw new UsageError('invalid range with no endpoint: -')
    const [, first = '', dash = '', second = ''] = /^([0-9]*)(-?)([0-9]*)$/.exec(part) ?? []
    if (first === '' && dash === '') {
      if (part === '') throw new UsageError(fields ? 'fields are numbered from 1' : 'byte/character positions are numbered from 1')
      // The word as GNU's tells it: from the first byte that is wrong, the rest of the list.
      const wrong = /^[0-9]*-?[0-9]*/.exec(part)?.[0].length ?? 0
      const at = list.indexOf(part) + wrong
      if (part[wrong] === '-') throw new UsageError(fields ? 'invalid field range' : 'invalid byte or character range')
      throw new UsageError(`invalid ${noun} ${quoted(context, list.slice(at))}`.replace('invalid field ', 'invalid field value '))
    }
    for (const digits of [first, second]) {
      if (digits !== '' && Number(digits) >= 2 ** 64 - 1) {
        throw new UsageError(`${fields ? 'field number' : 'byte/character offset'} ${quoted(context, digits)} is too large`)
      }
    }
    const low = first === '' ? 1 : Number(first)
    const high = dash === '' ? low : second === '' ? Number.POSITIVE_INFINITY : Number(second)
    if (low === 0 || (dash === '' && high === 0)) {
      throw new UsageError(fields ? 'fields are numbered from 1' : 'byte/character positions are numbered from 1')
    }
    if (high < low) throw new UsageError('invalid decreasing range')
    return { low, high }
  })
  const merged = merge(ranges)
  return complement ? complementOf(merged) : merged
}

function merge(ranges: readonly CutRange[]): CutRange[] {
  const merged: CutRange[] = []
  for (const range of ranges.toSorted((a, b) => a.low - b.low)) {
    const last = merged.at(-1)
    if (last === undefined || last.high < range.low) merged.push(range)
    else if (range.high > last.high) merged[merged.length - 1] = { low: last.low, high: range.high }
  }
  return merged
}

function complementOf(ranges: readonly CutRange[]): CutRange[] {
  const others: CutRange[] = []
  let next = 1
  for (const { low, high } of ranges) {
    if (low > next) others.push({ low: next, high: low - 1 })
    next = high + 1
  }
  if (next < Number.POSITIVE_INFINITY) others.push({ low: next, high: Number.POSITIVE_INFINITY })
  return others
}
