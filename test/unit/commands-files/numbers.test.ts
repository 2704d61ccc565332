import { describe, it } from 'vitest'
import { Twin } from './harness.ts'

const NUMFMT = `--to=si 1000
--to=iec 2048
--to=iec-i 4096
--from=si 1K
--from=iec 1K
--from=iec-i 1Ki
--from=iec-i 1K
--from=auto 1K
--from=auto 1Ki
--from=iec 1Ki
--to=si 999999
--to=iec 1023
--to=si 1234567
--to=iec 12345678
1K
--from=si 1Q
abc
--to=si --suffix=B 5000
--suffix=B 5B
--padding=10 --to=si 5000
--padding=-10 --to=si 5000
--round=up --to=si 1001
--round=up --to=si -- -1999
--round=down --to=si 1999
--round=nearest --to=si 1450
--round=towards-zero --to=si 1999
--format=%10f 5
--format=%.2f 5.678
--format=%010f 5
--format=%-10f| 5
--format=a%fb 5
--format=%d 5
--format=%f%f 5
--format=x 5
--format=%.1f --to=si 1234
--format=%.3f --to=iec 1234567
--format=%6.1f --to=si 1234
--from-unit=1024 5
--to-unit=1000 5000
--from-unit=0 5
--grouping 5000
--invalid=warn abc
--invalid=ignore abc
--invalid=fail abc 5
--field=2 5
--to=foo 5
--to=auto 4
--to=si -- -5000
1.5 --to=si
2.5 --to=si
--from=si 1.5K
--from=si 1.5Kx
1.50
--to=si 1e3
0x10
--to=iec 9.9K
--from=iec --to=si 1M
--to=iec 1125899906842624
--to=si 123456789012
--padding=0 5
--padding=x 5
--field=x 5
--header=x 5
--delimiter=ab 5
--round=foo 1
--to=si 99950
--to=si 999.9
--to=si 9.99
--from=none 5
+5 --to=si
--to=si 1000 2000 3000`.split('\n')

const INPUTS: [string, string][] = [
  ['--field=2 --to=si', 'a 1000 b\nh 2000000 c\n'],
  ['--to=si', '  1000   x\n'],
  ['-d, --field=2- --to=si', 'x,1000,2000\n'],
  ['--header --to=si', 'H\n1000\n'],
  ['--header=2 --to=si', 'H\nI\n1000'],
  ['--field=2 --to=iec', 'a  1000  b\n'],
  ['--field=1,3 --to=si', '1000 2000 3000\n'],
  ['--field=- --to=si', '1000 2000 3000\n'],
  ['--to=si', '1000\n\nabc\n5\n'],
  ['-z --to=si', '1000\u00002000\u0000'],
  ['--field 2 --to=si --padding=8', '   5 1000\n'],
]

describe('numfmt and factor', () => {
  it('numfmt writes as the real one', async () => {
    const twin = new Twin()
    for (const line of NUMFMT) await twin.same(`numfmt ${line}`)
    for (const [line, stdin] of INPUTS) await twin.same(`numfmt ${line}`, { stdin })
  })

  it('factor divides as the real one', async () => {
    const twin = new Twin()
    await twin.same('factor 0 1 2 12 97 360 1000000007 4294967297 18446744073709551615 18446744073709551617 999999999999999989')
    await twin.same('factor 1000000016000000063 5000000029000000011 25 24999951 25010001')
    await twin.same('factor x 6')
    await twin.same('factor -x')
    await twin.same('factor', { stdin: '10 11\n12\n' })
    await twin.same('factor +7')
  })
})
