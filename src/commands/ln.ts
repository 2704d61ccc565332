import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import { normalise } from '../fs/path.ts'
import type { BackupRule } from './backup.ts'
import { backupPath, backupRule } from './backup.ts'
import { canonicalPath, relativePath } from './canonical.ts'
import type { Command, CommandContext } from './command.ts'
import { confirm } from './confirm.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import { findTargets, nameInside, targetRules } from './targets.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

/** Makes links. */
export const ln: Command = utility({
  help: `Usage: ln [OPTION]... [-T] TARGET LINK_NAME
  or:  ln [OPTION]... TARGET
  or:  ln [OPTION]... TARGET... DIRECTORY
  or:  ln [OPTION]... -t DIRECTORY TARGET...
Makes a link to TARGET with the name LINK_NAME, or links to each TARGET in DIRECTORY (the working directory
for a single operand). Hard links unless -s is given.

      --backup[=CONTROL]   keep what would be replaced: none, simple, existing, numbered
  -b                       as --backup without an argument
  -d, -F, --directory      try to make hard links to directories
  -f, --force              remove existing files
  -i, --interactive        ask before removing
  -L, --logical            follow a TARGET that is a symbolic link
  -n, --no-dereference     a LINK_NAME that is a link to a directory is a plain file
  -P, --physical           make hard links to symbolic links (the default)
  -r, --relative           with -s: make the text relative to where the link is
  -s, --symbolic           make symbolic links
  -S, --suffix=SUFFIX      what backups end with, ~ by default
  -t, --target-directory=DIRECTORY  make the links in DIRECTORY
  -T, --no-target-directory  LINK_NAME is no directory
  -v, --verbose            say what is linked
      --help               show this text
      --version            show the version
`,
  options: {
    backup: 'optional',
    b: 'none',
    'd|F|directory': 'none',
    'n|no-dereference': 'none',
    'f|force': 'none',
    'i|interactive': 'none',
    'S|suffix': 'required',
    't|target-directory': 'required',
    'T|no-target-directory': 'none',
    'L|logical': 'none',
    'P|physical': 'none',
    'r|relative': 'none',
    's|symbolic': 'none',
    'v|verbose': 'none',
  },
  run: makeLinks,
})

interface LinkRules {
  readonly symbolic: boolean
  readonly relative: boolean
  readonly logical: boolean
  readonly existing: 'fail' | 'ask' | 'remove'
  readonly verbose: boolean
  readonly backup: BackupRule
}

async function makeLinks(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  let existing: LinkRules['existing'] = 'fail'
  let logical = false
  for (const { name } of parsed.options) {
    if (name === 'f') existing = 'remove'
    if (name === 'i') existing = 'ask'
    if (name === 'L') logical = true
    if (name === 'P') logical = false
  }
  const rules: LinkRules = {
    symbolic: parsed.has('s'),
    relative: parsed.has('r'),
    logical,
    existing,
    verbose: parsed.has('v'),
    backup: backupRule(parsed, context),
  }
  if (rules.relative && !rules.symbolic) throw new CommandFailure('cannot do --relative without --symbolic')
  const { operands } = parsed
  const [first] = operands
  const where = targetRules(parsed.options, context)
  if (operands.length === 1 && first !== undefined && where.directory === null && !where.isPlain) {
    return (await makeLink(first, nameInside('.', first), rules, context)) ? 0 : 1
  }
  const targets = await findTargets(operands, { ...where, followLast: !parsed.has('n'), missing: 'failed to access' }, context)
  if (targets.kind === 'onto') return (await makeLink(targets.source, targets.destination, rules, context)) ? 0 : 1
  let status = 0
  const made = new Set<string>()
  for (const target of targets.sources) {
    const name = nameInside(targets.directory, target)
    const path = normalise(operandPath(context, name))
    if (made.has(path) && existing === 'remove' && !rules.symbolic && rules.backup.kind !== 'numbered') {
      await complain(context, `will not overwrite just-created ${quotedFile(name)} with ${quotedFile(target)}`)
      status = 1
    } else if (!(await makeLink(target, name, rules, context))) status = 1
    else made.add(path)
  }
  return status
}

async function makeLink(target: string, name: string, rules: LinkRules, context: CommandContext): Promise<boolean> {
  const { fs } = context
  const path = operandPath(context, name)
  const fail = async (what: string, error: unknown): Promise<false> => {
    await complainOf(context, what, error)
    return false
  }
  let text = target
  let origin = operandPath(context, target)
  let stat: FileStat | null = null
  if (!rules.symbolic) {
    try {
      stat = rules.logical ? await fs.stat(origin) : await fs.lstat(origin)
      if (rules.logical) origin = await canonicalPath(context, target, 'all')
    } catch (error) {
      return fail(`failed to access ${quotedFile(target)}`, error)
    }
    if (stat.type === 'directory') {
      await complain(context, `${quotedName(target)}: hard link not allowed for directory`)
      return false
    }
  } else if (rules.relative) text = await relativeText(target, name, context)

  let backupName = ''
  const there = rules.existing === 'fail' && rules.backup.kind === 'none' ? null : await statOrNull(path, false, context)
  if (there !== null) {
    if (there.type === 'directory') {
      await complain(context, `${quotedName(name)}: cannot overwrite directory`)
      return false
    }
    if (await isSameEntry(target, path, there, rules, context)) {
      await complain(context, `${quotedFile(target)} and ${quotedFile(name)} are the same file`)
      return false
    }
    if (rules.existing === 'ask' && !(await confirm(context, `replace ${quotedFile(name)}? `))) return true
    try {
      const kept = await backupPath(path, rules.backup, context)
      if (kept !== null) {
        backupName = name + kept.slice(path.length)
        await fs.rename(path, kept)
      } else if (rules.existing !== 'fail') await fs.unlink(path)
    } catch (error) {
      return fail(`cannot ${backupName === '' ? 'remove' : 'backup'} ${quotedFile(name)}`, error)
    }
  }
  try {
    if (rules.symbolic) await fs.symlink(text, path)
    else await fs.link(origin, path)
  } catch (error) {
    const kind = rules.symbolic ? 'symbolic' : 'hard'
    const subject = rules.symbolic && text === '' ? `${quotedFile(name)} -> ''` : quotedFile(name)
    const named = rules.symbolic || hasCode(error, 'EEXIST') || hasCode(error, 'ENOSPC') ? '' : ` => ${quotedFile(target)}`
    return fail(`failed to create ${kind} link ${subject}${named}`, error)
  }
  if (rules.verbose) {
    const prefix = backupName === '' ? '' : `${quotedFile(backupName)} ~ `
    await context.stdout.write(encode(`${prefix}${quotedFile(name)} ${rules.symbolic ? '-' : '='}> ${quotedFile(text)}\n`))
  }
  return true
}

async function relativeText(target: string, name: string, context: CommandContext): Promise<string> {
  const slash = name.replace(/\/+$/, '').lastIndexOf('/')
  const directory = slash < 0 ? '.' : slash === 0 ? '/' : name.slice(0, slash)
  const from = await canonicalPath(context, directory, 'none')
  return relativePath(await canonicalPath(context, target, 'none'), from)
}

/** A link is not to be replaced by a link to itself. */
async function isSameEntry(target: string, path: string, there: FileStat, rules: LinkRules, context: CommandContext): Promise<boolean> {
  if (rules.backup.kind !== 'none' && rules.symbolic) return false
  const origin = await statOrNull(operandPath(context, target), rules.symbolic, context)
  if (origin === null || origin.ino !== there.ino || origin.dev !== there.dev) return false
  return there.nlink === 1 || normalise(operandPath(context, target)) === normalise(path)
}

async function statOrNull(path: string, follow: boolean, context: CommandContext): Promise<FileStat | null> {
  try {
    return follow ? await context.fs.stat(path) : await context.fs.lstat(path)
  } catch (error) {
    if (isExpected(error)) return null
    throw error
  }
}
