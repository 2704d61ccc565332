import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parseDate } from '../../../src/time/parse-date.ts'
import { zone } from '../../../src/time/zone.ts'
import { random } from './random.ts'

/** What the real date says for each text: `SECONDS.NANOSECONDS` or `invalid`. */
function real(texts: readonly string[], tz: string): string[] {
  const script = 'while IFS= read -r line; do date -d "$line" +%s.%N 2>/dev/null || echo invalid; done'
  return execFileSync('bash', ['-c', script], { input: `${texts.join('\n')}\n`, env: { TZ: tz, LC_ALL: 'C', PATH: '/usr/bin:/bin' } })
    .toString()
    .trimEnd()
    .split('\n')
}

function ours(texts: readonly string[], tz: string, now = 0): string[] {
  return texts.map((text) => {
    const moment = parseDate(text, { now: { seconds: now, nanoseconds: 0 }, zone: zone(tz) })
    return moment === null ? 'invalid' : `${moment.seconds}.${String(moment.nanoseconds).padStart(9, '0')}`
  })
}

const FIXED = `2024-01-05
2024-1-5
24-01-05
68-01-05
69-01-05
068-01-05
2024-02-30
2024-13-01
20240105
20240105 1030
240105
2024/01/05
01/05/2024
1/5/24
1/2/3
12345/1/2
2024-01-05T10:30
2024-01-05T10
2024-01-05T10+01
2024-01-05T10:30Z
2024-01-05T10:30:15Z
2024-01-05t10:30:15z
2024-01-05T10:30:15.25+05:30
2024-01-05T10:30:15,25-0330
2024-01-05T10:30:15+1
2024-01-05T
2024-01-05 T
2024-01-05T10:00 pm
2024-01-05 T10:00
2024-01-05 10:30:15
2024-01-05 10:30:15.123456789
2024-01-05 10:30:15.1234567899
2024-01-05 10:30 pm
2024-01-05 10:30:15 p.m.
2024-01-05 12am
2024-01-05 12pm
2024-01-05 0am
2024-01-05 13pm
2024-01-05 24:00
2024-01-05 23:59:60
2024-01-05 10:60
2024-01-05 10
2024-01-05 1030
2024-01-05 10 +0100
2024-01-05 10:30 UTC
2024-01-05 10:30 GMT+2
2024-01-05 10:30 UTC+1 day
2024-01-05 10:30 UTC +1 day
2024-01-05 10:30 UTC-02:30
2024-01-05 10:30 EST
2024-01-05 10:30 EDT
2024-01-05 10:30 EST DST
2024-01-05 10:30 EST5EDT
2024-01-05 10:30 B
2024-01-05 10:30 Z
2024-01-05 10:30 J
2024-01-05 10:30 Y
2024-01-05 10:30 e.s.t.
2024-01-05 10:30 BST
2024-01-05 10:30 IST
2024-01-05 10:30 NZDT
2024-01-05 10:30 SST
2024-01-05 10:30 foo
2024-01-05 +1 day
2024-01-05 1 day
2024-01-05 -1 day
2024-01-05 - 1 day
2024-01-05 -- 1 day
2024-01-05 1 day ago
2024-01-05 -1 day ago
2024-01-05 2 days hence
2024-01-05 tomorrow
2024-01-05 yesterday
2024-01-05 next day
2024-01-05 last month
2024-01-05 this week
2024-01-05 third week
2024-01-05 twelfth month
2024-01-05 second
2024-01-05 fortnight ago
2024-01-05 2 weeks ago 3 days
2024-01-05 10:00 +1 day
2024-01-05 10:00 +1 hour
2024-01-05 10:00:00 1 hour
2024-01-05 10:00:00 -0500 +2 hours
2024-01-05 1.5 seconds
2024-01-05 1.5 seconds ago
2024-01-05 -1.5 seconds
2024-01-05 +1.25 sec
2024-01-05 1.5 hours
2024-01-31 1 month
2024-01-31 +1 month
2024-02-29 1 year
2024-02-29 -1 year
2024-01-05 1 year 2 months 3 days 4 hours 5 minutes 6 seconds
2024-01-05 mon
2024-01-05 10:00 friday
Friday 2024-01-05
Fri, 2024-01-05 10:00
Fri, 05 Jan 2024 10:30:15 +0000
Fri, 05 Jan 2024 10:30:15 GMT
Fri Jan  5 10:30:15 UTC 2024
Fri Jan 5 10:30:15 2024
Fri Jan 5 2024
Jan 5 2024 10:30
Jan 5, 2024
Jan 5, 2024 10:30 pm
January 5, 2024
Jan. 5, 2024
5 Jan 2024
05-Jan-2024
05-Jan-24
Jan-05-2024
5 Jan 2024 10:30
2024 Jan 5
Sept 5 2024
sep 5 2024
Septem 5 2024
20240105 -1 day
20240105 10:30
20240105T1030
20240105T103015
20240105 103015
@0
@1.5
@-1.5
@-1
@1,25
@1700000000.123456789
@1 1 day
@ 5
@+5
@x
(a comment) 2024-01-05
2024-01-05 (nested (comment)) 10:00
2024-01-05 (open
2024-01-05 2024-01-06
10:00 11:00 2024-01-05
2024-01-05 UTC UTC
2024-01-05,10:00
2024-01-05_10:00
2024.01.05
5.5
1 1 1
2024-01-05 1 2 3
1.1.2024
2024-W01-5
2024-005
2024-01
Feb 30 2024
jan
jan 5-
tuesday jan
0000-01-01
0001-01-01
-2024-01-05
99999-01-01
2024-01-05 now
2024-01-05 today
2024-01-05 10:00 tomorrow
2024-01-05 10:00 next week
2024-01-05 10:00 a
2024-01-05 10:30 +14:00
2024-01-05 10:30 +24:00
2024-01-05 10:30 +24:01
2024-01-05 10:30 +0060
2024-01-05 10:30 +10000
2024-01-05 10:30 +5:3
2024-01-05 dst
2024-07-05 10:00 local
TZ="America/New_York" 2024-07-05 10:00
TZ="UTC0" 2024-07-05 10:00
TZ="Asia/Tokyo" 2024-07-05 10:00 -1 day
TZ="" 2024-07-05
TZ=UTC 2024-07-05
  2024-07-05
2024-03-10 01:30
2024-03-10 02:30
2024-03-10 02:30 UTC
2024-03-10 03:30
2024-03-09 02:30 1 day
2024-03-09 02:30 tomorrow
2024-03-09 12:00 24 hours
2024-11-03 01:30
2024-11-03 01:30 EST
2024-11-03 01:30 EDT
2024-11-02 01:30 1 day
2024-11-03 00:30 1 hour
2024-11-03 00:30 2 hours
2024-11-03 02:30
2024-03-31 02:30
2024-10-27 02:30
2024-10-27 02:30 CET
2024-10-27 02:30 CEST
2024-07-05 CET DST`.split('\n')

describe('parseDate', () => {
  it.each(['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'])('reads fixed dates as date does in %s', (tz) => {
    const theirs = real(FIXED, tz)
    const now = Math.floor(Date.now() / 1000)
    expect(ours(FIXED, tz, now).map((text, at) => `${FIXED[at]} => ${text}`)).toEqual(theirs.map((text, at) => `${FIXED[at]} => ${text}`))
  })

  it('reads what is said of now', () => {
    const texts = `now
today
tomorrow
yesterday
next friday
last friday
this friday
friday
2 friday
next monday 10:00
monday
tuesday 3pm
12
1230
10:15
10pm
1 day
2 days ago
+1 year
last month
next year
year
week ago

UTC
T
10 UTC
jan 5
5 jan
1/5
yesterday 10am
10am yesterday
third tuesday
10:00 EST
sunday -1 week
now 1 hour ago
now UTC
-1 hour
-3 hours 10 min`.split('\n')
    for (const tz of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
      const now = Math.floor(Date.now() / 1000)
      const theirs = real(texts, tz)
      const mine = ours(texts, tz, now)
      for (const [at, text] of texts.entries()) {
        expect(Math.abs(Number(mine[at]) - Number(theirs[at])), `${text}: ${mine[at]} ${theirs[at]}`).toBeLessThan(20)
      }
    }
  })

  it('reads random combinations as date does', () => {
    const next = random(42)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
    const words =
      '10:30|10|1030|2024|20240105|5|+1|-2|+0100|-05:30|day|days|month|hour|jan|Feb|fri|monday|ago|next|last|this|UTC|EST|EDT|Z|T|pm|am|,|/|:|2024-01-05|1/5/2024|tomorrow|now|1.5|seconds|year|week|+|-|dst'.split(
        '|',
      )
    const texts = Array.from({ length: 800 }, () => {
      const count = 1 + Math.floor(next() * 5)
      return `2024-01-05${next() < 0.3 ? '' : ' '}${Array.from({ length: count }, () => pick(words)).join(next() < 0.8 ? ' ' : '')}`
    })
    const theirs = real(texts, 'America/New_York')
    const mine = ours(texts, 'America/New_York', Math.floor(Date.now() / 1000))
    expect(mine.map((text, at) => `${texts[at]} => ${text}`)).toEqual(theirs.map((text, at) => `${texts[at]} => ${text}`))
  })
})
