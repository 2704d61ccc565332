import type { CommandTable } from './registry.ts'

/** Commands that search and compare, each loaded when it is first run. */
export const searchCommands: CommandTable = new Map([
  ['diff', () => import('./diff.ts').then((module) => module.diff)],
  ['egrep', () => import('./grep.ts').then((module) => module.egrep)],
  ['expr', () => import('./expr.ts').then((module) => module.expr)],
  ['fgrep', () => import('./grep.ts').then((module) => module.fgrep)],
  ['find', () => import('./find.ts').then((module) => module.find)],
  ['grep', () => import('./grep.ts').then((module) => module.grep)],
  ['sed', () => import('./sed/sed.ts').then((module) => module.sed)],
  ['xargs', () => import('./xargs.ts').then((module) => module.xargs)],
])
