import { afterEach, describe, it } from 'vitest'
import { lacking } from '../../contract/case.ts'
import { historyContract } from '../../contract/history.ts'
import { removeFolders, subjects } from './subjects.ts'

afterEach(removeFolders)

for (const [kind, { has, subject }] of Object.entries(subjects)) {
  describe(`history: ${kind}`, () => {
    for (const { name, needs, run } of historyContract) it.skipIf(lacking(needs, has) !== undefined)(name, () => run(subject()))
  })
}
