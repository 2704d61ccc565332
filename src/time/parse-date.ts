import { civilSeconds, civilTime } from './calendar.ts'
import type { DateToken, Unit } from './date-tokens.ts'
import { dateTokens } from './date-tokens.ts'
import type { Zone } from './zone.ts'
import { shownSeconds, zone, zonedSeconds } from './zone.ts'

/** A moment, to the nanosecond. */
export interface Moment {
  /** Since 1970, whole. */
  readonly seconds: number
  /** 0 to 999,999,999. */
  readonly nanoseconds: number
}

/** What a text is read against. */
export interface DateContext {
  readonly now: Moment
  /** Where the clock times of the text are; UTC where left out. */
  readonly zone: Zone
}

/**
 * Reads a date as GNU `date -d` does: ISO 8601 and RFC forms, `@SECONDS`, month and day names, `next friday`, `2 days ago`,
 * zones by letters or offset, a `TZ="…"` before it all. Null where the text makes no sense. An empty text is today's midnight.
 */
export function parseDate(text: string, context: DateContext): Moment | null {
  const prefix = /^\s*TZ="((?:[^"\\]|\\.)*)"/.exec(text)
  const where = prefix === null ? context.zone : zone((prefix[1] as string).replace(/\\(.)/g, '$1'))
  const rest = prefix === null ? text : text.slice(prefix[0].length)
  const epoch = /^\s*@\s*([+-]?)\s*(\d{1,16})(?:[.,](\d+))?\s*$/.exec(rest)
  if (epoch !== null) return epochMoment(epoch[1] === '-', Number(epoch[2]), epoch[3] ?? '')
  const tokens = dateTokens(rest, where, context.now.seconds)
  if (tokens === null) return null
  const reader = new Reader(tokens)
  return reader.read() ? reader.moment(where, context.now) : null
}

function epochMoment(negative: boolean, seconds: number, digits: string): Moment {
  const nanoseconds = fractionOf(digits, negative)
  if (!negative) return { seconds, nanoseconds }
  return nanoseconds === 0 ? { seconds: -seconds, nanoseconds } : { seconds: -seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds }
}

/** Digits past the ninth are dropped, toward the past. */
function fractionOf(digits: string, negative: boolean): number {
  const kept = Number(digits.slice(0, 9).padEnd(9, '0'))
  return negative && /[1-9]/.test(digits.slice(9)) ? kept + 1 : kept
}

type Shift = Record<Unit, number> & { nanosecond: number }

/** Reads the items of a date; each kind may come once, shifts any number of times. */
class Reader {
  readonly #tokens: readonly DateToken[]
  #at = 0
  #dates = 0
  #days = 0
  #times = 0
  #zones = 0
  #localZones = 0
  #daylights = 0
  #shifts = 0
  #year: { value: number; digits: number } | null = null
  #month = 0
  #day = 0
  #weekday = 0
  #ordinal = 0
  #hour = 0
  #minute = 0
  #second = 0
  #nanosecond = 0
  #half: 'am' | 'pm' | null = null
  /** Seconds east. */
  #offset = 0
  #localDaylight: boolean | undefined
  readonly #shift: Shift = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, nanosecond: 0 }

  constructor(tokens: readonly DateToken[]) {
    this.#tokens = tokens
  }

  read(): boolean {
    while (this.#at < this.#tokens.length) if (!this.#item()) return false
    return this.#times <= 1 && this.#dates <= 1 && this.#days <= 1 && this.#localZones + this.#zones <= 1 && this.#daylights <= 1
  }

  moment(where: Zone, now: Moment): Moment | null {
    const today = civilTime(shownSeconds(where, now.seconds))
    let year = today.year
    let { month, day, hour, minute, second } = today
    let nanoseconds = now.nanoseconds
    if (this.#dates > 0) {
      if (this.#year !== null) year = fullYear(this.#year)
      month = this.#month
      day = this.#day
    }
    if (this.#times > 0) {
      const full = this.#fullHour()
      if (full === null) return null
      hour = full
      minute = this.#minute
      second = this.#second
      nanoseconds = this.#nanosecond
    } else if (this.#shifts === 0 || this.#dates > 0 || this.#days > 0) {
      hour = 0
      minute = 0
      second = 0
      nanoseconds = 0
    }
    const absolute = this.#dates + this.#days + this.#times > 0
    const daylight = this.#localDaylight ?? (absolute ? undefined : where.at(now.seconds).daylight)
    const shown = civilSeconds(year, month, day, hour, minute, second)
    if (!isCivil(shown, year, month, day, hour, minute, second)) return null
    let seconds = zonedSeconds(where, shown, { daylight })
    const { seconds: offset } = where.at(seconds)
    // A time that the clocks skip is no time, unless the text names another zone.
    if (shownSeconds(where, seconds) !== shown && this.#zones === 0) return null

    if (this.#days > 0 && this.#dates === 0) {
      const { weekday } = civilTime(shown)
      const passed = this.#ordinal > 0 && weekday !== this.#weekday ? 1 : 0
      day += ((this.#weekday - weekday + 7) % 7) + 7 * (this.#ordinal - passed)
      seconds = zonedSeconds(where, civilSeconds(year, month, day, hour, minute, second), { offset })
    }
    if (this.#shift.year !== 0 || this.#shift.month !== 0 || this.#shift.day !== 0) {
      year += this.#shift.year
      month += this.#shift.month
      day += this.#shift.day
      seconds = zonedSeconds(where, civilSeconds(year, month, day, hour, minute, second), { daylight, offset })
    }
    if (this.#zones > 0) seconds = civilSeconds(year, month, day, hour, minute, second) - this.#offset
    const total = nanoseconds + this.#shift.nanosecond
    const carry = Math.floor(total / 1_000_000_000)
    seconds += this.#shift.hour * 3600 + this.#shift.minute * 60 + this.#shift.second + carry
    if (!Number.isSafeInteger(seconds)) return null
    return { seconds, nanoseconds: total - carry * 1_000_000_000 }
  }

  #fullHour(): number | null {
    if (this.#half === null) return this.#hour <= 23 ? this.#hour : null
    if (this.#hour < 1 || this.#hour > 12) return null
    return (this.#hour % 12) + (this.#half === 'pm' ? 12 : 0)
  }

  #peek(ahead = 0): DateToken | undefined {
    return this.#tokens[this.#at + ahead]
  }

  #isMark(mark: string, ahead = 0): boolean {
    const token = this.#peek(ahead)
    return token?.kind === 'mark' && token.mark === mark
  }

  #item(): boolean {
    const token = this.#peek() as DateToken
    switch (token.kind) {
      case 'number':
        return token.sign === '' ? this.#afterNumber(token) : this.#signed(token)
      case 'month':
        return this.#afterMonth(token.month)
      case 'weekday':
        this.#at += this.#isMark(',', 1) ? 2 : 1
        this.#setWeekday(0, token.weekday)
        return true
      case 'ordinal': {
        const next = this.#peek(1)
        this.#at += 2
        if (next?.kind === 'weekday') {
          this.#setWeekday(token.value, next.weekday)
          return true
        }
        if (next?.kind !== 'unit') return false
        return this.#addShift(next.unit, token.value * next.amount, 0)
      }
      case 'unit':
        this.#at += 1
        return this.#addShift(token.unit, token.amount, 0)
      case 'dayShift':
        this.#at += 1
        this.#shift.day += token.days
        this.#shifts += 1
        return true
      case 'localZone':
        this.#at += 1
        this.#localZones += 1
        this.#localDaylight = token.daylight
        if (this.#peek()?.kind === 'daylight') {
          this.#at += 1
          this.#daylights += 1
          this.#localDaylight = true
        }
        return true
      case 'zone':
        return this.#afterZone(token)
      case 'daylightZone':
        this.#at += 1
        this.#zones += 1
        this.#offset = token.offset + 3600
        return true
      case 'ago':
      case 'half':
      case 'daylight':
        return false
      case 'mark':
        // A T that follows no date is the military zone of that letter.
        return token.mark === 'T' && this.#afterZone({ kind: 'zone', offset: -7 * 3600 })
      default:
        return token satisfies never
    }
  }

  #afterNumber(first: DateToken & { kind: 'number' }): boolean {
    const next = this.#peek(1)
    if (first.fraction !== null) return next?.kind === 'unit' && this.#decimalShift(first)
    if (next === undefined) return this.#plain(first)
    switch (next.kind) {
      case 'half':
        this.#at += 2
        return this.#setTime(first.value, 0, 0, '', next.half)
      case 'mark':
        if (next.mark === ':') return this.#clock(first)
        if (next.mark === '/') return this.#slashed(first)
        return this.#plain(first)
      case 'month': {
        this.#at += 2
        const third = this.#peek()
        if (third?.kind === 'number' && third.fraction === null) {
          // `17-JUN-1992` lexes its year as a negative number.
          if (third.sign === '' || third.sign === '-') {
            this.#at += 1
            return this.#setDate({ value: third.value, digits: third.digits }, next.month, first.value)
          }
        }
        return this.#setDate(null, next.month, first.value)
      }
      case 'weekday':
        this.#at += 2
        this.#setWeekday(first.value, next.weekday)
        return true
      case 'unit':
        this.#at += 2
        return this.#addShift(next.unit, first.value * next.amount, 0)
      case 'number':
        return next.sign === '' || next.fraction !== null ? this.#plain(first) : this.#numberThenSigned(first, next)
      default:
        return this.#plain(first)
    }
  }

  /** `2024-01-05`, `20240105 -1 day`, `10 +0100`. */
  #numberThenSigned(first: DateToken & { kind: 'number' }, second: DateToken & { kind: 'number' }): boolean {
    const third = this.#peek(2)
    if (third?.kind === 'number' && third.sign !== '' && third.fraction === null) {
      this.#at += 3
      if (!this.#setDate({ value: first.value, digits: first.digits }, -signedValue(second), -signedValue(third))) return false
      if (!this.#isMark('T')) return true
      const hour = this.#peek(1)
      if (hour?.kind !== 'number' || hour.sign !== '' || hour.fraction !== null) return false
      this.#at += 1
      if (this.#isMark(':', 1)) return this.#clock(hour, false)
      const offset = this.#peek(1)
      return offset?.kind === 'number' && offset.sign !== '' && this.#hourOnly(hour)
    }
    if (third?.kind === 'unit') {
      this.#number(first)
      this.#at += 1
      return this.#signed(second)
    }
    return this.#hourOnly(first)
  }

  /** `10 +0100`, or `2024-01-05T10`. */
  #hourOnly(hour: DateToken & { kind: 'number' }): boolean {
    this.#at += 1
    const next = this.#peek()
    if (next?.kind === 'number' && next.sign !== '' && next.fraction === null) {
      this.#at += 1
      if (!this.#zoneOffset(next)) return false
    }
    return this.#setTime(hour.value, 0, 0, '', null)
  }

  #clock(hour: DateToken & { kind: 'number' }, mayHaveHalf = true): boolean {
    const minute = this.#peek(2)
    if (minute?.kind !== 'number' || minute.sign !== '' || minute.fraction !== null) return false
    this.#at += 3
    let second = 0
    let fraction = ''
    if (this.#isMark(':')) {
      const token = this.#peek(1)
      if (token?.kind !== 'number' || token.sign !== '') return false
      this.#at += 2
      second = token.value
      fraction = token.fraction ?? ''
    }
    const next = this.#peek()
    let half: 'am' | 'pm' | null = null
    if (mayHaveHalf && next?.kind === 'half') {
      this.#at += 1
      half = next.half
    } else if (next?.kind === 'number' && next.sign !== '' && next.fraction === null) {
      this.#at += 1
      if (!this.#zoneOffset(next)) return false
    }
    return this.#setTime(hour.value, minute.value, second, fraction, half)
  }

  #slashed(first: DateToken & { kind: 'number' }): boolean {
    const second = this.#peek(2)
    if (second?.kind !== 'number' || second.sign !== '' || second.fraction !== null) return false
    this.#at += 3
    if (!this.#isMark('/')) return this.#setDate(null, first.value, second.value)
    const third = this.#peek(1)
    if (third?.kind !== 'number' || third.sign !== '' || third.fraction !== null) return false
    this.#at += 2
    if (first.digits >= 4) return this.#setDate(first, second.value, third.value)
    return this.#setDate(third, first.value, second.value)
  }

  #afterMonth(month: number): boolean {
    const day = this.#peek(1)
    if (day?.kind !== 'number' || day.fraction !== null) return false
    this.#at += 2
    const next = this.#peek()
    if (day.sign !== '') {
      if (next?.kind !== 'number' || next.sign === '' || next.fraction !== null) return false
      this.#at += 1
      return this.#setDate({ value: -signedValue(next), digits: next.digits }, month, -signedValue(day))
    }
    const year = this.#peek(1)
    if (!this.#isMark(',')) return this.#setDate(null, month, day.value)
    if (year?.kind !== 'number' || year.sign !== '' || year.fraction !== null) return false
    this.#at += 2
    return this.#setDate(year, month, day.value)
  }

  #afterZone(token: DateToken & { kind: 'zone' }): boolean {
    this.#at += 1
    this.#zones += 1
    this.#offset = token.offset
    const next = this.#peek()
    if (next?.kind === 'daylight') {
      this.#at += 1
      this.#offset += 3600
      return true
    }
    if (next?.kind !== 'number' || next.sign === '' || next.fraction !== null) return true
    if (this.#peek(1)?.kind === 'unit') return this.#signed(next)
    this.#at += 1
    const base = token.offset
    this.#zones -= 1
    if (!this.#zoneOffset(next)) return false
    this.#offset += base
    return true
  }

  /** `-1 day`. */
  #signed(token: DateToken & { kind: 'number' }): boolean {
    if (token.fraction !== null) return this.#decimalShift(token)
    const unit = this.#peek(1)
    if (unit?.kind !== 'unit') return false
    this.#at += 2
    return this.#addShift(unit.unit, signedValue(token) * unit.amount, 0)
  }

  #decimalShift(token: DateToken & { kind: 'number' }): boolean {
    const unit = this.#peek(1)
    if (unit?.kind !== 'unit' || unit.unit !== 'second') return false
    this.#at += 2
    const sign = token.sign === '-' ? -1 : 1
    return this.#addShift('second', signedValue(token), sign * fractionOf(token.fraction ?? '', sign < 0))
  }

  #addShift(unit: Unit, amount: number, nanoseconds: number): boolean {
    const next = this.#peek()
    const factor = next?.kind === 'ago' ? next.factor : 1
    if (next?.kind === 'ago') this.#at += 1
    this.#shift[unit] += factor * amount
    this.#shift.nanosecond += factor * nanoseconds
    this.#shifts += 1
    return true
  }

  #plain(token: DateToken & { kind: 'number' }): boolean {
    this.#at += 1
    this.#number(token)
    return true
  }

  /** A number by itself is a year, a date or a time, by what came before and its length. */
  #number({ value, digits }: DateToken & { kind: 'number' }): void {
    if (this.#dates > 0 && this.#year === null && this.#shifts === 0 && (this.#times > 0 || digits > 2)) {
      this.#year = { value, digits }
      return
    }
    if (digits > 4) {
      this.#setDate({ value: Math.floor(value / 10_000), digits: digits - 4 }, Math.floor(value / 100) % 100, value % 100)
      return
    }
    const clock = digits > 2
    this.#setTime(clock ? Math.floor(value / 100) : value, clock ? value % 100 : 0, 0, '', null)
  }

  #setTime(hour: number, minute: number, second: number, fraction: string, half: 'am' | 'pm' | null): boolean {
    this.#times += 1
    this.#hour = hour
    this.#minute = minute
    this.#second = second
    this.#nanosecond = fractionOf(fraction, false)
    this.#half = half
    return true
  }

  #setDate(year: { value: number; digits: number } | null, month: number, day: number): boolean {
    this.#dates += 1
    if (year !== null) this.#year = year
    this.#month = month
    this.#day = day
    return true
  }

  #setWeekday(ordinal: number, weekday: number): void {
    this.#days += 1
    this.#ordinal = ordinal
    this.#weekday = weekday
  }

  #zoneOffset(token: DateToken & { kind: 'number' }): boolean {
    let total = token.digits <= 2 ? token.value * 60 : Math.floor(token.value / 100) * 60 + (token.value % 100)
    if (this.#isMark(':')) {
      const minutes = this.#peek(1)
      if (minutes?.kind !== 'number' || minutes.sign !== '' || minutes.fraction !== null) return false
      this.#at += 2
      total = token.value * 60 + minutes.value
    }
    if (total > 24 * 60) return false
    this.#zones += 1
    this.#offset = (token.sign === '-' ? -1 : 1) * total * 60
    return true
  }
}

function signedValue(token: DateToken & { kind: 'number' }): number {
  return token.sign === '-' ? -token.value : token.value
}

/** Two digits are a year from 1969 to 2068. */
function fullYear({ value, digits }: { value: number; digits: number }): number {
  if (digits !== 2) return value
  return value + (value < 69 ? 2000 : 1900)
}

function isCivil(shown: number, year: number, month: number, day: number, hour: number, minute: number, second: number): boolean {
  const civil = civilTime(shown)
  return (
    civil.year === year &&
    civil.month === month &&
    civil.day === day &&
    civil.hour === hour &&
    civil.minute === minute &&
    civil.second === second
  )
}
