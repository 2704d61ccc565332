import { errorText } from '../errors.ts'
import type { ByteWriter, Command } from './command.ts'
import { operandPath } from './operand-path.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const FAILED = 125

/** Runs a command that goes on when the terminal is left. */
export const nohup: Command = utility({
  help: `Usage: nohup COMMAND [ARG]...
Runs COMMAND with its output in nohup.out where it would go to a terminal.

      --help     show this text
      --version  show the version
`,
  options: {},
  operandsEndOptions: true,
  usageStatus: FAILED,
  async run({ operands }, context) {
    if (operands.length === 0) throw new UsageError('missing operand')
    const ignoresInput = context.isTerminal(0)
    const redirectsOutput = context.isTerminal(1)
    const redirectsErrors = context.isTerminal(2)
    let output: ByteWriter | null = null
    if (redirectsOutput) {
      const name = 'nohup.out'
      try {
        output = await context.create(operandPath(context, name), { append: true })
      } catch (error) {
        if (!isExpected(error)) throw error
        throw new CommandFailure(`failed to open ${quotedFile(name)}: ${errorText(error)}`, FAILED)
      }
      await complain(context, `${ignoresInput ? 'ignoring input and ' : ''}appending output to ${quotedFile(name)}`)
    } else if (ignoresInput) await complain(context, `ignoring input${redirectsErrors ? ' and redirecting stderr to stdout' : ''}`)
    try {
      return await context.run(operands, {
        ...(ignoresInput ? { stdin: { read: () => null, unread: () => undefined, close: () => undefined } } : {}),
        ...(output === null ? {} : { stdout: output }),
        ...(redirectsErrors ? { stderr: output ?? context.stdout } : {}),
      })
    } finally {
      await output?.close()
    }
  },
})
