import { civilSeconds, civilTime, isLeapYear } from './calendar.ts'
import type { Zone, ZoneOffset } from './zone.ts'

type Day =
  | { readonly kind: 'julian'; readonly day: number }
  | { readonly kind: 'ordinal'; readonly day: number }
  | { readonly kind: 'weekday'; readonly month: number; readonly week: number; readonly weekday: number }

interface Change {
  readonly on: Day
  /** Seconds after midnight, as the clocks show before the change. */
  readonly at: number
}

const NAME = '([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)'
const CLOCK = '([+-]?\\d{1,3}(?::\\d{1,2}(?::\\d{1,2})?)?)'
const DAY = '(?:J\\d{1,3}|\\d{1,3}|M\\d{1,2}\\.\\d\\.\\d)'
const FORM = new RegExp(`^${NAME}${CLOCK}(?:${NAME}${CLOCK}?(?:,(${DAY})(?:/${CLOCK})?,(${DAY})(?:/${CLOCK})?)?)?`)
const USUAL_CHANGE = { start: 'M3.2.0', end: 'M11.1.0' }
const TWO_O_CLOCK = 7200

/** The zone of a POSIX `TZ` text (`CET-1CEST,M3.5.0,M10.5.0/3`); null where it has another form. */
export function posixZone(text: string): Zone | null {
  const match = FORM.exec(text)
  if (match === null) return null
  const [, name = '', offset = '', summerName, summerOffset, start, startTime, end, endTime] = match
  const standard: ZoneOffset = { seconds: -clockSeconds(offset), abbreviation: bare(name), daylight: false }
  if (summerName === undefined) return { at: () => standard }
  const summer: ZoneOffset = {
    seconds: summerOffset === undefined ? standard.seconds + 3600 : -clockSeconds(summerOffset),
    abbreviation: bare(summerName),
    daylight: true,
  }
  const begins: Change = { on: day(start ?? USUAL_CHANGE.start), at: startTime === undefined ? TWO_O_CLOCK : clockSeconds(startTime) }
  const ends: Change = { on: day(end ?? USUAL_CHANGE.end), at: endTime === undefined ? TWO_O_CLOCK : clockSeconds(endTime) }
  const years = new Map<number, { from: number; to: number }>()
  return {
    at(seconds) {
      const { year } = civilTime(seconds + standard.seconds)
      let span = years.get(year)
      if (span === undefined) {
        span = { from: moment(year, begins) - standard.seconds, to: moment(year, ends) - summer.seconds }
        if (years.size > 1000) years.clear()
        years.set(year, span)
      }
      const { from, to } = span
      const isSummer = from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to
      return isSummer ? summer : standard
    },
  }
}

function bare(name: string): string {
  return name.startsWith('<') ? name.slice(1, -1) : name
}

function clockSeconds(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  return sign * (hours * 3600 + minutes * 60 + seconds)
}

function day(text: string): Day {
  if (text.startsWith('J')) return { kind: 'julian', day: Number(text.slice(1)) }
  if (!text.startsWith('M')) return { kind: 'ordinal', day: Number(text) }
  const [month = 1, week = 1, weekday = 0] = text.slice(1).split('.').map(Number)
  return { kind: 'weekday', month, week, weekday }
}

/** Seconds of the change as the clocks show it. */
function moment(year: number, { on, at }: Change): number {
  switch (on.kind) {
    case 'julian':
      // J60 is the first of March in every year.
      return civilSeconds(year, 1, on.day + (isLeapYear(year) && on.day >= 60 ? 1 : 0)) + at
    case 'ordinal':
      return civilSeconds(year, 1, on.day + 1) + at
    case 'weekday': {
      const first = civilTime(civilSeconds(year, on.month, 1)).weekday
      let date = 1 + ((on.weekday - first + 7) % 7) + (on.week - 1) * 7
      const length = (civilSeconds(year, on.month + 1, 1) - civilSeconds(year, on.month, 1)) / 86_400
      if (date > length) date -= 7
      return civilSeconds(year, on.month, date) + at
    }
    default:
      return on satisfies never
  }
}
