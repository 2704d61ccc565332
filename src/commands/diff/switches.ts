import type { OptionTable } from '../options.ts'
import { parseOptions, UsageError } from '../options.ts'
import { quotedName } from '../quoting.ts'

/** The options as they were given, each with a space before it, for the head of the files of a directory. */
export function switchesText(args: readonly string[], options: OptionTable): string {
  const switches: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '-' || !arg.startsWith('-')) continue
    switches.push(arg)
    if (arg === '--') break
    if (takesNext(arg, options)) switches.push(args[++at] as string)
  }
  return switches.map((text) => ` ${quotedName(text)}`).join('')
}

function takesNext(arg: string, options: OptionTable): boolean {
  try {
    parseOptions([arg], { options })
    return false
  } catch (error) {
    if (error instanceof UsageError) return true
    throw error
  }
}
