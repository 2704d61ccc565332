import type { Command } from './command.ts'
import { operandPath } from './operand-path.ts'
import { quotedFile } from './quoted-file.ts'
import { CommandFailure, complainOf, utility } from './utility.ts'

/** Waits for all file systems: which one a file is in doesn't matter. */
export const sync: Command = utility({
  help: `Usage: sync [OPTION] [FILE]...
Waits until what was written is kept, and checks that each FILE exists.

  -d, --data         only the data of files
  -f, --file-system  the file systems of the files
      --help         show this text
      --version      show the version
`,
  options: { 'd|data': 'none', 'f|file-system': 'none' },
  async run({ operands, has }, context) {
    if (has('d') && has('f')) throw new CommandFailure('cannot specify both --data and --file-system')
    if (has('d') && operands.length === 0) throw new CommandFailure('--data needs at least one argument')
    let status = 0
    for (const name of operands) {
      try {
        await context.fs.stat(operandPath(context, name))
      } catch (error) {
        await complainOf(context, `error opening ${quotedFile(name)}`, error)
        status = 1
      }
    }
    try {
      await context.fs.sync()
    } catch (error) {
      await complainOf(context, 'error syncing', error)
      status = 1
    }
    return status
  },
})
