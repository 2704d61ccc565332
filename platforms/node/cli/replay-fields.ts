import { resolve } from 'node:path'
import type { JobArguments } from './job-arguments.ts'
import { UsageError } from './usage-error.ts'

export type ReplayField = string | number | boolean | readonly string[]

/** What is asked of a replay, by the keys of its configuration. Paths are absolute. */
export type ReplayFields = ReadonlyMap<string, ReplayField>

/** What each key holds. The option of a flag is called as the key is, with - for _, unless `OPTIONS` says otherwise. */
export const REPLAY_KEYS: Readonly<Record<string, 'text' | 'path' | 'number' | 'flag' | 'texts'>> = {
  agent: 'text',
  trajectory: 'path',
  after_step: 'number',
  prepare_only: 'flag',
  replay_only: 'flag',
  model_endpoint: 'text',
  model: 'text',
  max_steps: 'number',
  boundary_user_prompt: 'text',
  disable_thinking: 'flag',
  disallowed_tools: 'texts',
  workspace: 'path',
  mount_at: 'text',
  executor: 'text',
  timeout_ms: 'number',
  allow_stale_observations: 'flag',
  accept_version: 'text',
  sample: 'text',
  state_dir: 'path',
  output_dir: 'path',
  run_id: 'text',
  session_id: 'text',
  report: 'path',
}

const OPTIONS: Readonly<Record<string, string>> = { disallowed_tools: 'agent-disallowed-tool' }

/** Where the report goes to standard error. */
export const STANDARD_ERROR = '-'

/** The flags of the command line. Throws a {@link UsageError} where a number is none, and for flags that do not go together. */
export function fieldsOfFlags(given: JobArguments): ReplayFields {
  const fields = new Map<string, ReplayField>()
  for (const [key, kind] of Object.entries(REPLAY_KEYS)) {
    const option = optionOf(key)
    const text = given.text(option)
    if (kind === 'flag') {
      if (given.flag(option)) fields.set(key, true)
    } else if (kind === 'texts') {
      if (given.flag(option)) fields.set(key, given.texts(option))
    } else if (text !== undefined) fields.set(key, kind === 'number' ? numberOf(text, option) : kind === 'path' ? pathIn('.', text) : text)
  }
  if (fields.has('prepare_only') && fields.has('replay_only'))
    throw new UsageError('replay: --prepare-only and --replay-only do not go together')
  return fields
}

/** The names of all flags that say something of the replay itself. */
export function replayFlags(): readonly string[] {
  return Object.keys(REPLAY_KEYS).map(optionOf)
}

/** A path of a configuration that lies in `folder`. */
export function pathIn(folder: string, path: string): string {
  return path === STANDARD_ERROR ? path : resolve(folder, path)
}

function optionOf(key: string): string {
  return OPTIONS[key] ?? key.replaceAll('_', '-')
}

function numberOf(text: string, option: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`option '--${option}' holds '${text}'; it may hold a whole number`)
  return Number(text)
}
