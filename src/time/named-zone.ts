import { civilSeconds, civilTime } from './calendar.ts'
import type { Zone, ZoneOffset } from './zone.ts'

/** The zone of an IANA name, from the data the runtime carries for `Intl`; null where it has none of that name. */
export function namedZone(name: string): Zone | null {
  if (/^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$/.test(name)) return { at: () => UTC }
  if (!/^[A-Z][A-Za-z0-9_+/-]+$/.test(name) || typeof Intl === 'undefined') return null
  try {
    return zoneOf(name, partsFormat(name))
  } catch (error) {
    // What Intl throws for a name it doesn't know.
    if (error instanceof RangeError) return null
    throw error
  }
}

const UTC: ZoneOffset = { seconds: 0, abbreviation: 'UTC', daylight: false }

/** Two changes of the clocks are never closer than this. */
const STRETCH = 10 * 86_400
const STRETCHES_KEPT = 10_000

interface Stretch {
  /** When the clocks change within it; infinite where they don't. */
  readonly change: number
  readonly before: ZoneOffset
  readonly after: ZoneOffset
}

function zoneOf(name: string, format: Intl.DateTimeFormat): Zone {
  const stretches = new Map<number, Stretch>()
  const describe = (seconds: number): ZoneOffset => {
    const { year } = civilTime(seconds)
    const offset = offsetAt(format, seconds)
    const standard = Math.min(offsetAt(format, civilSeconds(year, 1, 1)), offsetAt(format, civilSeconds(year, 7, 1)))
    const daylight = offset > standard
    return { seconds: offset, daylight, abbreviation: abbreviation(name, seconds, offset, standard) }
  }
  return {
    at(seconds) {
      const index = Math.floor(seconds / STRETCH)
      let stretch = stretches.get(index)
      if (stretch === undefined) {
        stretch = explore(index * STRETCH, (index + 1) * STRETCH, (moment) => offsetAt(format, moment), describe)
        if (stretches.size >= STRETCHES_KEPT) stretches.clear()
        stretches.set(index, stretch)
      }
      return seconds < stretch.change ? stretch.before : stretch.after
    },
  }
}

function explore(from: number, to: number, offset: (seconds: number) => number, describe: (seconds: number) => ZoneOffset): Stretch {
  const before = describe(from)
  const after = describe(to - 1)
  if (before.seconds === after.seconds && before.abbreviation === after.abbreviation)
    return { change: Number.POSITIVE_INFINITY, before, after }
  let low = from
  let high = to - 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offset(middle) === before.seconds) low = middle
    else high = middle
  }
  return { change: high, before, after }
}

function partsFormat(name: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}

/** The calendar of Intl is Julian before this, ours never. */
const GREGORIAN = -12_219_292_800
const LATEST = 8.64e12

function offsetAt(format: Intl.DateTimeFormat, seconds: number): number {
  const moment = Math.min(Math.max(seconds, GREGORIAN + 86_400), LATEST - 86_400)
  const parts = new Map(format.formatToParts(moment * 1000).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  return civilSeconds(part('year'), part('month'), part('day'), part('hour'), part('minute'), part('second')) - moment
}

function abbreviation(name: string, seconds: number, offset: number, standard: number): string {
  const pair = letters().get(name) ?? europe(name, standard)
  if (pair !== undefined) {
    const [winter = '', summer = winter] = pair.split('/')
    return offset > standard ? summer : winter
  }
  const short = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'short' })
    .formatToParts(Math.min(Math.max(seconds, GREGORIAN), LATEST - 86_400) * 1000)
    .find((part) => part.type === 'timeZoneName')?.value
  if (short !== undefined && /^[A-Z]{2,5}$/.test(short)) return short
  const minutes = Math.round(Math.abs(offset) / 60)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${minutes % 60 === 0 ? '' : two(minutes % 60)}`
}

function europe(name: string, standard: number): string | undefined {
  if (!name.startsWith('Europe/')) return undefined
  return ['WET/WEST', 'CET/CEST', 'EET/EEST'][standard / 3600]
}

// Intl in English has letters for American zones only; these are those of the IANA data for the others.
const LETTERS = `
GMT/BST Europe/London Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey GB GB-Eire
GMT/IST Europe/Dublin Eire
MSK/MSD Europe/Moscow Europe/Kirov Europe/Simferopol Europe/Volgograd W-SU
WET/WEST WET Portugal Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira
CET/CEST CET Poland Africa/Algiers Africa/Ceuta Africa/Tunis Arctic/Longyearbyen Atlantic/Jan_Mayen
MET/MEST MET
EET/EEST EET Africa/Cairo Africa/Tripoli Egypt Libya Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia
WAT Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo
CAT Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Windhoek
EAT Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte
SAST Africa/Johannesburg Africa/Maseru Africa/Mbabane
IST/IDT Asia/Jerusalem Asia/Tel_Aviv Israel
PKT/PKST Asia/Karachi
IST Asia/Calcutta Asia/Kolkata
WIB Asia/Jakarta Asia/Pontianak
WITA Asia/Makassar Asia/Ujung_Pandang
WIT Asia/Jayapura
CST/CDT Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei PRC ROC America/Havana Cuba
HKT/HKST Asia/Hong_Kong Hongkong
PST/PDT Asia/Manila
JST/JDT Asia/Tokyo Japan
KST/KDT Asia/Pyongyang Asia/Seoul ROK
AWST/AWDT Australia/Perth Australia/West
ACST/ACDT Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna Australia/Darwin Australia/North
AEST/AEDT Antarctica/Macquarie Australia/ACT Australia/Brisbane Australia/Canberra Australia/Currie Australia/Hobart Australia/Lindeman Australia/Melbourne Australia/NSW Australia/Queensland Australia/Sydney Australia/Tasmania Australia/Victoria
NZST/NZDT Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland
NST/NDT America/St_Johns Canada/Newfoundland
MST Mexico/BajaSur America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse Canada/Yukon
HST/HDT America/Adak America/Atka US/Aleutian
HST HST Pacific/Honolulu Pacific/Johnston US/Hawaii
SST Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
ChST Pacific/Guam Pacific/Saipan
+03 Europe/Istanbul Europe/Minsk Turkey
GMT Etc/GMT GMT Etc/Greenwich Greenwich Etc/GMT0 GMT0 GMT+0 GMT-0 Etc/GMT+0 Etc/GMT-0
EST EST
MST MST`

let lettersByName: Map<string, string> | undefined

function letters(): Map<string, string> {
  if (lettersByName !== undefined) return lettersByName
  lettersByName = new Map()
  for (const line of LETTERS.trim().split('\n')) {
    const [pair = '', ...names] = line.split(' ')
    for (const name of names) lettersByName.set(name, pair)
  }
  return lettersByName
}
