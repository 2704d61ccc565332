import type { CommandContext } from './command.ts'
import { quoted } from './quoting.ts'
import { CommandFailure } from './utility.ts'

/**
 * What an option's argument means where only certain words are allowed, abbreviated ones too: the first word of its group.
 * Another word ends the command as GNU's argmatch does, with the words that are allowed. `option` is named in the message (`--sort`).
 */
export function choice(context: CommandContext, option: string, argument: string, groups: readonly (readonly string[])[]): string {
  const matching = groups.filter((words) => words.some((word) => word.startsWith(argument)))
  const exact = matching.find((words) => words.includes(argument))
  const found = exact ?? (matching.length === 1 ? matching[0] : undefined)
  if (found !== undefined) return found[0] as string
  const problem = matching.length > 1 ? 'ambiguous' : 'invalid'
  const list = groups.map((words) => `  - ${words.map((word) => quoted(context, word)).join(', ')}\n`).join('')
  throw new CommandFailure(
    `${problem} argument ${quoted(context, argument)} for ${quoted(context, option)}\nValid arguments are:\n${list}Try '${context.name} --help' for more information.`,
  )
}
