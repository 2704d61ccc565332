import { afterEach, describe, it } from 'vitest'
import { lacking } from '../../contract/case.ts'
import { sessionContract } from '../../contract/session.ts'
import { removeFolders, subjects } from './subjects.ts'

afterEach(removeFolders)

for (const [kind, { has, subject }] of Object.entries(subjects)) {
  describe(`session: ${kind}`, () => {
    for (const { name, needs, run } of sessionContract) it.skipIf(lacking(needs, has) !== undefined)(name, () => run(subject()))
  })
}
