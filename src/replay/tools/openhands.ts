import { FileSystemError } from '../../errors.ts'
import type { JsonObject } from '../json.ts'
import type { ReplaySite, ToolOutcome, Toolset } from '../toolset.ts'
import { numberOf, refused, textOf, told } from './files.ts'
import { TEXT_EDITOR, textEditor } from './text-editor.ts'

/** Milliseconds that a command may take where the call doesn't say. */
const COMMAND_TIMEOUT = 120_000

/** The tools of OpenHands that work on files and the shell: one shell for all commands. */
export const openHandsTools: Toolset = {
  definitions: [
    {
      name: 'execute_bash',
      description: 'Run a command in bash. Directory and variables last from call to call.',
      parameters: { type: 'object', properties: { command: { type: 'string' }, timeout: { type: 'number' } }, required: ['command'] },
    },
    TEXT_EDITOR,
  ],
  support: (name) =>
    name === 'execute_bash' || name === 'str_replace_editor' || name === 'execute_ipython_cell' || name === 'think'
      ? 'fresh'
      : 'unsupported',
  run: async ({ name, arguments: given }, site) => {
    try {
      return await run(name, given, site)
    } catch (error) {
      if (error instanceof FileSystemError) return refused(`ERROR:\n${error.message}`)
      throw error
    }
  },
}

async function run(name: string, given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  switch (name) {
    case 'execute_bash':
      return bash(given, site)
    case 'str_replace_editor':
      return textEditor(given, site)
    case 'think':
      return told('Your thought has been logged.')
    case 'execute_ipython_cell':
      return told('there is no Python here to run a cell', { isError: true, status: 127, missing: ['ipython'] })
    default:
      return refused(`there is no tool ${name}`)
  }
}

async function bash(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const command = textOf(given, 'command') ?? ''
  const seconds = numberOf(given, 'timeout')
  const timeoutMs = seconds === undefined ? COMMAND_TIMEOUT : seconds * 1000
  const { output, status, timedOut, missing } = await site.shell(command, { session: 'bash', mergesErrors: true, timeoutMs })
  const text = output.trimEnd()
  const end = timedOut
    ? `[The command timed out after ${timeoutMs / 1000} seconds.]`
    : `[The command completed with exit code ${status ?? -1}.]`
  return { value: text, text: `${text}\n${end}`, isError: status !== 0, status: status ?? -1, missing }
}
