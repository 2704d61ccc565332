import { editorCases } from './cases/editor.mjs'
import { faultCases } from './cases/faults.mjs'
import { historyCases } from './cases/history.mjs'
import { jobCases } from './cases/jobs.mjs'
import { lastingCases } from './cases/lasting.mjs'
import { lookCases } from './cases/look.mjs'
import { replayCases } from './cases/replay.mjs'
import { sessionCases } from './cases/sessions.mjs'
import { terminalCases } from './cases/terminal.mjs'
import { treeCases } from './cases/tree.mjs'

/** Every case: `{ name, run(context) }`; `only` names the one browser that can be made to do it. */
export const cases = [
  ...terminalCases,
  ...lastingCases,
  ...sessionCases,
  ...treeCases,
  ...editorCases,
  ...historyCases,
  ...jobCases,
  ...replayCases,
  ...lookCases,
  ...faultCases,
]
