import { encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import { normalise } from '../fs/path.ts'
import type { Command, CommandContext } from './command.ts'
import { idOfName, nameOfId } from './identity.ts'
import { operandPath } from './operand-path.ts'
import type { OptionTable, ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

const options: OptionTable = {
  'R|recursive': 'none',
  'c|changes': 'none',
  dereference: 'none',
  from: 'required',
  'h|no-dereference': 'none',
  'no-preserve-root': 'none',
  'preserve-root': 'none',
  'f|quiet|silent': 'none',
  reference: 'required',
  'v|verbose': 'none',
  H: 'none',
  L: 'none',
  P: 'none',
}

const OPTION_HELP = `
  -c, --changes          as -v, only where something changes
  -f, --silent, --quiet  hardly any error messages
  -v, --verbose          say what is done to each file
      --dereference      change what symbolic links lead to (the default)
  -h, --no-dereference   change symbolic links themselves
      --from=OWNER:GROUP only files that belong to these
      --no-preserve-root treat / as any other directory (the default)
      --preserve-root    don't work recursively on /
      --reference=FILE   the owner and group of FILE
  -R, --recursive        change directories and what they hold
  -H                     with -R: follow operands that are links to directories
  -L                     with -R: follow every link to a directory
  -P                     with -R: follow none (the default)
      --help             show this text
      --version          show the version
`

/** Changes owners and groups. */
export const chown: Command = utility({
  help: `Usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
  or:  chown [OPTION]... --reference=FILE FILE...
Changes the owner or group of files, or both.
${OPTION_HELP}`,
  options,
  run: (parsed, context) => changeOwners(parsed, context, 'owner'),
})

/** Changes groups. */
export const chgrp: Command = utility({
  help: `Usage: chgrp [OPTION]... GROUP FILE...
  or:  chgrp [OPTION]... --reference=FILE FILE...
Changes the group of files.
${OPTION_HELP}`,
  options,
  run: (parsed, context) => changeOwners(parsed, context, 'group'),
})

/** Null: leave as it is. */
interface Owner {
  readonly uid: number | null
  readonly gid: number | null
  readonly user: string | null
  readonly group: string | null
}

interface ChownRules {
  readonly owner: Owner
  readonly from: Owner
  readonly report: 'none' | 'changes' | 'all'
  readonly isQuiet: boolean
  readonly isRecursive: boolean
  readonly follow: 'none' | 'operands' | 'all'
  /** Links themselves are changed. */
  readonly linksThemselves: boolean
}

const NOBODY: Owner = { uid: null, gid: null, user: null, group: null }

async function changeOwners(parsed: ParsedOptions, context: CommandContext, what: 'owner' | 'group'): Promise<number> {
  const reference = parsed.value('reference')
  let operands = parsed.operands
  const [first, ...rest] = operands
  if (first === undefined) throw new UsageError('missing operand')
  let owner: Owner
  if (reference === null) {
    if (rest.length === 0) throw new UsageError(`missing operand after ${quoted(context, first)}`)
    operands = rest
    owner = what === 'owner' ? await parseOwner(first, context) : parseGroup(first, context)
  } else owner = await ownerOf(reference, what, context)
  const from = parsed.value('from')
  const linkOption = parsed.options.findLast(({ name }) => name === 'h' || name === 'dereference')?.name
  let rules: ChownRules = {
    owner,
    from: from === null ? NOBODY : await parseOwner(from, context),
    report: parsed.options.reduce<ChownRules['report']>(
      (report, { name }) => (name === 'v' ? 'all' : name === 'c' ? 'changes' : report),
      'none',
    ),
    isQuiet: parsed.has('f'),
    isRecursive: parsed.has('R'),
    follow: parsed.options.reduce<ChownRules['follow']>(
      (follow, { name }) => (name === 'H' ? 'operands' : name === 'L' ? 'all' : name === 'P' ? 'none' : follow),
      'none',
    ),
    linksThemselves: linkOption === 'h',
  }
  if (rules.isRecursive && rules.follow === 'none') {
    if (linkOption === 'dereference') throw new CommandFailure('-R --dereference requires either -H or -L')
    rules = { ...rules, linksThemselves: true }
  }
  let status = 0
  for (const name of operands) {
    const path = operandPath(context, name)
    if (rules.isRecursive && parsed.has('preserve-root') && normalise(path) === '/') {
      await complain(context, `it is dangerous to operate recursively on ${name === '/' ? "'/'" : `${quotedFile(name)} (same as '/')`}`)
      await complain(context, 'use --no-preserve-root to override this failsafe')
      status = 1
    } else if (!(await changeOperand(name, path, rules, context, true))) status = 1
  }
  return status
}

/** Reads `OWNER`, `OWNER:GROUP`, `OWNER:`, `:GROUP`. */
async function parseOwner(spec: string, context: CommandContext): Promise<Owner> {
  let separator = spec.indexOf(':')
  if (separator < 0 && idOf(spec, context) === null && spec.includes('.')) {
    separator = spec.indexOf('.')
    await complain(context, `warning: '.' should be ':': ${quoted(context, spec)}`)
  }
  const user = separator < 0 ? spec : spec.slice(0, separator)
  const group = separator < 0 ? '' : spec.slice(separator + 1)
  const uid = user === '' ? null : idOf(user, context)
  if (user !== '' && uid === null) throw new CommandFailure(`invalid user: ${quoted(context, spec)}`)
  let gid = group === '' ? null : idOf(group, context)
  if (group !== '' && gid === null) throw new CommandFailure(`invalid group: ${quoted(context, spec)}`)
  // `root:` is root's own group.
  if (separator >= 0 && group === '' && uid !== null) {
    if (/^\+?\d+$/.test(user)) throw new CommandFailure(`invalid spec: ${quoted(context, spec)}`)
    gid = uid
  }
  return {
    uid,
    gid,
    user: user === '' ? null : user,
    group: gid === null ? null : group === '' ? (nameOfId(gid, context.env) ?? String(gid)) : group,
  }
}

function parseGroup(spec: string, context: CommandContext): Owner {
  if (spec === '') return NOBODY
  const gid = idOf(spec, context)
  if (gid === null) throw new CommandFailure(`invalid group: ${quoted(context, spec)}`)
  return { uid: null, gid, user: null, group: spec }
}

function idOf(name: string, context: CommandContext): number | null {
  const known = name.startsWith('+') ? null : idOfName(name, context.env)
  if (known !== null) return known
  if (!/^\+?\d+$/.test(name)) return null
  const id = Number(name)
  return id < 0xffff_ffff ? id : null
}

async function ownerOf(reference: string, what: 'owner' | 'group', context: CommandContext): Promise<Owner> {
  try {
    const { uid, gid } = await context.fs.stat(operandPath(context, reference))
    const user = nameOfId(uid, context.env) ?? String(uid)
    const group = nameOfId(gid, context.env) ?? String(gid)
    return what === 'owner' ? { uid, gid, user, group } : { uid: null, gid, user: null, group }
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`failed to get attributes of ${quotedFile(reference)}: ${errorText(error)}`)
  }
}

async function changeOperand(name: string, path: string, rules: ChownRules, context: CommandContext, isOperand: boolean): Promise<boolean> {
  const { fs } = context
  let isFine = true
  let stat: FileStat
  try {
    stat = await fs.lstat(path)
  } catch (error) {
    if (!rules.isQuiet) await complainOf(context, `cannot access ${quotedFile(name)}`, error)
    else if (!isExpected(error)) throw error
    await reportFailure(name, null, rules, context)
    return false
  }
  let isLink = stat.type === 'symlink'
  if (isLink && !rules.linksThemselves) {
    const goesInto = rules.follow === 'all' || (rules.follow === 'operands' && isOperand)
    try {
      stat = await fs.stat(path)
      isLink = false
    } catch (error) {
      if (!isExpected(error)) throw error
      if (!rules.isQuiet) await complainOf(context, `cannot dereference ${quotedFile(name)}`, error)
      return false
    }
    if (!(await changeFile(name, path, stat, false, rules, context))) isFine = false
    if (!goesInto || !rules.isRecursive) return isFine
  } else if (!(await changeFile(name, path, stat, isLink, rules, context))) isFine = false
  if (!rules.isRecursive || stat.type !== 'directory') return isFine
  for (const entry of await fs.readdir(path)) {
    const childName = name.endsWith('/') ? name + entry.name : `${name}/${entry.name}`
    const childPath = path.endsWith('/') ? path + entry.name : `${path}/${entry.name}`
    const pause = context.pause()
    if (pause !== undefined) await pause
    if (!(await changeOperand(childName, childPath, rules, context, false))) isFine = false
  }
  return isFine
}

async function changeFile(
  name: string,
  path: string,
  stat: FileStat,
  isLink: boolean,
  rules: ChownRules,
  context: CommandContext,
): Promise<boolean> {
  const { owner, from } = rules
  const isMeant = (from.uid === null || from.uid === stat.uid) && (from.gid === null || from.gid === stat.gid)
  const uid = owner.uid ?? stat.uid
  const gid = owner.gid ?? stat.gid
  const changes = isMeant && (uid !== stat.uid || gid !== stat.gid)
  if (changes && !isLink) {
    try {
      await context.fs.setattr(path, { uid, gid, ...withoutSetId(stat) })
    } catch (error) {
      if (!rules.isQuiet) {
        const what = owner.uid === null ? 'group' : 'ownership'
        await complainOf(context, `changing ${what} of ${quotedFile(name)}`, error)
      } else if (!isExpected(error)) throw error
      await reportFailure(name, stat, rules, context)
      return false
    }
  }
  if (rules.report === 'all' || (rules.report === 'changes' && changes)) {
    await context.stdout.write(encode(changes ? changedText(name, stat, owner, context) : retainedText(name, stat, rules, context)))
  }
  return true
}

/** A program that changes hands loses its set-id bits. */
function withoutSetId({ type, mode }: FileStat): { mode?: number } {
  if (type !== 'file' || (mode & 0o111) === 0 || (mode & 0o6000) === 0) return {}
  return { mode: mode & ~((mode & 0o010) !== 0 ? 0o6000 : 0o4000) }
}

function changedText(name: string, stat: FileStat, owner: Owner, context: CommandContext): string {
  const user = nameOfId(stat.uid, context.env) ?? String(stat.uid)
  const group = nameOfId(stat.gid, context.env) ?? String(stat.gid)
  if (owner.user === null) {
    return owner.group === null
      ? `no change to ownership of ${quotedFile(name)}\n`
      : `changed group of ${quotedFile(name)} from ${group} to ${owner.group}\n`
  }
  if (owner.group === null) return `changed ownership of ${quotedFile(name)} from ${user} to ${owner.user}\n`
  return `changed ownership of ${quotedFile(name)} from ${user}:${group} to ${owner.user}:${owner.group}\n`
}

function retainedText(name: string, stat: FileStat, { owner }: ChownRules, context: CommandContext): string {
  const user = nameOfId(stat.uid, context.env) ?? String(stat.uid)
  const group = nameOfId(stat.gid, context.env) ?? String(stat.gid)
  if (owner.user === null && owner.group === null) return `ownership of ${quotedFile(name)} retained\n`
  if (owner.user === null) return `group of ${quotedFile(name)} retained as ${group}\n`
  return `ownership of ${quotedFile(name)} retained as ${owner.group === null ? user : `${user}:${group}`}\n`
}

async function reportFailure(name: string, stat: FileStat | null, { owner, report }: ChownRules, context: CommandContext): Promise<void> {
  if (report !== 'all') return
  const what = owner.user === null && owner.group !== null ? 'group' : 'ownership'
  const user = stat === null ? null : (nameOfId(stat.uid, context.env) ?? String(stat.uid))
  const to = owner.user === null ? (owner.group ?? '') : owner.group === null ? owner.user : `${owner.user}:${owner.group}`
  const from = user === null ? '' : ` from ${user}`
  await context.stdout.write(encode(`failed to change ${what} of ${quotedFile(name)}${from} to ${to}\n`))
}
