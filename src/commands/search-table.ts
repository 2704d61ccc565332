import { moduleCommands } from './module-commands.ts'
import type { CommandTable } from './registry.ts'

/** Commands that search and compare, each loaded when it is first run. */
export const searchCommands: CommandTable = new Map([
  ...moduleCommands(() => import('./diff.ts'), 'diff'),
  ...moduleCommands(() => import('./expr.ts'), 'expr'),
  ...moduleCommands(() => import('./find.ts'), 'find'),
  ...moduleCommands(() => import('./grep.ts'), 'egrep', 'fgrep', 'grep'),
  ...moduleCommands(() => import('./sed/sed.ts'), 'sed'),
  ...moduleCommands(() => import('./xargs.ts'), 'xargs'),
])
