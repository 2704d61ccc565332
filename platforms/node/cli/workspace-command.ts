import { readFile } from 'node:fs/promises'
import { hasCode } from '../../../src/index.ts'
import { startInteractiveShell, ttyPort } from '../../../src/terminal/index.ts'
import type { CommandLine, Settings } from './arguments.ts'
import { listHistory, listSessions } from './list-state.ts'
import { runLine } from './run-line.ts'
import { UsageError } from './usage-error.ts'
import { openWorkspace } from './workspace-plan.ts'

/** What works in a workspace. */
type WorkspaceCommand = Extract<CommandLine, { readonly settings: Settings }>

/** Runs a line or a script in a workspace, opens its shell, or lists what it keeps: the exit status. */
export async function workspaceCommand(command: WorkspaceCommand, say: (text: string) => void): Promise<number> {
  switch (command.action) {
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
