import { describe, expect, it } from 'vitest'
import type { FileStat } from '../../../src/fs/file-system.ts'
import type { MaybePromise } from '../../../src/host.ts'
import type { TestContext } from '../../../src/shell/expand/conditional.ts'
import { binaryTest, evaluateTest, unaryTest } from '../../../src/shell/expand/conditional.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

const base: FileStat = {
  type: 'file',
  size: 0,
  mode: 0o644,
  mtimeMs: 1000,
  atimeMs: 1000,
  ctimeMs: 1000,
  birthtimeMs: 1000,
  dev: 1,
  ino: 1,
  nlink: 1,
  uid: 0,
  gid: 0,
}
const FILES: ReadonlyMap<string, FileStat> = new Map([
  ['file', { ...base, size: 3, ino: 2 }],
  ['empty', { ...base, ino: 3, mtimeMs: 5000 }],
  ['dir', { ...base, type: 'directory', size: 4096, mode: 0o755, ino: 4 }],
  ['run', { ...base, mode: 0o755, ino: 5 }],
  ['link', { ...base, size: 3, ino: 2 }],
  ['pipe', { ...base, type: 'fifo', ino: 6 }],
  ['/dev/null', { ...base, type: 'character-device', ino: 7 }],
  ['setuid', { ...base, mode: 0o7755, ino: 8 }],
])
const LINKS: ReadonlyMap<string, FileStat> = new Map([
  ['link', { ...base, type: 'symlink', ino: 9 }],
  ['broken', { ...base, type: 'symlink', ino: 10 }],
])

function contextOf(name: string, later = false): TestContext & { messages: string[] } {
  const messages: string[] = []
  const answer = <T>(value: T): MaybePromise<T> => (later ? Promise.resolve(value) : value)
  return {
    name,
    messages,
    stat: (path) => answer(FILES.get(path) ?? null),
    lstat: (path) => answer(LINKS.get(path) ?? FILES.get(path) ?? null),
    isTerminal: () => false,
    isSet: (variable) => ['set', 'ref', '0'].includes(variable),
    isNameReference: (variable) => variable === 'ref',
    isOptionOn: (option) => option === 'noglob',
    report: (message) => messages.push(message),
  }
}

function ours(name: string, args: readonly string[]): string {
  const context = contextOf(name)
  return [evaluateTest(args, context), ...context.messages].join('\u0001')
}

function compare(cases: readonly (readonly string[])[], name = 'test'): void {
  const set =
    'printf abc >file; touch -d @1000 file; : >empty; mkdir dir; : >run; chmod 755 run; ln -s file link; ln -s nowhere broken; mkfifo pipe; : >setuid; chmod 7755 setuid; set -f; set=1; declare -n ref=set'
  const lines = cases.map(
    (args) => `${name} ${args.map(quote).join(' ')} 2>e; s=$?; m=; [ -s e ] && IFS= read -r -d '' m <e; printf '%s\\1%s\\0' "$s" "$m"`,
  )
  const expected = runBash(`${set}\n${lines.join('\n')}\n`)
    .toString()
    .split('\0')
    .slice(0, -1)
    .map((text) =>
      text
        .replace(/\u0001$/, '')
        .replace(/\u0001script: line \d+: /, '\u0001')
        .replace(/\n$/, ''),
    )
  const shown = (text: string | undefined): string | undefined => text?.replaceAll('\u0001', ' ~ ')
  const all = cases.map((args, at) => ({ args: args.join(' ~ '), actual: shown(ours(name, args)), expected: shown(expected[at]) }))
  expect(all.filter((one) => one.actual !== one.expected)).toEqual([])
}

describe.runIf(hasBash)('test against bash', () => {
  const words = [
    '',
    'a',
    'b',
    '1',
    '2',
    '!',
    '(',
    ')',
    '-a',
    '-o',
    '=',
    '!=',
    '-n',
    '-z',
    '-eq',
    '-lt',
    '-f',
    '-x',
    '<',
    '-q',
    'file',
    '-ab',
    '--',
  ]

  it('agrees on every row of up to three words', () => {
    const some = ['', 'a', '1', '!', '(', ')', '-a', '-o', '=', '-n', '-eq', '-f', '-q', '--']
    const cases = some.flatMap((one) => [[one], ...some.flatMap((other) => [[one, other], ...some.map((third) => [one, other, third])])])
    compare([[], ...cases])
  }, 60_000)

  it('agrees on rows of four and more words', () => {
    const random = createRandom(61)
    compare(Array.from({ length: 3000 }, () => Array.from({ length: 4 + random(6) }, () => words[random(words.length)] as string)))
  }, 60_000)

  it('agrees on integers', () => {
    const integers = [
      '1',
      '-1',
      ' 1',
      '1 ',
      '+1',
      '01',
      '0x1',
      '1.0',
      '',
      'a',
      '9223372036854775807',
      '9223372036854775808',
      '-9223372036854775808',
      '99999999999999999999',
    ]
    compare(
      ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'].flatMap((operator) =>
        integers.flatMap((left) => integers.map((right) => [left, operator, right])),
      ),
    )
  })

  it('agrees on files', () => {
    const files = [
      'file',
      'empty',
      'dir',
      'run',
      'link',
      'broken',
      'pipe',
      '/dev/null',
      'setuid',
      'nope',
      '',
      'set',
      'ref',
      'noglob',
      'errexit',
      '0',
      '99',
    ]
    const operators = [...'abcdefghkprstuvwxzGLOSR'].map((letter) => `-${letter}`)
    compare([...operators, '-o'].flatMap((operator) => files.map((file) => [operator, file])))
    compare(
      ['-ef', '-nt', '-ot'].flatMap((operator) =>
        ['file', 'link', 'nope', 'empty'].flatMap((left) => ['file', 'nope', 'empty'].map((right) => [left, operator, right])),
      ),
    )
  })

  it('agrees on texts', () => {
    const texts = ['', 'a', 'b', 'A', 'é', 'z', '\uffee', '\u{1f600}', '10', '9']
    compare(['=', '==', '!=', '<', '>'].flatMap((operator) => texts.flatMap((left) => texts.map((right) => [left, operator, right]))))
  })

  it('wants the bracket closed', () => {
    compare(
      [
        [],
        [']'],
        ['a'],
        ['a', ']'],
        ['a', 'b'],
        ['a', 'b', ']'],
        ['', ']'],
        ['a', '=', 'a', ']'],
        ['(', 'a', ')', ']'],
        ['a', 'b', 'c', ']'],
        ['x', '-eq', '1', ']'],
        ['-n', ']'],
        [']', ']'],
        ['a', '=', ']', ']'],
      ],
      '[',
    )
  })
})

describe('test', () => {
  it('waits where files are asked for', async () => {
    const context = contextOf('test', true)
    expect(await evaluateTest(['-f', 'file', '-a', '!', '-d', 'file', '-a', 'file', '-ef', 'link'], context)).toBe(0)
    expect(await evaluateTest(['-f', 'file', '-a', 'x', '-eq', '1'], context)).toBe(2)
    expect(context.messages).toEqual(['test: x: integer expression expected'])
  })

  it('answers at once where nothing is waited for', () => {
    expect(evaluateTest(['1', '-lt', '2'], contextOf('test'))).toBe(0)
  })

  it('lends its operators to [[ ]]', () => {
    const context = { ...contextOf('[['), evaluate: (text: string) => text.length }
    expect(binaryTest('-eq', 'abc', 'def', context)).toBe(true)
    expect(unaryTest('-v', 'set', context)).toBe(true)
    expect(() => unaryTest('-q', 'x', context)).toThrow('unary operator expected')
    expect(() => binaryTest('-q', 'x', 'y', context)).toThrow('binary operator expected')
  })

  it('takes any number of words', () => {
    const context = contextOf('test')
    expect(evaluateTest(['a', ...Array.from({ length: 50_000 }, () => ['-a', 'a']).flat()], context)).toBe(0)
    expect(evaluateTest([...Array.from({ length: 100_000 }, () => '!'), 'a'], context)).toBe(0)
    expect(evaluateTest([...Array.from({ length: 100_000 }, () => '('), 'a'], context)).toBe(2)
  })
})
