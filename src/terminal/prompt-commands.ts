import type { SessionFields } from '../state/session-fields.ts'

/** What is run before a prompt: the text of PROMPT_COMMAND, or all of them where it is an array. */
export function promptCommands({ variables }: SessionFields): readonly string[] {
  const value = variables.get('PROMPT_COMMAND')?.value ?? []
  const commands = typeof value === 'string' ? [value] : value.map(([, text]) => text)
  return commands.filter((command) => command.trim() !== '')
}
