import { afterEach, describe, it } from 'vitest'
import { historyContract } from '../../contract/history.ts'
import { removeFolders, subjects } from './subjects.ts'

afterEach(removeFolders)

for (const [kind, { has, subject }] of Object.entries(subjects)) {
  describe(`history: ${kind}`, () => {
    for (const { name, needs, run } of historyContract) it.skipIf(needs !== undefined && !has.has(needs))(name, () => run(subject()))
  })
}
