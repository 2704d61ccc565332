import type { Toolset } from '../toolset.ts'
import { refused, textOf } from './files.ts'

/** The shell of a workspace: each session is one that lives on. What is compared is how a line ended. */
export const historyTools: Toolset = {
  definitions: [
    {
      name: 'shell',
      description: 'Run a line in the bash of the workspace. Directory, variables and functions last from call to call.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  ],
  support: (name) => (name === 'shell' ? 'fresh' : 'unsupported'),
  run: async ({ arguments: given }, site) => {
    const command = textOf(given, 'command')
    if (command === undefined) return refused('the argument "command" has to be a text')
    const cwd = textOf(given, 'cwd')
    const { output, status, missing } = await site.shell(command, {
      session: textOf(given, 'session') ?? 'main',
      ...(cwd === undefined ? {} : { cwd: site.path(cwd) }),
    })
    return { value: status ?? -1, text: `${output}\n[exit status ${status ?? -1}]`, isError: status !== 0, status, missing }
  },
}
