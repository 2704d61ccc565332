import type { CivilTime } from './calendar.ts'
import { civilSeconds, civilTime } from './calendar.ts'
import type { Zone, ZoneOffset } from './zone.ts'
import { utc } from './zone.ts'

/**
 * A moment written as `format` says: every conversion, flag and width of GNU `date`, with the names of the C locale.
 * `nanoseconds` (of the second) is taken from `ms` where it is left out. What is no conversion is written as it stands.
 */
export function strftime(format: string, ms: number, where: Zone = utc, nanoseconds?: number): string {
  const seconds = Math.floor(ms / 1000)
  const offset = where.at(seconds)
  const moment: Moment = {
    seconds,
    nanoseconds: nanoseconds ?? nanosecondsOf(ms),
    offset,
    civil: civilTime(seconds + offset.seconds),
  }
  return write(format, moment, false)
}

/** Nanoseconds of the second; a double knows a present moment to about a microsecond. */
export function nanosecondsOf(ms: number): number {
  return Math.min(Math.round((ms - Math.floor(ms / 1000) * 1000) * 1000), 999_999) * 1000
}

interface Moment {
  readonly seconds: number
  readonly nanoseconds: number
  readonly offset: ZoneOffset
  readonly civil: CivilTime
}

/** The flags and width of one conversion. */
interface Style {
  readonly pad: '' | '-' | '_' | '0' | '+'
  /** -1: none given. */
  readonly width: number
  readonly upper: boolean
  readonly swap: boolean
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']
const CONVERSION = /%([-_0^#+]*)([0-9]*)([EO]?)(:{0,3})([\s\S]|$)/gu
const MODIFIED: Readonly<Record<string, string>> = { E: 'cCxXyY', O: 'deHIkmMSuUVwWy' }
const PLAIN: Style = { pad: '', width: -1, upper: false, swap: false }
/** More padding than this is cut: a format can't fill the memory. */
const WIDEST = 65_536

function write(format: string, moment: Moment, upper: boolean): string {
  if (!format.includes('%')) return upper ? format.toUpperCase() : format
  return format.replace(CONVERSION, (whole: string, flags: string, width: string, modifier: string, colons: string, letter: string) => {
    let pad: Style['pad'] = ''
    for (const flag of flags) if (flag !== '^' && flag !== '#') pad = flag as Style['pad']
    const style: Style = {
      pad,
      width: width === '' ? -1 : Math.min(Number(width), WIDEST),
      upper: upper || flags.includes('^'),
      swap: flags.includes('#'),
    }
    if (letter === '%' && whole !== '%%') return padText(whole, { ...style, width: style.width + 1 })
    if (colons !== '' && letter !== 'z') return padText(whole, style)
    if (modifier === '') return convert(letter, colons.length, style, moment) ?? padText(whole, style)
    if (!(MODIFIED[modifier] ?? '').includes(letter)) return padText(whole, style)
    // The C library formats these, which knows no width.
    return padText(convert(letter, 0, PLAIN, moment) ?? whole, style)
  })
}

function convert(letter: string, colons: number, style: Style, moment: Moment): string | null {
  const { civil, offset } = moment
  switch (letter) {
    case '%':
      return '%'
    case 'n':
      return padText('\n', style)
    case 't':
      return padText('\t', style)
    case 'a':
      return padText((WEEKDAYS[civil.weekday] as string).slice(0, 3), style.swap ? { ...style, upper: true } : style)
    case 'A':
      return padText(WEEKDAYS[civil.weekday] as string, style.swap ? { ...style, upper: true } : style)
    case 'b':
    case 'h':
      return padText((MONTHS[civil.month - 1] as string).slice(0, 3), style.swap ? { ...style, upper: true } : style)
    case 'B':
      return padText(MONTHS[civil.month - 1] as string, style.swap ? { ...style, upper: true } : style)
    case 'p': {
      const half = civil.hour < 12 ? 'AM' : 'PM'
      return padText(style.swap ? half.toLowerCase() : half, { ...style, upper: false })
    }
    case 'P':
      return padText(civil.hour < 12 ? 'am' : 'pm', { ...style, upper: false })
    case 'Z':
      return padText(style.swap ? offset.abbreviation.toLowerCase() : offset.abbreviation, style.swap ? { ...style, upper: false } : style)
    case 'c':
      return padText(write('%a %b %e %H:%M:%S %-Y', moment, style.upper), style)
    case 'D':
    case 'x':
      return padText(write('%m/%d/%y', moment, style.upper), style)
    case 'T':
    case 'X':
      return padText(write('%H:%M:%S', moment, style.upper), style)
    case 'R':
      return padText(write('%H:%M', moment, style.upper), style)
    case 'r':
      return padText(write('%I:%M:%S %p', moment, style.upper), style)
    case 'F':
      return isoDate(style, moment)
    case 'd':
      return number(civil.day, 2, style)
    case 'e':
      return number(civil.day, 2, style, '_')
    case 'H':
      return number(civil.hour, 2, style)
    case 'k':
      return number(civil.hour, 2, style, '_')
    case 'I':
      return number(civil.hour % 12 || 12, 2, style)
    case 'l':
      return number(civil.hour % 12 || 12, 2, style, '_')
    case 'j':
      return number(civil.yearDay + 1, 3, style)
    case 'M':
      return number(civil.minute, 2, style)
    case 'm':
      return number(civil.month, 2, style)
    case 'q':
      return number(Math.ceil(civil.month / 3), 1, style)
    case 'S':
      return number(civil.second, 2, style)
    case 's':
      return number(moment.seconds, 1, style)
    case 'N':
      return fraction(moment.nanoseconds, style)
    case 'u':
      return number(civil.weekday || 7, 1, style)
    case 'w':
      return number(civil.weekday, 1, style)
    case 'U':
      return number(Math.floor((civil.yearDay - civil.weekday + 7) / 7), 2, style)
    case 'W':
      return number(Math.floor((civil.yearDay - ((civil.weekday + 6) % 7) + 7) / 7), 2, style)
    case 'V':
      return number(isoWeek(civil).week, 2, style)
    case 'G':
      return year(isoWeek(civil).year, 4, style)
    case 'g':
      return year(Math.abs(isoWeek(civil).year) % 100, 2, style)
    case 'Y':
      return year(civil.year, 4, style)
    case 'C':
      return year(Math.trunc(civil.year / 100), 2, style, civil.year < 0)
    case 'y':
      return year(Math.abs(civil.year) % 100, 2, style)
    case 'z':
      return zoneNumber(offset.seconds, colons, style)
    default:
      return null
  }
}

function padText(text: string, { pad, width, upper }: Style): string {
  const cased = upper ? text.toUpperCase() : text
  return pad === '-' ? cased : cased.padStart(width, pad === '0' || pad === '+' ? '0' : ' ')
}

function number(value: number, digits: number, style: Style, usualPad: '0' | '_' = '0', negative: boolean = value < 0): string {
  const pad = style.pad === '' ? usualPad : style.pad
  const sign = negative ? '-' : ''
  const text = String(Math.abs(value))
  if (pad === '-') return sign + text
  const width = style.width < 0 ? digits : style.width
  if (pad === '_') return (sign + text).padStart(width)
  return sign + text.padStart(width - sign.length, '0')
}

function year(value: number, digits: number, style: Style, negative: boolean = value < 0): string {
  if (style.pad !== '+' || negative) return number(value, digits, style, '0', negative)
  const width = style.width < 0 ? digits : style.width
  const sign = width > digits || value >= 10 ** digits ? '+' : ''
  return sign + String(value).padStart(width - sign.length, '0')
}

function isoDate(style: Style, moment: Moment): string {
  const pad = style.pad === '' && style.width < 0 ? '+' : style.pad
  const width = style.width < 0 ? 4 : Math.max(style.width - 6, 0)
  return year(moment.civil.year, 4, { ...style, pad, width }) + write('-%m-%d', moment, false)
}

function fraction(nanoseconds: number, { pad, width }: Style): string {
  const digits = String(nanoseconds).padStart(9, '0')
  const shown = width <= 0 ? digits : width < 9 ? digits.slice(0, width) : digits
  if (pad === '-') return shown.replace(/(?<=.)0+$/, '')
  if (pad === '_') return shown.replace(/(?<=.)0+$/, '').padEnd(width <= 0 ? 9 : width)
  return shown.padEnd(width, '0')
}

function isoWeek(civil: CivilTime): { year: number; week: number } {
  // The week belongs to the year that has its Thursday.
  const thursday = civilTime(civilSeconds(civil.year, civil.month, civil.day + 3 - ((civil.weekday + 6) % 7)))
  return { year: thursday.year, week: Math.floor(thursday.yearDay / 7) + 1 }
}

function zoneNumber(seconds: number, colons: number, style: Style): string {
  const sign = seconds < 0 ? '-' : '+'
  const total = Math.abs(seconds)
  const hours = Math.floor(total / 3600)
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = two(Math.floor(total / 60) % 60)
  const rest = two(total % 60)
  let core: string
  let digits: number
  if (colons === 0) {
    core = String(Number(`${hours}${minutes}`))
    digits = 5
  } else if (colons === 2 || (colons === 3 && rest !== '00')) {
    core = `${hours}:${minutes}:${rest}`
    digits = 9
  } else if (colons === 1 || minutes !== '00') {
    core = `${hours}:${minutes}`
    digits = 6
  } else {
    core = String(hours)
    digits = 3
  }
  if (style.pad === '-') return sign + core
  const width = style.width < 0 ? digits : style.width
  return style.pad === '_' ? (sign + core).padStart(width) : sign + core.padStart(width - 1, '0')
}
