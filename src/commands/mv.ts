import { backupRule } from './backup.ts'
import type { Command, CommandContext } from './command.ts'
import type { CopyRules, NamedPath } from './copier.ts'
import { Copier } from './copier.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { findTargets, nameInside, targetRules } from './targets.ts'
import { utility } from './utility.ts'

/** Moves and renames files and directories. */
export const mv: Command = utility({
  help: `Usage: mv [OPTION]... [-T] SOURCE DEST
  or:  mv [OPTION]... SOURCE... DIRECTORY
  or:  mv [OPTION]... -t DIRECTORY SOURCE...
Renames SOURCE to DEST, or moves each SOURCE into DIRECTORY.

      --backup[=CONTROL]   keep what would be overwritten: none, simple, existing, numbered
  -b                       as --backup without an argument
  -f, --force              overwrite without asking
  -i, --interactive        ask before overwriting
  -n, --no-clobber         overwrite nothing (of -f, -i and -n the last counts)
      --strip-trailing-slashes  remove slashes at the end of each SOURCE
  -S, --suffix=SUFFIX      what backups end with, ~ by default
  -t, --target-directory=DIRECTORY  move each SOURCE into DIRECTORY
  -T, --no-target-directory  DEST is no directory to move into
  -u, --update             move only what is newer than its target, or has none
  -v, --verbose            say what is done
  -Z, --context            ignored
      --help               show this text
      --version            show the version
`,
  options: {
    backup: 'optional',
    b: 'none',
    'f|force': 'none',
    'i|interactive': 'none',
    'n|no-clobber': 'none',
    'T|no-target-directory': 'none',
    'strip-trailing-slashes': 'none',
    'S|suffix': 'required',
    't|target-directory': 'required',
    'u|update': 'none',
    'v|verbose': 'none',
    'Z|context': 'none',
  },
  run: moveOperands,
})

const OVERWRITE: Readonly<Record<string, CopyRules['overwrite']>> = { f: 'always', i: 'ask', n: 'never' }

async function moveOperands(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  let overwrite: CopyRules['overwrite'] = 'always'
  for (const { name } of parsed.options) overwrite = OVERWRITE[name] ?? overwrite
  const backup = backupRule(parsed, context)
  if (overwrite === 'never' && backup.kind !== 'none') {
    throw new UsageError('options --backup and --no-clobber are mutually exclusive')
  }
  const targets = await findTargets(parsed.operands, targetRules(parsed.options, context), context)
  const mover = new Copier(
    {
      move: true,
      recursive: true,
      follow: 'none',
      keep: { mode: true, owner: true, times: true, links: true },
      plainModes: false,
      overwrite,
      update: parsed.has('u'),
      verbose: parsed.has('v'),
      asHardLinks: false,
      asSymbolicLinks: false,
      backup,
      oneFileSystem: false,
      force: false,
      removeFirst: false,
      attributesOnly: false,
      copyContents: false,
    },
    context,
  )
  const named = (name: string): NamedPath => ({ name, path: operandPath(context, name) })
  const strip = (name: string): string => (parsed.has('strip-trailing-slashes') ? name.replace(/(?<=.)\/+$/, '') : name)
  if (targets.kind === 'onto') return (await mover.transfer(named(strip(targets.source)), named(targets.destination))) ? 0 : 1
  let status = 0
  for (const source of targets.sources.map(strip)) {
    if (!(await mover.transfer(named(source), named(nameInside(targets.directory, source))))) status = 1
  }
  return status
}
