import { describe, expect, test } from 'vitest'
import { Files, hasGnu, seeded } from './harness.ts'

describe.runIf(hasGnu('expr'))('expr does what GNU expr does', () => {
  const files = new Files()
  const same = (line: string, env: Readonly<Record<string, string>> = {}) =>
    files.same(['expr', ...line.split(' ').map((word) => (word === '_' ? '' : word.replaceAll('~', ' ')))], { env })

  test('arithmetic', async () => {
    for (const line of [
      '1 + 2',
      '3 - 5',
      '2 + 3 * 4',
      '( 2 + 3 ) * 4',
      '7 / 2',
      '-7 / 2',
      '-7 % 3',
      '7 % -3',
      '9223372036854775807 + 1',
      '-9223372036854775808 - 1',
      '123456789012345678901234567890 * 987654321098765432109876543210',
      '-123456789012345678901234567890 / 7',
      '007 + 1',
      '-0',
      '-00 + 0',
      '1 / 0',
      '1 % 0',
      'a + 1',
      '_ + 1',
      '1 + +1',
      '- + 1',
      '1 - 1',
      '10 - 3 - 2',
      '2 * 3 / 4',
      '1.5 + 1',
      '1~ + 1',
    ])
      await same(line)
  })

  test('comparison and logic', async () => {
    for (const line of [
      '1 < 2',
      '10 < 9',
      'a10 < a9',
      '10 = 010',
      '10 == 10',
      'a != b',
      'b >= a',
      'a > b',
      'a <= a',
      '-1 < 0',
      '99999999999999999999 < 100000000000000000000',
      'é < z',
      '1 | 2',
      '0 | 2',
      '_ | 0',
      '_ | _',
      '-0 | x',
      '1 & 2',
      '1 & 0',
      '0 & 1',
      'a & b',
      '_ & 1',
      '1 | 1 / 0',
      '0 & 1 / 0',
      '0 | 1 / 0',
      '1 & 1 / 0',
      '0 & a + 1',
      '1 | a : \\(',
      '1 | a +',
      '1 < 2 < 3',
      '3 > 2 > 1',
      '0 | 0 | 5',
      '1 = 1 & 2 = 2',
      '1 = 2 | 3 = 3',
      '- & 1',
      '-- | 1',
    ])
      await same(line)
  })

  test('texts', async () => {
    for (const line of [
      'abc : abc',
      'abc : b',
      'abc : ^a',
      'abc : a.*',
      'abc : a\\(.\\)c',
      'abc : x\\(.\\)c',
      'abc : \\(x\\)*',
      'abc : .*\\(x\\)*',
      'abab : \\(ab\\)*',
      'abb : ab\\+',
      'abc : \\(',
      'abc : a\\{2,1\\}',
      'aXbXc : \\([^X]*\\)X\\(.*\\)',
      'aa : \\(a\\)\\1',
      'abc : a\\|b',
      'abc : *',
      '*a : *a',
      'ab$c : ab$c',
      'abc : _',
      '_ : _',
      '_ : a*',
      'éàü : ..',
      'éàü : \\(.\\)',
      'match abc a.',
      'match abc \\(.\\)',
      'length abc',
      'length éàü',
      'length _',
      'length 1 + 2',
      'length ( 10 + 2 )',
      'index abcdef dc',
      'index abc x',
      'index éàü ü',
      'index _ a',
      'substr abcdef 2 3',
      'substr abcdef 0 3',
      'substr abcdef 2 0',
      'substr abcdef 2 99999999999999999999',
      'substr abcdef 99999999999999999999 1',
      'substr abcdef -1 3',
      'substr abcdef x 3',
      'substr éàü 2 1',
      'substr abc 3 1 + 4',
      '+ length',
      '+ + + +',
      'length + length',
      '+ match : m',
      'substr match index abc b 1',
    ])
      await same(line)
    await files.same(['expr', 'a\nb', ':', '.*'])
    await files.same(['expr', 'a\nb', ':', 'a$'])
    await files.same(['expr', 'a\nb', ':', 'a\n^b'])
    await files.same(['expr', 'a\nb', ':', 'a[^x]b'])
  })

  test('patterns of all kinds', async () => {
    const patterns = ['[a', '[]', '[[:foo:]]', '[[:alpha:', '[[.', '[[=a', '[b-a]', 'a\\{1', '\\)', 'a\\{1,2', 'a\\{x\\}']
    patterns.push('a\\', 'a**', '\\1', 'a*\\{2\\}', '\\(*a\\)', 'a\\{40000\\}', 'a\\{2,1\\}', 'x\\|^a', 'a$\\|b')
    for (const pattern of patterns) await files.same(['expr', 'abc', ':', pattern])
  })

  test('bytes in the C locale', async () => {
    for (const line of ['length éàü', 'éàü : ..', 'index éàü ü', 'substr éàü 2 1', 'é : \\(.\\)', '1 +']) await same(line, { LC_ALL: 'C' })
  })

  test('mistakes', async () => {
    for (const line of [
      '1 +',
      '( 1',
      '( 1 2',
      '( )',
      ')',
      '1 2',
      'length',
      'index a',
      'substr a 1',
      'match a',
      '+',
      '--',
      '-- 1 + 1',
      '-- --',
      '-- --help',
      '--help 1',
      '--foo',
      '_',
      '0',
      '(',
      "it's it's",
      '1 = ( 2',
      '1 | (',
    ])
      await same(line)
    await files.same(['expr'])
  })

  test('random expressions', async () => {
    const random = seeded(7)
    const words = ['0', '1', '-3', '12', '', 'a', 'ab', '007', '99999999999999999999', 'length', 'index', 'substr', 'match', '+']
    const operators = ['|', '&', '<', '<=', '=', '==', '!=', '>=', '>', '+', '-', '*', '/', '%', ':']
    for (let n = 0; n < 300; n++) {
      const term = (depth: number): string[] => {
        if (depth > 0 && random(4) === 0) return ['(', ...expression(depth - 1), ')']
        const word = words[random(words.length)] as string
        if (word === '+') return ['+', words[random(words.length)] as string]
        const count = ['length', 'index', 'substr', 'match'].indexOf(word)
        return [word, ...Array.from({ length: [1, 2, 3, 2][count] ?? 0 }, () => term(0)).flat()]
      }
      const expression = (depth: number): string[] => {
        const all = term(depth)
        for (let more = random(4); more > 0; more--) all.push(operators[random(operators.length)] as string, ...term(depth))
        return all
      }
      const all = expression(2)
      if (random(8) === 0) all.splice(random(all.length), 1)
      await files.same(['expr', ...all])
    }
  })
})

test('expr describes itself', async () => {
  const files = new Files()
  expect((await files.ours(['expr', '--help'])).stdout).toMatch(/^Usage: expr /)
  expect(await files.ours(['expr', '--version'])).toEqual({ stdout: 'expr (mirage-runtime)\n', stderr: '', status: 0 })
})
