/** What a clock and a calendar show. */
export interface CivilTime {
  /** Astronomical: 0 is 1 BC. */
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** 0 is the first of January. */
  readonly yearDay: number
}

const DAY = 86_400
// An era is 400 years, which always have the same number of days.
const ERA_DAYS = 146_097
const DAYS_TO_1970 = 719_468

/** The civil time of a count of seconds since 1970, as a clock without zone shows it. */
export function civilTime(seconds: number): CivilTime {
  const days = Math.floor(seconds / DAY)
  const rest = Math.floor(seconds - days * DAY)
  // Years that start in March have the leap day at their end.
  const shifted = days + DAYS_TO_1970
  const era = Math.floor(shifted / ERA_DAYS)
  const dayOfEra = shifted - era * ERA_DAYS
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return {
    year,
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysOf(year, 1, 1),
  }
}

/** Seconds since 1970 of a civil time; any part may overflow into the next (`month` 13, `day` 0, `hour` -5). */
export function civilSeconds(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  return daysOf(year, month, day) * DAY + hour * 3600 + minute * 60 + second
}

/** True for a year with a 29th of February. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysOf(year: number, month: number, day: number): number {
  const years = year + Math.floor((month - 1) / 12)
  const monthOfYear = ((((month - 1) % 12) + 12) % 12) + 1
  const shifted = monthOfYear <= 2 ? years - 1 : years
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (monthOfYear > 2 ? monthOfYear - 3 : monthOfYear + 9) + 2) / 5) + day - 1
  return era * ERA_DAYS + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - DAYS_TO_1970
}
