import { INTERNAL_COMMANDS } from '../builtins/internal-commands.ts'
import { BUILTINS } from '../builtins/table.ts'
import { runExternal } from './call.ts'
import { invoke, invokeMatched } from './invoke.ts'
import type { Runtime } from './machine.ts'
import { enterScript, expandSubscript, expandText, parseElements } from './script.ts'

/** Where the machine's own code is that isn't always loaded. */
const FIXED: ReadonlyMap<string, () => Promise<unknown>> = new Map<string, () => Promise<unknown>>([
  ['exec', () => import('../builtins/run-text.ts')],
  ['read', () => import('../builtins/read.ts')],
  ['sleep', () => import('../builtins/sleep.ts')],
  ['shell', () => import('../builtins/subordinate-shell.ts')],
  ['wait', () => import('../builtins/job-control.ts')],
  ['completion', () => import('../builtins/completion.ts')],
])

const NAMES: readonly string[] = [...BUILTINS.keys()].sort()

/** The parts of the shell above the machine, put together. */
export const runtime: Runtime = {
  invoke,
  invokeMatched,
  runExternal,
  enterScript,
  expandText,
  expandSubscript,
  parseElements,
  builtin: (name) => BUILTINS.get(name),
  builtinNames: () => NAMES,
  internal: (name) => INTERNAL_COMMANDS.get(name),
  loadFixed: (name) => FIXED.get(name)?.(),
}
