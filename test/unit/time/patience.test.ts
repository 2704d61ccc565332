import { expect, it } from 'vitest'
import { Patience } from '../../../src/patience.ts'

it('waits a short time after a limit without an answer, for a while, and the whole limit after an answer', () => {
  let elapsed = 0
  const patience = new Patience({ elapsed: () => elapsed }, 10_000)
  const limits: number[] = []
  const fail = (after: number): void => {
    const limit = patience.limit()
    limits.push(limit)
    elapsed += limit + after
    patience.unanswered(limit)
  }
  for (const after of [0, 0, 9000, 10_000, 0, 0]) fail(after)
  patience.answered()
  limits.push(patience.limit())
  expect(limits).toEqual([10_000, 1000, 1000, 1000, 10_000, 1000, 10_000])
  expect(new Patience({ elapsed: () => 0 }, 500).limit()).toBe(500)
})
