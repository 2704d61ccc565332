import { expect, test } from 'vitest'
import { randomNumbers } from '../servers/random-numbers.mjs'
import type { Operation } from './linearizability.mjs'
import { findViolation, isLinearizable } from './linearizability.mjs'

type Effect = Pick<Operation, 'sees' | 'seesNot' | 'sets' | 'counts'>

const write = (sets: string): Effect => ({ sets })
const read = (sees: string): Effect => ({ sees })
const swap = (sees: string, sets: string): Effect => ({ sees, sets })
const count: Effect = { counts: true }
const not = (seesNot: string): Effect => ({ seesNot })

function at(begin: number, end: number, effect: Effect): Operation {
  return { begin, end, certain: true, label: JSON.stringify(effect), ...effect }
}

function maybe(begin: number, effect: Effect): Operation {
  return { ...at(begin, Number.POSITIVE_INFINITY, effect), certain: false }
}

test.each<[string, boolean, readonly Operation[]]>([
  ['nothing', true, []],
  ['what was written is read', true, [at(0, 1, write('a')), at(2, 3, read('a'))]],
  ['the first value is read after a write', false, [at(0, 1, write('a')), at(2, 3, read('0'))]],
  ['a write that still goes on is read, or not yet', true, [at(0, 9, write('a')), at(1, 2, read('0')), at(3, 4, read('a'))]],
  ['and once it was read, the old value is not', false, [at(0, 9, write('a')), at(1, 2, read('a')), at(3, 4, read('0'))]],
  ['a value that nobody wrote', false, [at(0, 1, read('x'))]],
  ['two increments at once', true, [at(0, 5, swap('0', '1')), at(0, 5, swap('1', '2'))]],
  ['an update lost', false, [at(0, 5, swap('0', '1')), at(0, 5, swap('0', '1'))]],
  ['an update lost to a write that came between', false, [at(0, 9, swap('0', 'a')), at(1, 2, write('b')), at(10, 11, read('0'))]],
  [
    'two who see two writes in different orders',
    false,
    [...[at(0, 9, write('a')), at(0, 9, write('b'))], ...[at(1, 2, read('a')), at(3, 4, read('b')), at(5, 6, read('a'))]],
  ],
  ['a write that may never have been, seen late', true, [maybe(0, write('a')), at(1, 2, read('0')), at(50, 51, read('a'))]],
  ['and overwritten since', false, [maybe(0, write('a')), at(1, 2, read('a')), at(3, 4, write('b')), at(5, 6, read('a'))]],
  [
    'an update that may never have been, between two others',
    true,
    [maybe(0, swap('1', '2')), at(0, 1, swap('0', '1')), at(2, 3, swap('2', '3'))],
  ],
  ['and that can have been once only', false, [maybe(0, swap('1', '2')), at(2, 3, swap('1', '5')), at(4, 5, read('2'))]],
  ['counting that may have been', true, [maybe(0, count), at(0, 1, swap('0', '1')), at(2, 3, swap('2', '3'))]],
  ['counting that may have been once', false, [maybe(0, count), at(0, 1, swap('0', '1')), at(2, 3, read('3'))]],
  ['a comparison that failed', true, [at(0, 1, write('a')), at(2, 3, not('0'))]],
  ['a comparison that failed wrongly', false, [at(0, 1, write('a')), at(2, 3, not('a'))]],
  ['a comparison that failed for a write that may have been', true, [at(0, 1, write('a')), maybe(0, write('b')), at(2, 3, not('a'))]],
])('%s: %s', (_, expected, operations) => {
  expect(isLinearizable(operations, '0')).toBe(expected)
})

test('agrees with trying every order, on 3,000 small histories', () => {
  const random = randomNumbers(11)
  const below = (bound: number): number => Math.floor(random() * bound)
  const counts = { yes: 0, no: 0 }
  for (let round = 0; round < 3000; round++) {
    const operations = Array.from({ length: 2 + below(5) }, () => {
      const begin = below(10)
      const [a, b] = [String(below(3)), String(below(3))]
      const effect = [write(a), read(a), swap(a, b), not(a), count][below(5)] as Effect
      return below(5) === 0 ? maybe(begin, effect) : at(begin, begin + 1 + below(6), effect)
    })
    const expected = someOrderFits(operations, '0')
    counts[expected ? 'yes' : 'no'] += 1
    expect(isLinearizable(operations, '0'), JSON.stringify(operations)).toBe(expected)
  }
  expect([counts.yes > 500, counts.no > 500]).toEqual([true, true])
})

test('2,000 operations of 16 writers on one variable take less than a second, and one wrong answer among them is found', () => {
  const operations = simulated(2000, 16, 5)
  const started = performance.now()
  expect(findViolation(operations, '0')).toBe(null)
  expect(performance.now() - started).toBeLessThan(1000)
  const wrong = operations.findIndex(({ sees }, i) => i > 1000 && sees !== undefined)
  const spoiled = operations.map((operation, i) => (i === wrong ? { ...operation, sees: '0' } : operation))
  const violation = findViolation(spoiled, '0')
  expect(violation?.last).toEqual(spoiled[wrong])
  // What came later has nothing to do with it.
  expect(violation?.operations.every(({ begin }) => begin <= (spoiled[wrong]?.end ?? 0))).toBe(true)
})

/** What writers see of a register that really is one: each operation takes effect somewhere between its begin and its end. */
function simulated(count: number, writers: number, seed: number): readonly Operation[] {
  const random = randomNumbers(seed)
  const free = Array.from({ length: writers }, () => random())
  const planned = Array.from({ length: count }, (_, i) => {
    const writer = free.indexOf(Math.min(...free))
    const begin = free[writer] ?? 0
    const end = begin + random()
    free[writer] = end + random() / 10
    return { begin, end, moment: begin + (end - begin) * random(), kind: Math.floor(random() * 4), value: `v${i}` }
  })
  let held = '0'
  return planned
    .sort((a, b) => a.moment - b.moment)
    .map(({ begin, end, kind, value }, i) => {
      const effect = [write(value), read(held), swap(held, value), not('none')][kind] as Effect
      held = effect.sets ?? held
      // Of some nobody knows how they ended.
      return i % 50 === 7 ? maybe(begin, effect) : at(begin, end, effect)
    })
}

/** Every order of every choice of the uncertain ones. */
function someOrderFits(left: readonly Operation[], value: string): boolean {
  if (left.every(({ certain }) => !certain)) return true
  const horizon = Math.min(...left.map(({ end }) => end))
  return left.some((operation) => {
    if (operation.begin > horizon) return false
    if (operation.sees !== undefined && operation.sees !== value) return false
    if (operation.seesNot !== undefined && operation.seesNot === value) return false
    return someOrderFits(
      left.filter((other) => other !== operation),
      operation.counts ? String(Number(value) + 1) : (operation.sets ?? value),
    )
  })
}
