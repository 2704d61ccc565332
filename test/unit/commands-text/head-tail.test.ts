import { describe, test } from 'vitest'
import { expectSame, hasGnu, pick, seeded } from './tool.ts'

describe.runIf(hasGnu)('head, tail and cat say what the GNU tools say', () => {
  const contents = [
    '',
    '\n',
    'a',
    'a\n',
    '1\n2\n3\n',
    '1\n2\n3',
    '\n\n\n\nx\n\n',
    'a\0b\0\nc\0',
    'x\r\ny\t\x01\x7f\xff\n\n\n\n\r',
    'é\n'.repeat(40),
  ]
  const counts = ['0', '1', '2', '3', '10', '50', '1K', '1b', '1kB', '-1', '-0', '-3', '+1', '+2', '+0', '+100', 'x', '', '1x', ' 2']
  const cases: Record<string, string[]> = {
    head: ['-n@', '-c@', '--lines=@', '-q', '-v', '-z', '-2'],
    tail: ['-n@', '-c@', '--bytes=@', '-q', '-v', '-z', '-2', '-1c', '+2'],
    cat: ['-n', '-b', '-s', '-E', '-T', '-v', '-A', '-e', '-t', '-u'],
  }
  for (const [name, options] of Object.entries(cases)) {
    test(name, async () => {
      const random = seeded(name.length * 7919)
      for (let i = 0; i < 60; i++) {
        const args = Array.from({ length: random(3) }, () => pick(random, options).replace('@', () => pick(random, counts)))
        const operands = pick(random, [[], ['-'], ['a'], ['a', 'b'], ['-', 'a'], ['nope', 'a'], ['a', 'd']])
        const files = { a: pick(random, contents), b: pick(random, contents), 'd/': '' }
        const run = { files, stdin: pick(random, contents), chunkSize: pick(random, [1, 2, 7, 65_536]), slow: random(2) === 0 }
        await expectSame([name, ...args, ...operands], run)
      }
    })
  }
})
