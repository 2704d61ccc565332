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

/** What Firefox shows where nothing else is asked for: what hangs on the engine. */
export const inFirefox = [
  'a trajectory is replayed, looked through step by step, and forked',
  'a new workspace has a welcome, examples and a session in the home folder',
  'everything is there after a reload',
  'everything is there when the browser was closed and opened again',
  'two tabs share the workspace live',
  'a browser that keeps nothing is named, and the page works all the same',
  'a disk that is full is named, and what was there stays',
  'nothing can be compiled in the page: its policy forbids it',
  'lines are edited, completed and found again in the history',
  'text is copied from the terminal and pasted into it',
  'Ctrl+C ends a loop that never does, and the page stays alive meanwhile',
  'files are uploaded, with a question where names are taken, and downloaded again',
  'files that are dropped on the tree come in; on the terminal their paths are inserted, too',
  'the keyboard alone is enough',
  'on a narrow screen there is one panel at a time and nothing is wider than it',
  'a line runs as a Job, and what it would change is looked at',
]

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
