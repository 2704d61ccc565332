import { describe, test } from 'vitest'
import { expectSame, type Fuzz, fuzz, hasGnu, someText } from './tool.ts'

const LISTS = ['1', '2-', '-2', '1,3', '3,1-2', '2-3,5-', '-', '0', 'x', '4-2', '1,1', '2,2-3', '1-2-3', '']
const ENDS = ['', '\n', 'a', 'a\n', '\n\nx\n', 'x\ty\tz\n', 'a b\na b\nA B\n\nc\nc\nc', 'a\0a\0b\0', 'é漢\r\n\x7f\xff\f\v\t1\n']
const TEXTS = [...ENDS, ...[1, 2, 3, 4, 5, 6].map((seed) => someText(seed, 12))]
const BYTES = [
  ...TEXTS,
  Uint8Array.from({ length: 700 }, (_, i) => (i * 7) & 255),
  Uint8Array.of(0xc3, 0xa9, 0xe2, 0x82, 0x0a, 0xf0, 0x9f, 0x98, 0x80, 0x20, 0xe2),
]
const SETS = [
  'a-z',
  'A-Z',
  '[:upper:]',
  '[:lower:]',
  '[:alnum:]',
  '[:space:]',
  '[x*]',
  '[y*3]',
  'abc',
  '\\n',
  '\\012-\\100',
  ' \\t',
  '[=a=]',
  'z-a',
  '',
  '[:foo:]',
  '\\',
  '\\400',
  'é',
  '[a-c]',
  'a-',
  '[:punct:][:digit:]',
  '[:lower:]xy',
  'ab[:upper:]',
]
const NUMBERS = ['1', '0', '-1', '10', '3.5', '.5', '-.25', '1e2', '0x1F', '007', '-0', '1.50', 'x', 'inf', '5.', '1e-2', '12', '-12', '+4']
const FILES = [[], ['-'], ['a'], ['a', 'b'], ['a', '-'], ['nope', 'a'], ['d'], ['a', 'd', 'b']]

const SORTED = [
  ...BYTES,
  ...[10, 11, 12, 13].map((seed) => someText(seed, 80)),
  ...[14, 15].map((seed) => someText(seed, 300, ['a', 'b', 'ab', 'A', '', '1', '10', '2', '-1'])),
  someText(16, 60, ['1', '-1', '1.0', '1.00', '-0', '0', '', '12345678901234567890', '12345678901234567891', '0.1', '.1', '1e3', '0x10', 'nan', 'inf', '-inf', '+1', '1.50000000000000000001', '1.5']),
  someText(17, 60, ['1K', '1M', '2K', '1k', '-1K', '0K', '1024', '1.5G', '3', '1Ki']),
  someText(18, 60, ['1.2.3', '1.2.10', '1.02.3', 'a~', 'a', 'a.tar.gz', 'a1.tar.gz', '.a', '.', '..', '', 'a.b.c~', 'a-1', 'a_1', 'a1b', '1.0', '1.00']),
  someText(19, 60, ['jan', 'FEB', 'Mar', 'Apr1', 'xx', 'DEC', 'de', 'may']),
  'a\nb\nc\nd\n',
  '1\n2\n10\n11\n',
  'b\na\n',
]

const COMMANDS: Record<string, Fuzz> = {
  wc: {
    options: ['-l', '-w', '-c', '-m', '-L', '-lw', '-Lm'],
    operands: [...FILES.filter((files) => !files.includes('-')), ['-'], ['a', '-']],
    contents: BYTES,
  },
  cut: {
    options: [
      '-f@',
      '-f@',
      '-b@',
      '-c@',
      '-d:',
      '-d ',
      '-dx',
      '-d\n',
      '-s',
      '-z',
      '--complement',
      '--output-delimiter=<>',
      '--output-delimiter=',
      '-n',
      '-f1,3',
      '-b2-4',
    ],
    values: LISTS,
    most: 4,
    operands: FILES,
    contents: BYTES,
  },
  tr: {
    options: ['-c', '-d', '-s', '-t', '-C', '-cs', '-ds'],
    operands: SETS.flatMap((a) => [[a], ...SETS.map((b) => [a, b])]),
    contents: BYTES,
  },
  uniq: {
    options: [
      '-c',
      '-d',
      '-D',
      '-u',
      '-i',
      '-z',
      '-f@',
      '-s@',
      '-w@',
      '--group',
      '--group=both',
      '--group=prepend',
      '--all-repeated=separate',
      '--all-repeated=prepend',
      '-1',
      '-2',
      '+1',
    ],
    values: ['0', '1', '2', '5', 'x'],
    operands: [[], ['-'], ['a'], ['a', 'out'], ['nope'], ['d']],
    contents: [...TEXTS, ...[7, 8, 9].map((seed) => someText(seed, 60, ['a', 'A', 'b', '']))],
  },
  seq: {
    options: ['-w', '-s,', '-s', '-f%g', '-f%05.1f', '-f%.3e', '-f<%3.0f>', '-f%x', '-f%%'],
    most: 1,
    operands: NUMBERS.flatMap((a) => [
      [a],
      ...NUMBERS.flatMap((b) => [
        [a, b],
        [a, '1.5', b],
        [a, '-3', b],
      ]),
    ]).filter((args) => args.at(-1) !== 'inf' && args[0] !== 'inf'),
    contents: [''],
  },
  tac: {
    options: ['-b', '-s@', '-r -s [0-9]', '-r -s [a-c]*x', '-s b'],
    values: ['a', '\n\n', 'xx', ' ', ''],
    operands: FILES,
    contents: TEXTS,
  },
  rev: { options: [], operands: [[], ['a'], ['a', 'b'], ['nope', 'a']], contents: TEXTS.filter((text) => !/[\0\xff]/.test(text)) },
  sort: {
    options: ['-b', '-d', '-f', '-g', '-h', '-i', '-M', '-n', '-r', '-V', '-s', '-u', '-z', '-m', '-c', '-C', '-t,', '-t ', '-k@', '-k@', '-k@', '-nr', '-rf', '-o out', '-bu', '--sort=version'],
    values: ['1', '2', '2,2', '1,1n', '2n', '2,2nr', '1.2,1.3', '2b,2', '2.2b', '1r', '2,3f', '3g', '2h', '1M', '1V', '1,2.1b', '2d', '1i', '1,1.0', '0', '1x', '3.2,1', '1,1Vr', '1f,1', '4'],
    most: 4,
    operands: [...FILES.filter((files) => !files.includes('d')), ['a', 'b', '-'], ['d']],
    contents: SORTED,
  },
  tee: { options: ['-a', '-p', '-i'], operands: [[], ['a'], ['a', 'new'], ['d', 'a'], ['-']], contents: TEXTS },
}

describe.runIf(hasGnu)('the same as the GNU tools', () => {
  for (const [name, cases] of Object.entries(COMMANDS)) test(name, () => fuzz(name, 200, cases))

  test('tr of sets by hand', async () => {
    const stdin = 'Hello World 123 [x] -- \\ aabbcc\n'
    for (const [first, second] of [
      ['a-c', '[:upper:]'],
      ['[:upper:][:lower:]', '[:lower:][:upper:]'],
      ['a[:lower:]', 'b[:upper:]'],
      ['[:lower:]', 'AB'],
      ['a', '[b*'],
      ['a', '[b*x]'],
      ['abcd', '[x*]y'],
      ['ab', '[x*][y*]'],
      ['A', '[a*010]'],
      ['[:*]', 'x'],
      ['[:*', 'x'],
      ['[a*a', 'x'],
      ['x', '[\\**2]'],
      ['Hl[:digit:]', 'Jx'],
      ['[:lower:]', '[:lower:][:upper:]'],
      ['[::]', 'x'],
      ['[==]', 'x'],
      ['[=ab=]', 'x'],
      ['\\n-\\t', 'x'],
      ['\\055\\135', 'xy'],
    ] as const) {
      for (const options of [[], ['-c'], ['-t'], ['-s']]) await expectSame(['tr', ...options, first, second], { stdin })
    }
  })
})
