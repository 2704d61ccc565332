import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { strftime } from '../../../src/time/strftime.ts'
import { zone } from '../../../src/time/zone.ts'
import { random } from './random.ts'

const real = (format: string, seconds: string, tz: string): string =>
  execFileSync('date', ['-d', `@${seconds}`, `+${format}`], { env: { TZ: tz, LC_ALL: 'C' }, encoding: 'utf8' }).slice(0, -1)

const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Europe/London',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Asia/Dubai',
  'Asia/Kathmandu',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Pacific/Auckland',
  'Africa/Lagos',
  'Europe/Istanbul',
  'EST5EDT,M3.2.0,M11.1.0',
  'CET-1CEST,M3.5.0,M10.5.0/3',
  '<+0330>-3:30',
  'XXX3:30:15',
  'NZST-12NZDT,M9.5.0,M4.1.0/3',
  'AAA3BBB,J60,J300/4',
  'AAA3BBB,59/0,200',
  'Foo/Bar',
]

const CONVERSIONS = 'aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzZ'

describe('strftime', () => {
  it.each(ZONES)('writes each conversion as date does in %s', (tz) => {
    const next = random(tz.length)
    for (let i = 0; i < 12; i++) {
      const seconds = 1_500_000_000 + Math.floor(next() * 600_000_000)
      const format = `${[...CONVERSIONS].map((letter) => `%${letter}`).join('|')}|%:z|%::z|%:::z`
      expect(strftime(format, seconds * 1000, zone(tz)), `${seconds}`).toBe(real(format, String(seconds), tz))
    }
  })

  it('has flags and widths as date has them', () => {
    const next = random(7)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
    for (let i = 0; i < 100; i++) {
      const tz = pick(ZONES)
      const seconds = 1_500_000_000 + Math.floor(next() * 600_000_000)
      const pieces = Array.from({ length: 20 }, () => {
        const flags = pick(['', '', '-', '_', '0', '^', '#', '+', '_^', '-^', '0^', '^#', '_#'])
        return `%${flags}${pick(['', '', '1', '2', '3', '5', '8', '12', '20'])}${pick([...CONVERSIONS, ':z', '::z', ':::z', '%', 'Ey', 'Od', 'EY'])}`
      })
      const format = pieces.join('|')
      const nanoseconds = pick(['000000000', '120000000', '001230000', '999999999', '000000001'])
      const ours = pieces.map((piece) => strftime(piece, seconds * 1000, zone(tz), Number(nanoseconds)))
      const theirs = real(format.replaceAll('|', '\u0001'), `${seconds}.${nanoseconds}`, tz).split('\u0001')
      expect(ours.map((text, at) => `${pieces[at]} ${text}`)).toEqual(theirs.map((text, at) => `${pieces[at]} ${text}`))
    }
  })

  it('knows years far away', () => {
    for (const seconds of [-61_775_049_600, -62_135_596_801, -62_167_219_201, -99_999_999_999, 253_402_300_800, 327_416_774_400]) {
      const format = '%Y|%G|%C|%y|%g|%F|%+Y|%c|%_Y|%-Y|%s|%D|%j|%V|%+C|%8F|%6Y'
      expect(strftime(format, seconds * 1000)).toBe(real(format, String(seconds), 'UTC'))
    }
  })

  it('leaves what is no conversion', () => {
    for (const format of ['%', '%Q', '%5', 'a%', '%E', '%Ea', '%J%i', '%5Q', '%:d', '%-', '100%%', '%E5d', '%::::z', '%5%']) {
      expect(strftime(format, 0), format).toBe(real(format, '0', 'UTC'))
    }
  })

  it('takes fractions from milliseconds', () => {
    expect(strftime('%s.%N', 1_700_000_000_123)).toBe('1700000000.123000000')
    expect(strftime('%s.%3N', -1)).toBe('-1.999')
  })
})
