import { normalise } from '../fs/path.ts'
import { choice } from './choice.ts'
import type { Command, CommandContext } from './command.ts'
import { confirm } from './confirm.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { Remover } from './remover.ts'
import { CommandFailure, complain, utility } from './utility.ts'

/** Removes files and, with `-r`, trees. */
export const rm: Command = utility({
  help: `Usage: rm [OPTION]... [FILE]...
Removes files; with -r directories and all they hold.

  -f, --force              no questions, no complaint of files that don't exist
  -i                       ask before every removal
  -I                       ask once before removing more than three files or a tree
      --interactive[=WHEN] ask never, once (-I) or always (-i)
      --one-file-system    with -r: leave out directories on other file systems
      --no-preserve-root   treat / as any other directory
      --preserve-root[=all]  don't remove / (the default); all: nor the root of another file system
  -r, -R, --recursive      remove directories and what they hold
  -d, --dir                remove empty directories
  -v, --verbose            say what is removed
      --help               show this text
      --version            show the version
`,
  options: {
    'f|force': 'none',
    i: 'none',
    I: 'none',
    interactive: 'optional',
    'one-file-system': 'none',
    'no-preserve-root': 'none',
    'preserve-root': 'optional',
    '-presume-input-tty': 'none',
    'r|R|recursive': 'none',
    'd|dir': 'none',
    'v|verbose': 'none',
  },
  run: removeOperands,
})

async function removeOperands(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const { operands } = parsed
  let asking: 'never' | 'once' | 'always' = 'never'
  let ignoreMissing = false
  let preserveRoot = true
  for (const { name, value } of parsed.options) {
    if (name === 'f') {
      asking = 'never'
      ignoreMissing = true
    } else if (name === 'i' || name === 'I') {
      asking = name === 'i' ? 'always' : 'once'
      ignoreMissing = false
    } else if (name === 'interactive') {
      const word =
        value === null ? 'always' : choice(context, '--interactive', value, [['never', 'no', 'none'], ['once'], ['always', 'yes']])
      asking = word as typeof asking
      if (asking !== 'never') ignoreMissing = false
    } else if (name === 'no-preserve-root') preserveRoot = false
    else if (name === 'preserve-root') {
      if (value !== null && value !== 'all') throw new CommandFailure(`unrecognized --preserve-root argument: ${quoted(context, value)}`)
      preserveRoot = true
    }
  }
  if (operands.length === 0) {
    if (ignoreMissing) return 0
    throw new UsageError('missing operand')
  }
  const recursive = parsed.has('r')
  if (asking === 'once' && (recursive || operands.length > 3)) {
    const count = `${operands.length} argument${operands.length === 1 ? '' : 's'}`
    if (!(await confirm(context, `remove ${count}${recursive ? ' recursively' : ''}? `))) return 0
  }
  const remover = new Remover(
    {
      recursive,
      directories: parsed.has('d'),
      ignoreMissing,
      ask: asking === 'always',
      verbose: parsed.has('v'),
      oneFileSystem: parsed.has('one-file-system'),
    },
    context,
  )
  let status = 0
  for (const name of operands) {
    const path = operandPath(context, name)
    if (recursive && /(?:^|\/)\.\.?\/*$/.test(name)) {
      await complain(context, `refusing to remove '.' or '..' directory: skipping ${quotedFile(name)}`)
      status = 1
    } else if (recursive && preserveRoot && normalise(path) === '/') {
      await complain(context, `it is dangerous to operate recursively on ${name === '/' ? "'/'" : `${quotedFile(name)} (same as '/')`}`)
      await complain(context, 'use --no-preserve-root to override this failsafe')
      status = 1
    } else if (!(await remover.remove(name, path))) status = 1
  }
  return status
}
