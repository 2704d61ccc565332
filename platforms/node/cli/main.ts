import { ConfigError } from '../../../src/config/config-error.ts'
import { hasCode } from '../../../src/errors.ts'
import { hasHostCode } from '../node-file-error.ts'
import type { CommandLine } from './arguments.ts'
import { parseCommandLine } from './arguments.ts'
import { helpText } from './help-text.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

const USAGE = 2

/** The program `mirage`: its exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  // A reader that leaves, as head does, needs no message.
  process.stdout.on('error', (error) => {
    if (!hasHostCode(error, 'EPIPE')) throw error
  })
  try {
    return await perform(parseCommandLine(argv, process.stdin.isTTY === true))
  } catch (error) {
    const message = faultText(error)
    if (error instanceof UsageError) return complain(`${message}\nTry 'mirage --help' for more information.`, USAGE)
    if (error instanceof ConfigError) return complain(message, USAGE)
    return complain(message, 1)
  }
}

async function perform(command: CommandLine): Promise<number> {
  switch (command.action) {
    case 'help':
      return say(helpText)
    case 'version':
      return say(`mirage ${await version()}\n`)
    case 'job':
      return (await import('./job-command.ts')).jobCommand(command.argv, say)
    default:
      return (await import('./workspace-command.ts')).workspaceCommand(command, say)
  }
}

function say(text: string | Uint8Array): number {
  process.stdout.write(text)
  return 0
}

/** What an error says: the token of what can't be had comes first. */
function faultText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const token = 'CAPABILITY_UNSUPPORTED'
  return hasCode(error, token) && !message.startsWith(token) ? `${token}: ${message}` : message
}

function complain(message: string, status: number): number {
  process.stderr.write(`mirage: ${message}\n`)
  return status
}
