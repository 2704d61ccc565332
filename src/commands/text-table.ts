import type { CommandSource, CommandTable } from './registry.ts'

/** The commands that work on text and bytes, each loaded when it is first run. */
export const textCommands: CommandTable = new Map<string, CommandSource>([
  ['cat', async () => (await import('./cat.ts')).cat],
  ['cut', async () => (await import('./cut.ts')).cut],
  ['false', async () => (await import('./true.ts')).fail],
  ['head', async () => (await import('./head.ts')).head],
  ['rev', async () => (await import('./rev.ts')).rev],
  ['seq', async () => (await import('./seq.ts')).seq],
  ['sort', async () => (await import('./sort.ts')).sort],
  ['tac', async () => (await import('./tac.ts')).tac],
  ['tail', async () => (await import('./tail.ts')).tail],
  ['tee', async () => (await import('./tee.ts')).tee],
  ['tr', async () => (await import('./tr.ts')).tr],
  ['true', async () => (await import('./true.ts')).succeed],
  ['uniq', async () => (await import('./uniq.ts')).uniq],
  ['wc', async () => (await import('./wc.ts')).wc],
  ['yes', async () => (await import('./yes.ts')).yes],
])
