import { beforeAll, describe, expect, test } from 'vitest'
import { bashCases, recordedOutcomes, recordOutcomes } from './bash-cases.ts'
import type { Outcome } from './run-script.ts'
import { hasBash, inParallel, runBash, runHere } from './run-script.ts'

// UPDATE=1 records anew what the installed bash does.
const update = process.env.UPDATE === '1'
const cases = bashCases()
const installed = new Map<string, Outcome>()
let recorded = new Map<string, Outcome>()

beforeAll(async () => {
  if (hasBash) {
    const outcomes = await inParallel(cases, 4, ({ script }) => runBash(script))
    for (const [i, { script }] of cases.entries()) installed.set(script, outcomes[i] as Outcome)
    if (update) recordOutcomes(installed)
  }
  recorded = recordedOutcomes()
}, 120_000)

for (const area of new Set(cases.map((each) => each.area))) {
  describe(area, () => {
    for (const { name, script } of cases.filter((each) => each.area === area)) {
      test(name, async () => {
        const expected = recorded.get(script)
        expect(expected, 'not recorded: run with UPDATE=1 where bash 5.2.15 is').toBeDefined()
        if (hasBash) expect(installed.get(script)).toEqual(expected)
        expect(await runHere(script)).toEqual(expected)
      })
    }
  })
}
