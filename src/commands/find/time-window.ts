import { civilTime } from '../../time/calendar.ts'
import type { Zone } from '../../time/zone.ts'
import { zonedSeconds } from '../../time/zone.ts'
import { comparisonOf } from './comparison.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Where ages are counted from. */
export interface AgeOrigin {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Ages count from the end of today, not from now. */
  readonly fromDayStart: boolean
  readonly zone: Zone
}

/** `-mtime N` and its like: a test of a time in milliseconds. Null where the argument is no number. */
export function daysTest(text: string, origin: AgeOrigin): ((ms: number) => boolean) | null {
  const start = dayOrigin(origin)
  return windowTest(text, comparisonOf(text).comparison === 'less' ? start + DAY_MS - 1000 : start, DAY_MS)
}

/** `-mmin N` and its like. */
export function minutesTest(text: string, origin: AgeOrigin): ((ms: number) => boolean) | null {
  return windowTest(text, dayOrigin(origin) + DAY_MS, MINUTE_MS)
}

/** `-used N`: a test of how long after its last change a file was read, in milliseconds. */
export function usedTest(text: string): ((ms: number) => boolean) | null {
  const test = windowTest(text, 0, DAY_MS)
  return test && ((ms) => ms >= 0 && test(-ms))
}

/** A day before now; with `-daystart`, the last midnight. */
function dayOrigin({ now, fromDayStart, zone }: AgeOrigin): number {
  if (!fromDayStart) return now - DAY_MS
  const seconds = Math.floor(now / 1000)
  const civil = civilTime(seconds + zone.at(seconds).seconds)
  const midnight = seconds + zone.at(seconds).seconds - (civil.hour * 3600 + civil.minute * 60 + civil.second)
  return zonedSeconds(zone, midnight) * 1000
}

const NUMBER = /^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][\da-fA-F]+|inf(?:inity)?)$/i

function windowTest(text: string, origin: number, unit: number): ((ms: number) => boolean) | null {
  const { comparison, rest } = comparisonOf(text)
  if (!NUMBER.test(rest)) return null
  const trimmed = rest.trim()
  const magnitude = trimmed.replace(/^[+-]/, '')
  const units = (/^inf/i.test(magnitude) ? Number.POSITIVE_INFINITY : Number(magnitude)) * (trimmed.startsWith('-') ? -1 : 1)
  const from = origin - units * unit
  switch (comparison) {
    case 'more':
      return (ms) => ms < from
    case 'less':
      return (ms) => ms > from
    case 'equal':
      return (ms) => ms > from && ms - from <= unit
    default:
      return comparison satisfies never
  }
}
