import { afterEach, describe, it } from 'vitest'
import { sessionContract } from '../../contract/session.ts'
import { removeFolders, subjects } from './subjects.ts'

afterEach(removeFolders)

for (const [kind, { has, subject }] of Object.entries(subjects)) {
  describe(`session: ${kind}`, () => {
    for (const { name, needs, run } of sessionContract) it.skipIf(needs !== undefined && !has.has(needs))(name, () => run(subject()))
  })
}
