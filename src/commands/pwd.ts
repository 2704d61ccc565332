import { canonicalPath } from './canonical.ts'
import type { Command, CommandContext } from './command.ts'
import type { ParsedOptions } from './options.ts'
import { say } from './output.ts'
import { complain, complainOf, isExpected, utility } from './utility.ts'

/** Prints the working directory. */
export const pwd: Command = utility({
  help: `Usage: pwd [OPTION]...
Prints the working directory.

  -L, --logical   as PWD has it, even with symbolic links in it
  -P, --physical  without symbolic links (the default)
      --help      show this text
      --version   show the version
`,
  options: { 'L|logical': 'none', 'P|physical': 'none' },
  run: printDirectory,
})

async function printDirectory(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  if (parsed.operands.length > 0) await complain(context, 'ignoring non-option arguments')
  const isLogical = parsed.options.at(-1)?.name === 'L' || (parsed.options.length === 0 && context.env.has('POSIXLY_CORRECT'))
  const named = context.env.get('PWD')
  if (isLogical && named !== undefined && (await isHere(named, context))) return say(context.stdout, `${named}\n`)
  try {
    return await say(context.stdout, `${await canonicalPath(context, context.cwd, 'all')}\n`)
  } catch (error) {
    await complainOf(context, 'cannot access current directory', error)
    return 1
  }
}

async function isHere(named: string, { cwd, fs }: CommandContext): Promise<boolean> {
  if (!named.startsWith('/') || /\/\.{1,2}(?:\/|$)/.test(named)) return false
  try {
    const one = await fs.stat(named)
    const other = await fs.stat(cwd)
    return one.dev === other.dev && one.ino === other.ino
  } catch (error) {
    if (isExpected(error)) return false
    throw error
  }
}
