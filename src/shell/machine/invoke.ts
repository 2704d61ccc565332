import { BUILTINS } from '../builtins/table.ts'
import { callFunction, runBuiltin, runExternal } from './call.ts'
import { matchGlobs } from './fields.ts'
import type { Process } from './process.ts'
import { traceCommand } from './report.ts'

const EVALUATING: ReadonlySet<string> = new Set(['eval', '.', 'source', 'command', 'builtin'])

/** Runs a command whose words are expanded: a function, a builtin, or a program. */
export function invoke(process: Process, args: string[]): void {
  const name = args[0]
  if (name === undefined) {
    process.status = process.substitutionStatus ?? 0
    return
  }
  const { environment } = process
  if (environment.options.xtrace && !process.traced) traceCommand(process, args)
  process.traced = false
  process.lastArgument = args[args.length - 1] as string
  const shellFunction = environment.functions.get(name)
  if (shellFunction !== undefined && !(environment.options.posix && BUILTINS.get(name)?.special === true)) {
    callFunction(process, shellFunction, args)
    return
  }
  // What runs inside a function or an evaluated text still sees the statuses from before it.
  if (!EVALUATING.has(name)) environment.pipeStatus = null
  const builtin = BUILTINS.get(name)
  if (builtin !== undefined && !environment.disabledBuiltins.has(name)) {
    runBuiltin(process, builtin, name, args.slice(1))
    return
  }
  runExternal(process, args)
}

/** As {@link invoke}, once the patterns among the words have been matched. */
export function invokeMatched(process: Process, args: string[]): void {
  process.after(matchGlobs(process, args), 'a glob', (matched) => invoke(process, matched))
}
