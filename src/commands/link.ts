import type { Command } from './command.ts'
import { operandPath } from './operand-path.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { complainOf, utility } from './utility.ts'

/** Makes a hard link, as link(2) does. */
export const link: Command = utility({
  help: `Usage: link FILE1 FILE2
Makes FILE2 another name of the file FILE1.

      --help     show this text
      --version  show the version
`,
  options: {},
  async run({ operands }, context) {
    const [existing, name, extra] = operands
    if (existing === undefined) throw new UsageError('missing operand')
    if (name === undefined) throw new UsageError(`missing operand after ${quotedFile(existing)}`)
    if (extra !== undefined) throw new UsageError(`extra operand ${quotedFile(extra)}`)
    try {
      await context.fs.link(operandPath(context, existing), operandPath(context, name))
      return 0
    } catch (error) {
      await complainOf(context, `cannot create link ${quotedFile(name)} to ${quotedFile(existing)}`, error)
      return 1
    }
  },
})

/** Removes a file, as unlink(2) does. */
export const unlink: Command = utility({
  help: `Usage: unlink FILE
Removes the name FILE.

      --help     show this text
      --version  show the version
`,
  options: {},
  async run({ operands }, context) {
    const [name, extra] = operands
    if (name === undefined) throw new UsageError('missing operand')
    if (extra !== undefined) throw new UsageError(`extra operand ${quotedFile(extra)}`)
    try {
      await context.fs.unlink(operandPath(context, name))
      return 0
    } catch (error) {
      await complainOf(context, `cannot unlink ${quotedFile(name)}`, error)
      return 1
    }
  },
})
