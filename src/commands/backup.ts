import { hasCode } from '../errors.ts'
import { basename, dirname } from '../fs/path.ts'
import { choice } from './choice.ts'
import type { CommandContext } from './command.ts'
import type { ParsedOptions } from './options.ts'

/** How what would be overwritten is kept: not at all, as `x~`, as `x.~1~`, or numbered where such names exist already. */
export type BackupKind = 'none' | 'simple' | 'numbered' | 'existing'

export interface BackupRule {
  readonly kind: BackupKind
  readonly suffix: string
}

const KINDS: readonly (readonly string[])[] = [
  ['none', 'off'],
  ['simple', 'never'],
  ['existing', 'nil'],
  ['numbered', 't'],
]

/** What `-b`, `--backup[=CONTROL]` and `-S` ask for; they go by the names `b`, `backup` and `S` in the table of options. */
export function backupRule(parsed: ParsedOptions, context: CommandContext): BackupRule {
  const suffixGiven = parsed.value('S')
  const suffix = suffixGiven ?? context.env.get('SIMPLE_BACKUP_SUFFIX') ?? '~'
  if (!parsed.has('b') && !parsed.has('backup') && suffixGiven === null) return { kind: 'none', suffix }
  const given = parsed.value('backup')
  const control = given ?? context.env.get('VERSION_CONTROL') ?? 'existing'
  const kind = choice(context, given === null ? '$VERSION_CONTROL' : 'backup type', control, KINDS) as BackupKind
  return { kind, suffix: suffix === '' || suffix.includes('/') ? '~' : suffix }
}

/** The name that the file at `path` is to be kept under; null where nothing is kept. */
export async function backupPath(path: string, rule: BackupRule, context: CommandContext): Promise<string | null> {
  if (rule.kind === 'none') return null
  if (rule.kind !== 'simple') {
    const number = await highestNumber(path, context)
    if (rule.kind === 'numbered' || number > 0) return `${path}.~${number + 1}~`
  }
  return path + rule.suffix
}

async function highestNumber(path: string, context: CommandContext): Promise<number> {
  const clean = path.replace(/\/+$/, '')
  const start = `${basename(clean)}.~`
  try {
    let highest = 0
    for (const { name } of await context.fs.readdir(dirname(clean))) {
      if (!name.startsWith(start) || !/^\d+~$/.test(name.slice(start.length))) continue
      highest = Math.max(highest, Number.parseInt(name.slice(start.length), 10))
    }
    return highest
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES')) return 0
    throw error
  }
}
