import { dirname, resolve } from 'node:path'
import { WorkspaceError } from '../../../src/errors.ts'
import { isTable, readToml, shownValue } from './toml-file.ts'
import { UsageError } from './usage-error.ts'

/** What a TOML file says of a Job: values as the options of `mirage run` hold them. Folders are absolute. */
export interface JobConfig {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  /** A line of shell, or a program and its arguments. */
  readonly command: string | readonly string[] | null
}

const TEXTS = ['stage', 'name', 'executor', 'timeout', 'suspend_after', 'stdio', 'workspace'] as const
const LISTS = ['access', 'mount', 'pass_env'] as const
const FOLDERS: ReadonlySet<string> = new Set(['stage', 'workspace'])
const KEYS = [...TEXTS, ...LISTS, 'command']

/** Reads it: the keys stand in `[run]` or at the top. Relative folders are meant from the file's own. Throws a {@link UsageError}; CAPABILITY_UNSUPPORTED for `[overlaynet]`. */
export async function readJobConfig(path: string): Promise<JobConfig> {
  const document = await readToml(path)
  if (Object.hasOwn(document, 'overlaynet'))
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `${path}: overlaynet: nothing here stands between a process and the network; use the executor machine`,
    )
  const { run = {}, ...top } = document
  if (!isTable(run)) throw new UsageError(`${path}: run holds ${shownValue(run)}; it may hold a table, [run]`)
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  let command: JobConfig['command'] = null
  const seen = new Set<string>()
  for (const [where, key, value] of [...entries('', top), ...entries('run.', run)]) {
    const at = `${path}: ${where}${key}`
    if (!KEYS.includes(key)) throw new UsageError(`${at} is not known; it may be ${KEYS.join(', ')}`)
    if (seen.has(key)) throw new UsageError(`${at} is given twice: at the top and in [run]`)
    seen.add(key)
    const name = key.replace('_', '-')
    if (key === 'command') command = commandOf(value, at)
    else if ((LISTS as readonly string[]).includes(key)) lists.set(name, textList(value, at, `a list of texts`))
    else if (typeof value !== 'string' || value === '') throw new UsageError(`${at} holds ${shownValue(value)}; it may hold a text`)
    else texts.set(name, FOLDERS.has(key) ? resolve(dirname(path), value) : value)
  }
  return { texts, lists, command }
}

function entries(where: string, table: Record<string, unknown>): (readonly [where: string, key: string, value: unknown])[] {
  return Object.entries(table).map(([key, value]) => [where, key, value])
}

function commandOf(value: unknown, at: string): string | readonly string[] {
  if (typeof value === 'string' && value.trim() !== '') return value
  const words = textList(value, at, 'a line of shell, or a list of a program and its arguments')
  if (words.length === 0 || words[0] === '') throw new UsageError(`${at} holds no command`)
  return words
}

function textList(value: unknown, at: string, may: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new UsageError(`${at} holds ${shownValue(value)}; it may hold ${may}`)
}
