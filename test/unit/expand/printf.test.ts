import { describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import type { PrintfContext } from '../../../src/shell/expand/printf.ts'
import { formatPrintf } from '../../../src/shell/expand/printf.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

const context: PrintfContext = {
  now: () => 86_400_000,
  strftime: (format, ms) =>
    format.replaceAll('%Y', String(new Date(ms).getUTCFullYear())).replaceAll('%X', new Date(ms).toISOString().slice(11, 19)),
}

function ours(args: readonly string[]): string {
  const [format = '', ...rest] = args
  const { text, status, errors } = formatPrintf(format, rest, context)
  return [text, status, ...errors].join('\u0001')
}

function compare(cases: readonly (readonly string[])[]): void {
  const lines = cases.map(
    (args) => `printf -- ${args.map(quote).join(' ')} 2>e; s=$?; IFS= read -r -d '' m <e; printf '\\n--%s--%s\\n==\\n' "$s" "$m"\n`,
  )
  const expected = decode(
    runBash(Buffer.concat([Buffer.from('export TZ=UTC\n'), ...lines.map((line) => Buffer.from(encode(line)))]), { LANG: 'C.UTF-8' }),
  )
    .split('\n==\n')
    .slice(0, -1)
    .map((block) => {
      const [text = '', status = '', errors = ''] = block.split(/\n--(\d+)--/)
      const messages = errors.split(/^script: line \d+: /m).slice(1)
      return [text, status, ...messages.map((message) => message.replace(/\n$/, ''))].join('\u0001')
    })
  const shown = (text: string | undefined): string | undefined => text?.replaceAll('\u0001', ' ~ ')
  const all = cases.map((args, at) => ({ args: args.join(' ~ '), actual: shown(ours(args)), expected: shown(expected[at]) }))
  expect(all.filter((one) => one.actual !== one.expected)).toEqual([])
}

const INTEGERS = [
  '',
  '0',
  '1',
  '-1',
  '+5',
  '42',
  '255',
  '-255',
  '010',
  '08',
  '0x1F',
  '0X1f',
  '0x',
  '0xg',
  '-08',
  '12abc',
  'abc',
  ' 12',
  '12 ',
  '\t5',
  '\n',
  '-',
  '+',
  '- 5',
  '--5',
  '1.5',
  '1e3',
  "'a",
  "'é",
  '"',
  "'",
  '"ab',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '-9223372036854775809',
  '18446744073709551615',
  '18446744073709551616',
  '-18446744073709551615',
  '-18446744073709551616',
  '99999999999999999999',
  '0xffffffffffffffffff',
  '-0',
  '00',
  '1_000',
  '0b11',
  '0 5',
  '😀',
  "'😀",
]
const FLOATS = [
  '',
  '0',
  '-0',
  '1',
  '1.5',
  '-2.5',
  '0.1',
  '3.14159',
  '2.345',
  '2.5',
  '3.5',
  '0.5',
  '1e3',
  '1e10',
  '1e-5',
  '1e100',
  '1e308',
  '1e309',
  '1e400',
  '1e4931',
  '1e5000',
  '1e-5000',
  '1e-4940',
  '123456789',
  '0.0001',
  '0.00001',
  '99999.95',
  '999999.5',
  '9.9999999',
  '0x1p4',
  '0x1.8',
  '0xA.8p1',
  '0x1p-1074',
  '0x',
  '0xg',
  'inf',
  '-inf',
  'INFINITY',
  'nan',
  '-nan',
  'nan(x)',
  "'a",
  'abc',
  '1.5x',
  '1,5',
  '1 ',
  ' 1',
  '.5',
  '5.',
  '.',
  'e5',
  '1e',
  '1e+',
  '12345678901234567890',
  '0.30000000000000004',
  '1234.5',
  '15',
  '25',
  '0.045',
  '1e22',
  '4.35',
  '0x0.00001p0',
  '179769313486231570000',
  '-12.75',
  '100',
  '1000000',
  '0x1.fffffffffffffffep0',
  '0xff.ffp0',
]

describe.runIf(hasBash)('printf against bash', () => {
  it('agrees on integers', () => {
    const formats = [
      '%d',
      '%i',
      '%u',
      '%x',
      '%X',
      '%o',
      '%5d|',
      '%-5d|',
      '%05d|',
      '%+d',
      '% d',
      '%.3d',
      '%.0d|',
      '%8.3d|',
      '%08.3d|',
      '%#x',
      '%#X',
      '%#o',
      '%#.3o',
      '%-8x|',
      '%08x',
      '%+u',
      '%-08d|',
      '%+05d',
      '% 05d',
      '%#8x|',
      '%#08x|',
      '%ld',
      '%hhd',
      "%'d",
      '%.5x',
      '%#.5x',
      '%25d|',
    ]
    compare(formats.flatMap((format) => INTEGERS.map((argument) => [format, argument])))
  }, 60_000)

  it('agrees on floating point', () => {
    const formats = [
      '%f',
      '%e',
      '%g',
      '%a',
      '%F',
      '%E',
      '%G',
      '%A',
      '%.0f',
      '%.2f',
      '%.10f',
      '%.20f',
      '%.30e',
      '%.0e',
      '%.3g',
      '%.0g',
      '%#g',
      '%#.0f',
      '%#.0e',
      '%10.2f|',
      '%-10.2f|',
      '%010.2f|',
      '%+f',
      '% f',
      '%+010.3e|',
      '%.1a',
      '%.3a',
      '%.0a',
      '%.20a',
      '%#.0a',
      '%20a|',
      '%020a|',
      '%-20a|',
      '%20g|',
      '%.17g',
      '%.20g',
      '%#.3g',
      '%.1g',
      '%Lf',
      '%.40g',
    ]
    // glibc drops the zeros of %#g where rounding makes the number longer.
    const cases = formats.flatMap((format) => FLOATS.map((argument) => [format, argument]))
    compare(cases.filter(([format, argument]) => format !== '%#g' || argument !== '999999.5'))
  }, 60_000)

  it('agrees on texts', () => {
    const texts = [
      '',
      'a',
      'abc',
      'é',
      'ééé',
      '€uro',
      '😀',
      'a b',
      "it's",
      'a\\tb',
      'a\\x41\\101\\0101',
      'x\\cy',
      '\\x',
      '$x',
      '~',
      '\udcff',
      'a\nb',
      '-n',
      '\\u00e9\\U1F600',
    ]
    const formats = [
      '%s',
      '%5s|',
      '%-5s|',
      '%.2s|',
      '%.0s|',
      '%5.1s|',
      '%05s|',
      '%c',
      '%3c|',
      '%-3c|',
      '%b',
      '%5b|',
      '%-5b|',
      '%.2b|',
      '%q',
      '%10q|',
      '%-10q|',
      '%.2q|',
      '%Q',
      '%10Q|',
      '%.2Q|',
      '%ls',
      '%s%s|',
      '[%s]\\n',
      '%b%s|',
      '%c%c',
    ]
    compare(formats.flatMap((format) => texts.map((text) => [format, text])))
  }, 60_000)

  it('agrees on the rest', () => {
    compare([
      ['%s'],
      ['%d'],
      ['%f'],
      ['%c'],
      ['%b'],
      ['%q'],
      ['%x'],
      ['%s', 'a', 'b', 'c'],
      ['%s %s\\n', 'a', 'b', 'c'],
      ['%d %s\\n', '1', 'a', '2'],
      ['abc', 'x', 'y'],
      ['', 'x'],
      ['%%'],
      ['%%%s', 'a', 'b'],
      ['%5%|'],
      ['%z', '1'],
      ['%'],
      ['%5'],
      ['a%y', '1'],
      ['ok %d%y', '1'],
      ['%s%', 'a'],
      ['%.'],
      ['%l'],
      ['%lz'],
      ['%-'],
      ['%*', '5'],
      ['%s\\n%z', 'a', 'b'],
      ['%*s|', '5', 'a'],
      ['%*s|', '-5', 'a'],
      ['%.*s|', '2', 'abcd'],
      ['%.*s|', '-1', 'abc'],
      ['%*.*s|', '6', '2', 'abc'],
      ['%*d', 'abc', '5'],
      ['%*d', '', '5'],
      ['%.*d', 'abc', '5'],
      ['%-*d|', '5', '3'],
      ['%0*d|', '5', '3'],
      ['%*s|'],
      ['%*s|', '3'],
      ['%(%Y)T', '0'],
      ['%(%Y)T', 'abc'],
      ['%10(%Y)T|', '0'],
      ['%-10(%Y)T|', '0'],
      ['%.2(%Y)T|', '0'],
      ['%()T', '0'],
      ['%(%Y)T', ''],
      ['%(a(b)c)T', '0'],
      ['%(%Y)T %s', '0', 'x', '86400000', 'y'],
      ['%(%Y)d', '0'],
      ['%5(%Y)Z|', '0'],
      ['%n', 'v'],
      ['abc%nd', 'v'],
      ['%n'],
      ['a%nb', 'a b'],
      ['%1$s', 'a'],
      ['%v', 'a'],
      ['%D', '5'],
      ['%S', 'é'],
      ['%C', 'é'],
      ['%p', '5'],
      ['%s %d', 'a'],
      ['%d %d', '1', 'x', '3'],
      ['%0-5d|', '3'],
      ['%+ d', '3'],
      ['%--5d|', '5'],
      ['%5-d', '5'],
      ['%5.d|', '0'],
      ['%.d|', '0'],
      ['%.s|', 'abc'],
      ['%.f', '2.6'],
      ['%5*d', '3', '4'],
      ['%**d', '3', '4'],
      ['%99999999999d', '5'],
      ['%2147483648d', '5'],
      ['a\\0b'],
      ['\\101\\x41\\u41'],
      ['\\q\\%s\\\\%s', 'a', 'b'],
      ['\\c'],
      ['a\\cb%s', 'x'],
      ['\\x%s', 'a'],
      ['\\'],
      ['a\\'],
      ['\\"%s\\"', 'x'],
      ["\\'%s\\'", 'x'],
      ['%b', 'a\\c', 'b'],
      ['%b|', 'a', 'b\\c', 'c'],
      ['%s\\n', ''],
      ['%s,', '1', '2', '3', '4'],
      ['%d,', '1', '2', '3', '4'],
      ['%c', '', 'a'],
      ['\\xc3%b', '\\xa9'],
      ['%c%c', 'é', 'é'],
      ['%s=%d ', 'a', '1', 'b', '2', 'c'],
      ['x%sy%s', 'a'],
      ['%s', '%s'],
      ['\\x25d', '5'],
      ['\\045d', '5'],
      ['%q ', 'a', '', 'b c'],
    ])
  })

  it('agrees on random formats', () => {
    const random = createRandom(41)
    const pick = (list: readonly string[]): string => list[random(list.length)] as string
    const directive = (): string =>
      `%${pick(['', '', '-', '0', '+', ' ', '#', '-0', '+0'])}${pick(['', '', '8', '3', '*'])}${pick(['', '', '.2', '.0', '.', '.*'])}${pick(['d', 'i', 'u', 'x', 'o', 'X', 's', 'b', 'q', 'e', 'f', 'g', 'G', 'c'])}`
    compare(
      Array.from({ length: 2000 }, () => [
        Array.from({ length: 1 + random(3) }, () => `${directive()}${pick(['', '|', ' ', '\\n', '%%', 'é'])}`).join(''),
        ...Array.from({ length: random(5) }, () => pick(['1', '-7', 'abc', '3.75', '0x1f', 'é', "'x", '1e3', '', '12', 'a b', '-2', '5'])),
      ]),
    )
  }, 60_000)
})

describe('printf', () => {
  it('tells what to assign', () => {
    expect(formatPrintf('é%nx%n', ['a', 'b'], context).assignments).toEqual([
      { name: 'a', value: '2' },
      { name: 'b', value: '3' },
    ])
  })

  it('refuses to fill the memory', () => {
    expect(() => formatPrintf('%1000000000d', ['1'], context)).toThrow('printf')
    expect(() => formatPrintf('%*s', ['1000000000', '1'], context)).toThrow('printf')
    expect(formatPrintf('%.100000f', ['1e-3'], context).text.length).toBe(100_002)
    expect(formatPrintf('%.1000000000s', ['abc'], context).text).toBe('abc')
    expect(formatPrintf('%f', [`1e${'9'.repeat(50)}`], context).text).toBe('inf')
    expect(formatPrintf('%f', [`0.${'0'.repeat(100_000)}1`], context).text).toBe('0.000000')
    expect(formatPrintf('%.3f', [`0.${'3'.repeat(100_000)}`], context).text).toBe('0.333')
  })

  it('uses a format over and over', () => {
    const args = Array.from({ length: 100_000 }, (_, at) => String(at))
    expect(formatPrintf('%s %d\\n', args, context).text.split('\n').length).toBe(50_001)
  })
})
