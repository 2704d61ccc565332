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

/** What {@link zonedSeconds} may be told of a time that clocks show twice or never. */
export interface ZoneHint {
  /** The time is one of summer time, or isn't: where the clocks then show another, it counts by theirs all the same. */
  readonly daylight?: boolean | undefined
  /** The offset to start from: decides between two moments that look the same. 0 where left out. */
  readonly offset?: number
}

/** The moment at which the zone's clocks show a civil time, in seconds since 1970, found as mktime finds it. */
export function zonedSeconds(where: Zone, shown: number, hint: ZoneHint = {}): number {
  let offset = hint.offset ?? 0
  let seconds = shown - offset
  for (let tries = 0; tries < 4; tries++) {
    offset = where.at(seconds).seconds
    if (seconds + offset === shown) break
    seconds = shown - offset
  }
  // A time that is skipped counts from before the jump.
  if (shownSeconds(where, seconds) !== shown) seconds = shown - where.at(shown - 86_400).seconds
  if (hint.daylight === undefined || where.at(seconds).daylight === hint.daylight) return seconds
  for (let distance = WEEK; distance < 2 * YEAR; distance += WEEK) {
    for (const moment of [seconds - distance, seconds + distance]) {
      const near = where.at(moment)
      if (near.daylight === hint.daylight) return shown - near.seconds
    }
  }
  return seconds
}

const WEEK = 7 * 86_400
const YEAR = 366 * 86_400

/** What a moment looks like on the zone's clocks: seconds as `civilSeconds` counts them. */
export function shownSeconds(where: Zone, seconds: number): number {
  return seconds + where.at(seconds).seconds
}
