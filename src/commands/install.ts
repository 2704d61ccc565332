import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import { backupRule } from './backup.ts'
import type { Command, CommandContext } from './command.ts'
import { Copier } from './copier.ts'
import { parseMode } from './file-mode.ts'
import { idOfName } from './identity.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { findTargets, nameInside, targetRules } from './targets.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

/** Copies files and sets their mode. */
export const install: Command = utility({
  help: `Usage: install [OPTION]... [-T] SOURCE DEST
  or:  install [OPTION]... SOURCE... DIRECTORY
  or:  install [OPTION]... -t DIRECTORY SOURCE...
  or:  install [OPTION]... -d DIRECTORY...
Copies files, replacing what was there, and sets their mode; with -d makes directories.

      --backup[=CONTROL]  keep what would be replaced: none, simple, existing, numbered
  -b                  as --backup without an argument
  -c                  ignored
  -C, --compare       leave a target alone that is the same already
  -d, --directory     make directories, and those above them
  -D                  make the directories above DEST, or the DIRECTORY of -t
  -g, --group=GROUP   set the group
  -m, --mode=MODE     set the mode (rwxr-xr-x by default)
  -o, --owner=OWNER   set the owner
  -p, --preserve-timestamps  keep the times of SOURCE
  -s, --strip         ignored
      --strip-program=PROGRAM  ignored
  -S, --suffix=SUFFIX what backups end with, ~ by default
  -t, --target-directory=DIRECTORY  copy each SOURCE into DIRECTORY
  -T, --no-target-directory  DEST is no directory
  -v, --verbose       say what is made
  -Z, --context, --preserve-context  ignored
      --help          show this text
      --version       show the version
`,
  options: {
    backup: 'optional',
    b: 'none',
    c: 'none',
    'C|compare': 'none',
    'd|directory': 'none',
    D: 'none',
    'g|group': 'required',
    'm|mode': 'required',
    'o|owner': 'required',
    'p|preserve-timestamps': 'none',
    's|strip': 'none',
    'strip-program': 'required',
    'S|suffix': 'required',
    't|target-directory': 'required',
    'T|no-target-directory': 'none',
    'v|verbose': 'none',
    Z: 'none',
    context: 'optional',
    'preserve-context': 'none',
  },
  run: installFiles,
})

interface InstallRules {
  readonly mode: (isDirectory: boolean) => number
  readonly uid: number | null
  readonly gid: number | null
}

async function installFiles(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const modeText = parsed.value('m')
  const change = modeText === null ? null : parseMode(modeText)
  if (modeText !== null && change === null) throw new CommandFailure(`invalid mode ${quoted(context, modeText)}`)
  const rules: InstallRules = {
    mode: (isDirectory) => (change === null ? 0o755 : change.apply(0, isDirectory, 0)),
    uid: idOption(parsed.value('o'), 'user', context),
    gid: idOption(parsed.value('g'), 'group', context),
  }
  if (parsed.has('d')) {
    if (parsed.has('t')) throw new CommandFailure('target directory not allowed when installing a directory')
    if (parsed.operands.length === 0) throw new UsageError('missing file operand')
    let status = 0
    for (const name of parsed.operands) if (!(await makeDirectories(name, true, rules, parsed, context))) status = 1
    return status
  }
  const where = targetRules(parsed.options, context)
  const { operands } = parsed
  const [first, last] = [operands[0], operands.at(-1)]
  if (parsed.has('D')) {
    if (where.directory !== null && !(await makeDirectories(where.directory, false, rules, parsed, context))) return 1
    if (
      where.directory === null &&
      operands.length === 2 &&
      first !== undefined &&
      last !== undefined &&
      !(await isDirectory(last, context))
    ) {
      const above = last.replace(/\/+[^/]*\/*$/, '')
      if (above !== last && above !== '' && !(await makeDirectories(above, false, rules, parsed, context))) return 1
      return (await installFile(first, last, rules, parsed, context)) ? 0 : 1
    }
  }
  const targets = await findTargets(operands, where, context)
  if (targets.kind === 'onto') return (await installFile(targets.source, targets.destination, rules, parsed, context)) ? 0 : 1
  let status = 0
  for (const source of targets.sources) {
    if (!(await installFile(source, nameInside(targets.directory, source), rules, parsed, context))) status = 1
  }
  return status
}

function idOption(name: string | null, kind: 'user' | 'group', context: CommandContext): number | null {
  if (name === null || name === '') return null
  const id = idOfName(name, context.env) ?? (/^\d+$/.test(name) ? Number(name) : null)
  if (id === null) throw new CommandFailure(`invalid ${kind} ${quoted(context, name)}`)
  return id
}

async function isDirectory(name: string, context: CommandContext): Promise<boolean> {
  try {
    return (await context.fs.stat(operandPath(context, name))).type === 'directory'
  } catch (error) {
    if (isExpected(error)) return false
    throw error
  }
}

async function makeDirectories(
  name: string,
  isOwn: boolean,
  rules: InstallRules,
  parsed: ParsedOptions,
  context: CommandContext,
): Promise<boolean> {
  const parts = name.replace(/(?<=.)\/+$/, '').split('/')
  for (let count = 1; count <= parts.length; count++) {
    const above = parts.slice(0, count).join('/')
    if (above === '' || parts[count - 1] === '.' || parts[count - 1] === '..') continue
    try {
      await context.fs.mkdir(operandPath(context, above), 0o755)
      if (parsed.has('v')) await context.stdout.write(encode(`${context.name}: creating directory ${quotedFile(above)}\n`))
    } catch (error) {
      if (hasCode(error, 'EEXIST') && (await isDirectory(above, context))) continue
      if (hasCode(error, 'EEXIST') && count < parts.length) {
        await complain(context, `cannot create directory ${quotedFile(above)}: Not a directory`)
      } else await complainOf(context, `cannot create directory ${quotedFile(above)}`, error)
      return false
    }
  }
  if (isOwn) await setAttributes(name, rules.mode(true), rules, context)
  return true
}

async function installFile(
  source: string,
  target: string,
  rules: InstallRules,
  parsed: ParsedOptions,
  context: CommandContext,
): Promise<boolean> {
  const { fs } = context
  if (await isDirectory(source, context)) {
    await complain(context, `omitting directory ${quotedFile(source)}`)
    return false
  }
  const mode = rules.mode(false)
  if (parsed.has('C') && (await isSame(source, target, mode, rules, context))) return true
  const copier = new Copier(
    {
      move: false,
      recursive: false,
      follow: 'all',
      keep: { mode: false, owner: false, times: parsed.has('p'), links: false },
      plainModes: false,
      overwrite: 'always',
      update: false,
      verbose: parsed.has('v'),
      asHardLinks: false,
      asSymbolicLinks: false,
      backup: backupRule(parsed, context),
      oneFileSystem: false,
      force: false,
      removeFirst: true,
      attributesOnly: false,
      copyContents: true,
    },
    context,
  )
  const named = (name: string): { name: string; path: string } => ({ name, path: operandPath(context, name) })
  if (!(await copier.transfer(named(source), named(target)))) return false
  await setAttributes(target, mode, rules, context)
  if (parsed.has('p')) {
    const { atimeMs, mtimeMs } = await fs.stat(operandPath(context, source))
    await fs.setattr(operandPath(context, target), { atimeMs, mtimeMs })
  }
  return true
}

async function setAttributes(name: string, mode: number, { uid, gid }: InstallRules, context: CommandContext): Promise<void> {
  try {
    await context.fs.setattr(operandPath(context, name), {
      mode,
      ...(uid === null ? {} : { uid }),
      ...(gid === null ? {} : { gid }),
    })
  } catch (error) {
    // A back end without modes keeps the file all the same.
    if (!hasCode(error, 'ENOTSUP')) throw error
  }
}

async function isSame(source: string, target: string, mode: number, rules: InstallRules, context: CommandContext): Promise<boolean> {
  const { fs } = context
  try {
    const from = await fs.lstat(operandPath(context, source))
    const to = await fs.lstat(operandPath(context, target))
    if (from.type !== 'file' || to.type !== 'file' || from.size !== to.size || to.mode !== mode) return false
    if ((rules.uid ?? to.uid) !== to.uid || (rules.gid ?? to.gid) !== to.gid) return false
    const one = await fs.read(operandPath(context, source))
    const other = await fs.read(operandPath(context, target))
    return one.every((byte, at) => byte === other[at])
  } catch (error) {
    if (isExpected(error)) return false
    throw error
  }
}
