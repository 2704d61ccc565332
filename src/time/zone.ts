import { civilSeconds } from './calendar.ts'
import { namedZone } from './named-zone.ts'
import { posixZone } from './posix-zone.ts'

/** What the clocks of a zone show at a moment. */
export interface ZoneOffset {
  /** Seconds east of Greenwich. */
  readonly seconds: number
  /** `CET`, `+03`; empty where there is none. */
  readonly abbreviation: string
  readonly daylight: boolean
}

/** A time zone. */
export interface Zone {
  /** `seconds` since 1970. */
  at(seconds: number): ZoneOffset
}

export const utc: Zone = fixedZone(0, 'UTC')

/** A zone whose clocks never change; `seconds` east of Greenwich. */
export function fixedZone(seconds: number, abbreviation: string): Zone {
  const offset: ZoneOffset = { seconds, abbreviation, daylight: false }
  return { at: () => offset }
}

const known = new Map<string, Zone>()
const KNOWN_LIMIT = 256

/**
 * The zone the text of `TZ` stands for, UTC where there is none: an IANA name where the runtime has `Intl`, or POSIX's
 * form (`EST5EDT,M3.2.0,M11.1.0`). What can't be understood counts as UTC, under its own letters, as glibc has it.
 */
export function zone(text: string | undefined): Zone {
  if (text === undefined || text === '') return utc
  const cached = known.get(text)
  if (cached !== undefined) return cached
  const name = text.replace(/^:/, '').replace(/^(?:\/usr\/share\/zoneinfo\/|posix\/)/, '')
  const found = namedZone(name) ?? posixZone(name) ?? fixedZone(0, /^[A-Za-z]{3,}/.exec(name)?.[0] ?? '')
  if (known.size >= KNOWN_LIMIT) known.clear()
  known.set(text, found)
  return found
}

/**
 * The moment at which the zone's clocks show a civil time, in seconds since 1970; parts may overflow. A time shown twice is the
 * first of the two unless `daylight` is false; a time that is skipped counts from before the jump.
 */
export function zonedSeconds(
  where: Zone,
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
  daylight?: boolean,
): number {
  const shown = civilSeconds(year, month, day, hour, minute, second)
  const before = where.at(shown - 86_400).seconds
  const after = where.at(shown + 86_400).seconds
  if (before === after) return shown - before
  const earlier = shown - before
  const later = shown - after
  const earlierFits = where.at(earlier).seconds === before
  const laterFits = where.at(later).seconds === after
  if (earlierFits && laterFits && daylight !== undefined && where.at(earlier).daylight !== daylight) return later
  return earlierFits || !laterFits ? earlier : later
}

/** What a moment looks like on the zone's clocks: civil seconds, as {@link civilSeconds} counts them. */
export function shownSeconds(where: Zone, seconds: number): number {
  return seconds + where.at(seconds).seconds
}
