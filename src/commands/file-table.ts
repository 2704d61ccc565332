import type { CommandSource, CommandTable } from './registry.ts'

/** The utilities that deal with files, names, time and the session's surroundings; each is loaded when it is first run. */
export const fileCommands: CommandTable = new Map<string, CommandSource>([
  ['dir', () => import('./ls.ts').then((module) => module.dir)],
  ['ls', () => import('./ls.ts').then((module) => module.ls)],
  ['vdir', () => import('./ls.ts').then((module) => module.vdir)],
])
