import { readFile } from 'node:fs/promises'
import { ConfigError, hasCode } from '../../../src/index.ts'
import { startInteractiveShell, ttyPort } from '../../../src/terminal/index.ts'
import { hasHostCode } from '../node-file-error.ts'
import type { CommandLine, Settings } from './arguments.ts'
import { parseCommandLine } from './arguments.ts'
import { helpText } from './help-text.ts'
import { listHistory, listSessions } from './list-state.ts'
import { runLine } from './run-line.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'
import { openWorkspace } from './workspace-plan.ts'

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
    case 'sessions':
      return listSessions(command.settings, say)
    case 'history':
      return listHistory(command.settings, command.count, say)
    case 'line':
      return run(command.line, command.args, true, command.settings)
    case 'script':
      return run(await scriptText(command.path), [command.path, ...command.args], true, command.settings)
    case 'stdin':
      return run(await inputText(), [], false, command.settings)
    case 'interactive':
      return work(command.settings)
  }
}

async function run(line: string, args: readonly string[], readsInput: boolean, settings: Settings): Promise<number> {
  const { session, close } = await openWorkspace(settings)
  try {
    return await runLine(session, { line, args, stdin: readsInput ? process.stdin : undefined, settings })
  } finally {
    await close()
    process.stdin.destroy()
  }
}

async function work(settings: Settings): Promise<number> {
  const { session, close } = await openWorkspace(settings)
  const shell = startInteractiveShell({
    session,
    terminal: ttyPort(process.stdin, process.stdout),
    colours: process.env.NO_COLOR === undefined,
    line: { record: settings.record, ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }) },
  })
  try {
    return await shell.ended
  } finally {
    process.stdin.destroy()
    await close()
  }
}

async function scriptText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw new UsageError(`${path}: No such file or directory`)
    throw error
  }
}

async function inputText(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
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
