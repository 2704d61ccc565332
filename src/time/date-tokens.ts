import type { Zone } from './zone.ts'

/** A unit that shifts are counted in; weeks and fortnights are days. */
export type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

/** One word, number or mark of a date text. */
export type DateToken =
  | {
      readonly kind: 'number'
      readonly sign: '' | '+' | '-'
      readonly value: number
      readonly digits: number
      readonly fraction: string | null
    }
  | { readonly kind: 'month'; readonly month: number }
  | { readonly kind: 'weekday'; readonly weekday: number }
  | { readonly kind: 'unit'; readonly unit: Unit; readonly amount: number }
  | { readonly kind: 'ordinal'; readonly value: number }
  | { readonly kind: 'dayShift'; readonly days: number }
  | { readonly kind: 'ago'; readonly factor: number }
  | { readonly kind: 'half'; readonly half: 'am' | 'pm' }
  | { readonly kind: 'localZone'; readonly daylight: boolean }
  /** Offsets are seconds east. */
  | { readonly kind: 'zone'; readonly offset: number }
  | { readonly kind: 'daylightZone'; readonly offset: number }
  | { readonly kind: 'daylight' }
  | { readonly kind: 'mark'; readonly mark: string }

/** Cuts a date text into tokens; null where a word means nothing. The letters of `where` around `now` are zones too. */
export function dateTokens(text: string, where: Zone, now: number): DateToken[] | null {
  const tokens: DateToken[] = []
  let at = 0
  while (at < text.length) {
    const char = text[at] as string
    if (/\s/.test(char)) {
      at += 1
      continue
    }
    const number = NUMBER.exec(text.slice(at, at + 100))
    if (number !== null) {
      const [whole, signs = '', digits = '', fraction] = number
      tokens.push({
        kind: 'number',
        sign: signs.startsWith('-') ? '-' : signs.startsWith('+') ? '+' : '',
        value: Number(digits),
        digits: digits.length,
        fraction: fraction ?? null,
      })
      if (!Number.isSafeInteger(Number(digits))) return null
      at += whole.length
      continue
    }
    // A sign that no number follows says nothing.
    if (char === '+' || char === '-') {
      at += 1
      continue
    }
    if (/[A-Za-z]/.test(char)) {
      const word = (/^[A-Za-z.]+/.exec(text.slice(at)) as RegExpExecArray)[0]
      const token = wordToken(word.toUpperCase(), where, now)
      if (token === null) return null
      tokens.push(token)
      at += word.length
      continue
    }
    if (char !== '(') {
      tokens.push({ kind: 'mark', mark: char })
      at += 1
      continue
    }
    let depth = 0
    do {
      if (text[at] === '(') depth += 1
      if (text[at] === ')') depth -= 1
      at += 1
    } while (depth > 0 && at < text.length)
  }
  return tokens
}

const NUMBER = /^([+-]\s*)?(\d+)(?:[.,](\d+))?/

const MONTHS = ['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE', 'JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER']
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']
const ODD_NAMES: ReadonlyMap<string, DateToken> = new Map<string, DateToken>([
  ['SEPT', { kind: 'month', month: 9 }],
  ['TUES', { kind: 'weekday', weekday: 2 }],
  ['WEDNES', { kind: 'weekday', weekday: 3 }],
  ['THUR', { kind: 'weekday', weekday: 4 }],
  ['THURS', { kind: 'weekday', weekday: 4 }],
])
const UNITS: ReadonlyMap<string, DateToken> = new Map<string, DateToken>([
  ['YEAR', { kind: 'unit', unit: 'year', amount: 1 }],
  ['MONTH', { kind: 'unit', unit: 'month', amount: 1 }],
  ['FORTNIGHT', { kind: 'unit', unit: 'day', amount: 14 }],
  ['WEEK', { kind: 'unit', unit: 'day', amount: 7 }],
  ['DAY', { kind: 'unit', unit: 'day', amount: 1 }],
  ['HOUR', { kind: 'unit', unit: 'hour', amount: 1 }],
  ['MINUTE', { kind: 'unit', unit: 'minute', amount: 1 }],
  ['MIN', { kind: 'unit', unit: 'minute', amount: 1 }],
  ['SECOND', { kind: 'unit', unit: 'second', amount: 1 }],
  ['SEC', { kind: 'unit', unit: 'second', amount: 1 }],
])
const RELATIVE: ReadonlyMap<string, DateToken> = new Map<string, DateToken>([
  ['TOMORROW', { kind: 'dayShift', days: 1 }],
  ['YESTERDAY', { kind: 'dayShift', days: -1 }],
  ['TODAY', { kind: 'dayShift', days: 0 }],
  ['NOW', { kind: 'dayShift', days: 0 }],
  ['AGO', { kind: 'ago', factor: -1 }],
  ['HENCE', { kind: 'ago', factor: 1 }],
  ...[
    'LAST',
    'THIS',
    'NEXT',
    'FIRST',
    '',
    'THIRD',
    'FOURTH',
    'FIFTH',
    'SIXTH',
    'SEVENTH',
    'EIGHTH',
    'NINTH',
    'TENTH',
    'ELEVENTH',
    'TWELFTH',
  ]
    .map((word, at): [string, DateToken] => [word, { kind: 'ordinal', value: at < 3 ? at - 1 : at - 2 }])
    .filter(([word]) => word !== ''),
])
/** Minutes east; a `+` before the letters: summer time, whose offset is an hour more. */
const ZONES = `GMT 0 UT 0 UTC 0 WET 0 +WEST 0 +BST 0 ART -180 BRT -180 +BRST -180 NST -210 +NDT -210 AST -240 +ADT -240 CLT -240 +CLST -240
EST -300 +EDT -300 CST -360 +CDT -360 MST -420 +MDT -420 PST -480 +PDT -480 AKST -540 +AKDT -540 HST -600 HAST -600 +HADT -600 SST -720
WAT 60 CET 60 +CEST 60 MET 60 MEZ 60 +MEST 60 +MESZ 60 EET 120 +EEST 120 CAT 120 SAST 120 EAT 180 MSK 180 +MSD 180 IST 330 SGT 480 KST 540
JST 540 GST 600 NZST 720 +NZDT 720`

const UNIVERSAL = /^(?:GMT|UTC?)$/

let zonesByLetters: Map<string, DateToken> | undefined

function zoneToken(word: string): DateToken | undefined {
  if (zonesByLetters === undefined) {
    zonesByLetters = new Map()
    const words = ZONES.split(/\s+/)
    for (let i = 0; i < words.length; i += 2) {
      const name = words[i] as string
      const offset = Number(words[i + 1]) * 60
      zonesByLetters.set(name.replace('+', ''), { kind: name.startsWith('+') ? 'daylightZone' : 'zone', offset })
    }
  }
  return zonesByLetters.get(word)
}

function wordToken(word: string, where: Zone, now: number): DateToken | null {
  if (word === 'AM' || word === 'A.M.') return { kind: 'half', half: 'am' }
  if (word === 'PM' || word === 'P.M.') return { kind: 'half', half: 'pm' }
  const calendar = calendarToken(word)
  if (calendar !== undefined) return calendar
  const zone = (UNIVERSAL.test(word) ? undefined : localZone(word, where, now)) ?? zoneToken(word)
  if (zone !== undefined) return zone
  if (word === 'DST') return { kind: 'daylight' }
  const unit = UNITS.get(word) ?? (word.endsWith('S') ? UNITS.get(word.slice(0, -1)) : undefined)
  if (unit !== undefined) return unit
  const relative = RELATIVE.get(word)
  if (relative !== undefined) return relative
  if (word.length === 1) return militaryZone(word)
  return word.includes('.') ? (zoneToken(word.replaceAll('.', '')) ?? null) : null
}

function calendarToken(word: string): DateToken | undefined {
  const odd = ODD_NAMES.get(word)
  if (odd !== undefined) return odd
  const abbreviated = word.length === 3 || (word.length === 4 && word.endsWith('.'))
  const fits = (name: string): boolean => (abbreviated ? name.startsWith(word.slice(0, 3)) : name === word)
  const month = MONTHS.findIndex(fits)
  if (month >= 0) return { kind: 'month', month: month + 1 }
  const weekday = WEEKDAYS.findIndex(fits)
  return weekday >= 0 ? { kind: 'weekday', weekday } : undefined
}

/** Letters that the zone itself goes by this year. */
function localZone(word: string, where: Zone, now: number): DateToken | undefined {
  for (let quarter = 0; quarter < 4; quarter++) {
    const { abbreviation, daylight } = where.at(now + quarter * 90 * 86_400)
    if (abbreviation.toUpperCase() === word) return { kind: 'localZone', daylight }
  }
  return undefined
}

function militaryZone(letter: string): DateToken | null {
  if (letter === 'Z') return { kind: 'zone', offset: 0 }
  const east = 'ABCDEFGHIKLM'.indexOf(letter)
  if (east >= 0) return { kind: 'zone', offset: (east + 1) * 3600 }
  const west = 'NOPQRSTUVWXY'.indexOf(letter)
  if (west < 0) return null
  if (letter === 'T') return { kind: 'mark', mark: 'T' }
  return { kind: 'zone', offset: -(west + 1) * 3600 }
}
