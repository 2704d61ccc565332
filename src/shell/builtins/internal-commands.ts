import type { InternalCommand, LazyInternalCommand } from '../machine/machine.ts'

/** Programs that are the machine's own, since they wait or run scripts. */
export const INTERNAL_COMMANDS: ReadonlyMap<string, LazyInternalCommand> = new Map([
  ['sleep', lazily(() => import('./sleep.ts').then(({ sleep }) => sleep))],
  ['bash', lazily(() => import('./subordinate-shell.ts').then(({ shell }) => shell))],
  ['sh', lazily(() => import('./subordinate-shell.ts').then(({ shell }) => shell))],
])

function lazily(load: () => Promise<InternalCommand>): LazyInternalCommand {
  return { load, loaded: null }
}
