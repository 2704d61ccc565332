import type { CommandContext } from './command.ts'

/** The absolute path of an operand. An empty one names nothing, so it stays empty, which every file system answers with ENOENT. */
export function operandPath(context: CommandContext, name: string): string {
  return name === '' ? '' : context.resolve(name)
}
