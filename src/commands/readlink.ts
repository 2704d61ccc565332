import type { Existing } from './canonical.ts'
import { canonicalPath } from './canonical.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedName } from './quoting.ts'
import { complain, complainOf, isExpected, utility } from './utility.ts'

/** Prints where symbolic links lead. */
export const readlink: Command = utility({
  help: `Usage: readlink [OPTION]... FILE...
Prints the text of a symbolic link, or the canonical name of a file.

  -f, --canonicalize            follow every link; the last name needn't exist
  -e, --canonicalize-existing   as -f, all of it must exist
  -m, --canonicalize-missing    as -f, nothing need exist
  -n, --no-newline              no newline at the end
  -q, --quiet, -s, --silent     no error messages (the default)
  -v, --verbose                 error messages
  -z, --zero                    end lines with NUL
      --help                    show this text
      --version                 show the version
`,
  options: {
    'f|canonicalize': 'none',
    'e|canonicalize-existing': 'none',
    'm|canonicalize-missing': 'none',
    'n|no-newline': 'none',
    'q|quiet|s|silent': 'none',
    'v|verbose': 'none',
    'z|zero': 'none',
  },
  run: readLinks,
})

const MODES: Readonly<Record<string, Existing>> = { f: 'all but the last', e: 'all', m: 'none' }

async function readLinks(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const { operands } = parsed
  if (operands.length === 0) throw new UsageError('missing operand')
  let existing: Existing | null = null
  let isVerbose = false
  for (const { name } of parsed.options) {
    existing = MODES[name] ?? existing
    if (name === 'v') isVerbose = true
    if (name === 'q') isVerbose = false
  }
  let end = parsed.has('z') ? '\0' : '\n'
  if (parsed.has('n')) {
    if (operands.length > 1) await complain(context, 'ignoring --no-newline with multiple arguments')
    else end = ''
  }
  const output = new Output(context.stdout)
  let status = 0
  for (const name of operands) {
    try {
      const text = existing === null ? await context.fs.readlink(operandPath(context, name)) : await canonicalPath(context, name, existing)
      output.text(text + end)
      await output.settle()
    } catch (error) {
      if (isVerbose) await complainOf(context, quotedName(name), error)
      else if (!isExpected(error)) throw error
      status = 1
    }
  }
  await output.flush()
  return status
}
