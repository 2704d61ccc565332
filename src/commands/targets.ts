import { errorText } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import type { CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, isExpected } from './utility.ts'

/** Where the operands of `cp`, `mv`, `ln` or `install` go. */
export type Targets =
  | { readonly kind: 'into'; readonly directory: string; readonly sources: readonly string[] }
  | { readonly kind: 'onto'; readonly destination: string; readonly source: string }

export interface TargetRules {
  /** `-t`: this directory. */
  readonly directory: string | null
  /** `-T`: the last operand is never a directory to put things in. */
  readonly isPlain: boolean
  /** A last operand that is a symbolic link to a directory is not gone into (`ln -n`). */
  readonly followLast?: boolean
  /** What a directory of `-t` that isn't there is complained of as, `target directory` when left out. */
  readonly missing?: string
}

/** Sorts out the operands; ends the command with GNU's messages where they make no sense. */
export async function findTargets(operands: readonly string[], rules: TargetRules, context: CommandContext): Promise<Targets> {
  const { directory, isPlain } = rules
  const last = operands.at(-1)
  if (last === undefined) throw new UsageError('missing file operand')
  if (directory === null && operands.length === 1) throw new UsageError(`missing destination file operand after ${quotedFile(last)}`)
  if (isPlain) {
    if (directory !== null) throw new CommandFailure('cannot combine --target-directory (-t) and --no-target-directory (-T)')
    if (operands.length > 2) throw new UsageError(`extra operand ${quotedFile(operands[2] as string)}`)
    return { kind: 'onto', source: operands[0] as string, destination: last }
  }
  if (directory !== null) {
    await requireDirectory(`${rules.missing ?? 'target directory'} ${quotedFile(directory)}`, directory, context)
    return { kind: 'into', directory, sources: operands }
  }
  const stat = await targetStat(last, rules.followLast ?? true, context)
  if (stat?.type === 'directory') return { kind: 'into', directory: last, sources: operands.slice(0, -1) }
  if (operands.length === 2) return { kind: 'onto', source: operands[0] as string, destination: last }
  await requireDirectory(`target ${quotedFile(last)}`, last, context)
  throw new CommandFailure(`target ${quotedFile(last)}: Not a directory`)
}

/** `name` put in `directory`, as messages show it. */
export function nameInside(directory: string, name: string): string {
  const clean = name.replace(/\/+$/, '')
  const base = clean === '' ? '/' : clean.slice(clean.lastIndexOf('/') + 1)
  return directory.endsWith('/') ? `${directory}${base}` : `${directory}/${base}`
}

/** Makes the value of `-t` and `-T` known; `options` as the utility parsed them. */
export function targetRules(
  options: readonly { readonly name: string; readonly value: string | null }[],
  context: CommandContext,
): TargetRules {
  const directories = options.filter(({ name }) => name === 't').map(({ value }) => value as string)
  if (directories.length > 1) throw new CommandFailure('multiple target directories specified')
  if (directories[0] === '') throw new CommandFailure(`target directory ${quoted(context, '')}: No such file or directory`)
  return { directory: directories[0] ?? null, isPlain: options.some(({ name }) => name === 'T') }
}

async function targetStat(name: string, follow: boolean, context: CommandContext): Promise<FileStat | null> {
  try {
    const path = operandPath(context, name)
    return follow ? await context.fs.stat(path) : await context.fs.lstat(path)
  } catch (error) {
    if (isExpected(error)) return null
    throw error
  }
}

async function requireDirectory(what: string, name: string, context: CommandContext): Promise<void> {
  try {
    const { type } = await context.fs.stat(operandPath(context, name))
    if (type === 'directory') return
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`${what}: ${errorText(error)}`)
  }
  throw new CommandFailure(`${what}: Not a directory`)
}
