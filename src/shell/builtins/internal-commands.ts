import { runBuiltin } from '../machine/call.ts'
import type { InternalCommand, LazyInternalCommand } from '../machine/machine.ts'
import type { AnyBuiltin } from './builtin.ts'
import { PENDING } from './builtin.ts'

const SHELL = lazily(async () => (await import('./subordinate-shell.ts')).shell)

/** Programs that are the machine's own, since they wait or run scripts. */
export const INTERNAL_COMMANDS: ReadonlyMap<string, LazyInternalCommand> = new Map([
  ['sleep', lazily(async () => (await import('./sleep.ts')).sleep)],
  ['bash', SHELL],
  ['sh', SHELL],
  ['echo', builtinAsProgram('echo')],
  ['kill', builtinAsProgram('kill')],
  ['printf', builtinAsProgram('printf')],
])

/** A builtin that is found on PATH, too. */
function builtinAsProgram(name: string): LazyInternalCommand {
  const loaded: InternalCommand = (process, args) => {
    runBuiltin(process, process.machine.runtime.builtin(name) as AnyBuiltin, name, args.slice(1))
    return PENDING
  }
  return { load: () => Promise.resolve(loaded), loaded }
}

function lazily(load: () => Promise<InternalCommand>): LazyInternalCommand {
  return { load, loaded: null }
}
