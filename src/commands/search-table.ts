import type { CommandTable } from './registry.ts'

/** Commands that search and compare, each loaded when it is first run. */
export const searchCommands: CommandTable = new Map([
  ['egrep', () => import('./grep.ts').then((module) => module.egrep)],
  ['fgrep', () => import('./grep.ts').then((module) => module.fgrep)],
  ['find', () => import('./find.ts').then((module) => module.find)],
  ['grep', () => import('./grep.ts').then((module) => module.grep)],
  ['xargs', () => import('./xargs.ts').then((module) => module.xargs)],
])
