import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { textSimilarity } from '../../../src/replay/text-similarity.ts'

const PAIRS = JSON.parse(readFileSync(new URL('data/similarity.json', import.meta.url), 'utf8')) as readonly [
  a: string,
  b: string,
  ratio: number,
][]

it.each(PAIRS)('is what difflib gives for %.20s… and %.20s…', (a, b, ratio) => {
  expect(textSimilarity(a, b)).toBeCloseTo(ratio, 12)
})

it('is nothing for two empty texts, and for what is too long to compare', () => {
  expect(textSimilarity('', ' \n')).toBeNull()
  expect(textSimilarity('', 'a')).toBe(0)
  expect(textSimilarity('a'.repeat(20_001), 'b')).toBeNull()
})
