import type { CommandSource, CommandTable } from './registry.ts'

/** The utilities that deal with files, names, time and the session's surroundings; each is loaded when it is first run. */
export const fileCommands: CommandTable = new Map<string, CommandSource>([
  ['cp', () => import('./cp.ts').then((module) => module.cp)],
  ['dir', () => import('./ls.ts').then((module) => module.dir)],
  ['ls', () => import('./ls.ts').then((module) => module.ls)],
  ['mkdir', () => import('./mkdir.ts').then((module) => module.mkdir)],
  ['mv', () => import('./mv.ts').then((module) => module.mv)],
  ['rm', () => import('./rm.ts').then((module) => module.rm)],
  ['rmdir', () => import('./rmdir.ts').then((module) => module.rmdir)],
  ['vdir', () => import('./ls.ts').then((module) => module.vdir)],
])
