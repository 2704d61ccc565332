import { encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import { normalise } from '../fs/path.ts'
import type { Command, CommandContext } from './command.ts'
import type { ModeChange } from './file-mode.ts'
import { modeText, parseMode } from './file-mode.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted, quotedName } from './quoting.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

const changer: Command = utility({
  help: `Usage: chmod [OPTION]... MODE[,MODE]... FILE...
  or:  chmod [OPTION]... OCTAL-MODE FILE...
  or:  chmod [OPTION]... --reference=FILE FILE...
Changes the permissions of files. MODE is [ugoa]*([-+=]([rwxXst]*|[ugo]))+ or [-+=][0-7]+.

  -c, --changes          as -v, only where something changes
  -f, --silent, --quiet  hardly any error messages
  -v, --verbose          say what is done to each file
      --no-preserve-root treat / as any other directory (the default)
      --preserve-root    don't work recursively on /
      --reference=FILE   the mode of FILE
  -R, --recursive        change directories and what they hold
      --help             show this text
      --version          show the version
`,
  options: {
    'c|changes': 'none',
    'f|silent|quiet': 'none',
    'v|verbose': 'none',
    'no-preserve-root': 'none',
    'preserve-root': 'none',
    reference: 'required',
    'R|recursive': 'none',
    '\u0001': 'required',
  },
  run: changeModes,
})

/** Changes permissions. */
export const chmod: Command = {
  run: (args, context) => changer.run(modesAsOptions(args), context),
}

/** The option that a mode which looks like one is passed as. */
const GIVEN = '\u0001'

/** `-w` and its like are modes, not options. */
function modesAsOptions(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  const isMode = (arg: string, at: number): boolean => (end < 0 || at < end) && /^-[rwxXstugoa,+=0-7]/.test(arg)
  return args.flatMap((arg, at) => (isMode(arg, at) ? [`-${GIVEN}`, arg] : [arg]))
}

interface ChmodRules {
  readonly change: ModeChange
  /** The umask mattered to what was asked, so a surprising result is reported. */
  readonly isGivenAsOption: boolean
  readonly report: 'none' | 'changes' | 'all'
  readonly isQuiet: boolean
  readonly isRecursive: boolean
}

async function changeModes(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const reference = parsed.value('reference')
  const given = parsed.options.filter(({ name }) => name === GIVEN).map(({ value }) => value as string)
  let operands = parsed.operands
  let mode: string | null = given.length > 0 ? given.join(',') : null
  if (reference !== null && mode !== null) throw new UsageError('cannot combine mode and --reference options')
  if (mode === null && reference === null) {
    const [first, ...rest] = operands
    if (first === undefined) throw new UsageError('missing operand')
    mode = first
    operands = rest
    if (operands.length === 0) throw new UsageError(`missing operand after ${quoted(context, first)}`)
  }
  if (operands.length === 0)
    throw new UsageError(mode === null ? 'missing operand' : `missing operand${given.length > 0 ? '' : ` after ${quoted(context, mode)}`}`)
  const change = mode === null ? await modeOf(reference as string, context) : parseMode(mode)
  if (change === null) throw new UsageError(`invalid mode: ${quoted(context, mode as string)}`)
  const rules: ChmodRules = {
    change,
    isGivenAsOption: given.length > 0,
    report: parsed.options.reduce<ChmodRules['report']>(
      (report, { name }) => (name === 'v' ? 'all' : name === 'c' ? 'changes' : report),
      'none',
    ),
    isQuiet: parsed.has('f'),
    isRecursive: parsed.has('R'),
  }
  let status = 0
  for (const name of operands) {
    const path = operandPath(context, name)
    if (rules.isRecursive && parsed.has('preserve-root') && normalise(path) === '/') {
      await complain(context, `it is dangerous to operate recursively on ${name === '/' ? "'/'" : `${quotedFile(name)} (same as '/')`}`)
      await complain(context, 'use --no-preserve-root to override this failsafe')
      status = 1
    } else if (!(await changeOperand(name, path, rules, context))) status = 1
  }
  return status
}

async function modeOf(reference: string, context: CommandContext): Promise<ModeChange> {
  try {
    const { mode } = await context.fs.stat(operandPath(context, reference))
    return { apply: () => mode, named: () => 0o7777 }
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`failed to get attributes of ${quotedFile(reference)}: ${errorText(error)}`)
  }
}

async function changeOperand(name: string, path: string, rules: ChmodRules, context: CommandContext): Promise<boolean> {
  let stat: FileStat
  try {
    stat = await context.fs.stat(path)
  } catch (error) {
    if (!isExpected(error)) throw error
    if (!rules.isQuiet) {
      if (hasCode(error, 'ENOENT') && (await isLink(path, context))) {
        await complain(context, `cannot operate on dangling symlink ${quotedFile(name)}`)
      } else await complainOf(context, `cannot access ${quotedFile(name)}`, error)
    }
    if (rules.report === 'all') await context.stdout.write(encode(`${quotedFile(name)} could not be accessed\n`))
    return false
  }
  return changeFile(name, path, stat, rules, context)
}

async function changeFile(name: string, path: string, stat: FileStat, rules: ChmodRules, context: CommandContext): Promise<boolean> {
  const { fs, umask } = context
  const isDirectory = stat.type === 'directory'
  const mode = rules.change.apply(stat.mode, isDirectory, umask)
  let isFine = true
  try {
    if (mode !== stat.mode) await fs.setattr(path, { mode })
  } catch (error) {
    if (!rules.isQuiet) await complainOf(context, `changing permissions of ${quotedFile(name)}`, error)
    else if (!isExpected(error)) throw error
    return false
  }
  if (rules.report === 'all' || (rules.report === 'changes' && mode !== stat.mode)) {
    await context.stdout.write(
      encode(
        mode === stat.mode
          ? `mode of ${quotedFile(name)} retained as ${modeWords(mode)}\n`
          : `mode of ${quotedFile(name)} changed from ${modeWords(stat.mode)} to ${modeWords(mode)}\n`,
      ),
    )
  }
  const naive = rules.change.apply(stat.mode, isDirectory, 0)
  if (rules.isGivenAsOption && (mode & ~naive) !== 0) {
    const letters = (value: number): string => modeText({ type: 'file', mode: value }).slice(1)
    await complain(context, `${quotedName(name)}: new permissions are ${letters(mode)}, not ${letters(naive)}`)
    isFine = false
  }
  if (!isDirectory || !rules.isRecursive) return isFine
  let entries: readonly { readonly name: string }[]
  try {
    entries = await fs.readdir(path)
  } catch (error) {
    if (!rules.isQuiet) await complainOf(context, `cannot read directory ${quotedFile(name)}`, error)
    else if (!isExpected(error)) throw error
    return false
  }
  for (const entry of entries) {
    const childName = name.endsWith('/') ? name + entry.name : `${name}/${entry.name}`
    const childPath = path.endsWith('/') ? path + entry.name : `${path}/${entry.name}`
    const pause = context.pause()
    if (pause !== undefined) await pause
    const child = await fs.lstat(childPath)
    if (child.type === 'symlink') {
      if (rules.report === 'all') {
        await context.stdout.write(encode(`neither symbolic link ${quotedFile(childName)} nor referent has been changed\n`))
      }
    } else if (!(await changeFile(childName, childPath, child, rules, context))) isFine = false
  }
  return isFine
}

function modeWords(mode: number): string {
  return `${mode.toString(8).padStart(4, '0')} (${modeText({ type: 'file', mode }).slice(1)})`
}

async function isLink(path: string, context: CommandContext): Promise<boolean> {
  try {
    return (await context.fs.lstat(path)).type === 'symlink'
  } catch (error) {
    if (isExpected(error)) return false
    throw error
  }
}
