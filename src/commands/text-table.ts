import { moduleCommands } from './module-commands.ts'
import type { CommandSource, CommandTable } from './registry.ts'

/** The commands that work on text and bytes, each loaded when it is first run. */
export const textCommands: CommandTable = new Map<string, CommandSource>([
  ['false', async () => (await import('./true.ts')).fail],
  ['true', async () => (await import('./true.ts')).succeed],
  ...moduleCommands(() => import('./base-encoding.ts'), 'base32', 'base64'),
  ...moduleCommands(() => import('./cat.ts'), 'cat'),
  ...moduleCommands(() => import('./checksums.ts'), 'md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum'),
  ...moduleCommands(() => import('./cmp.ts'), 'cmp'),
  ...moduleCommands(() => import('./comm.ts'), 'comm'),
  ...moduleCommands(() => import('./cut.ts'), 'cut'),
  ...moduleCommands(() => import('./echo.ts'), 'echo'),
  ...moduleCommands(() => import('./expand.ts'), 'expand', 'unexpand'),
  ...moduleCommands(() => import('./fold.ts'), 'fold'),
  ...moduleCommands(() => import('./head.ts'), 'head'),
  ...moduleCommands(() => import('./join.ts'), 'join'),
  ...moduleCommands(() => import('./nl.ts'), 'nl'),
  ...moduleCommands(() => import('./paste.ts'), 'paste'),
  ...moduleCommands(() => import('./printf.ts'), 'printf'),
  ...moduleCommands(() => import('./rev.ts'), 'rev'),
  ...moduleCommands(() => import('./seq.ts'), 'seq'),
  ...moduleCommands(() => import('./shuf.ts'), 'shuf'),
  ...moduleCommands(() => import('./sort.ts'), 'sort'),
  ...moduleCommands(() => import('./split.ts'), 'split'),
  ...moduleCommands(() => import('./tac.ts'), 'tac'),
  ...moduleCommands(() => import('./tail.ts'), 'tail'),
  ...moduleCommands(() => import('./tee.ts'), 'tee'),
  ...moduleCommands(() => import('./tr.ts'), 'tr'),
  ...moduleCommands(() => import('./uniq.ts'), 'uniq'),
  ...moduleCommands(() => import('./wc.ts'), 'wc'),
  ...moduleCommands(() => import('./yes.ts'), 'yes'),
])
