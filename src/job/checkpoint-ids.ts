import { WorkspaceError } from '../errors.ts'
import { invalid } from '../option-checks.ts'

/** Checkpoints among which one is looked for. */
export interface CheckpointIds<T> {
  /** Whose they are: `Job x`. */
  readonly owner: string
  all(): Promise<readonly string[]>
  /** Null where there is none. */
  read(id: string): Promise<T | null>
}

/** The checkpoint of an id, or of the only one that begins so; `checkpoint-` may be left out. NOT_FOUND, CONFIG_INVALID where several begin so. */
export async function checkpointById<T>(given: string, { owner, all, read }: CheckpointIds<T>): Promise<T> {
  if (!/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,255}$/.test(given)) throw invalid('checkpoint', given, 'the id of a checkpoint, or its beginning')
  const exact = await read(given)
  if (exact !== null) return exact
  const found = (await all()).filter((id) => id.startsWith(given) || id.startsWith(`checkpoint-${given}`))
  const [only] = found
  if (found.length > 1) throw invalid('checkpoint', given, `more than that: ${found.length} checkpoints begin so`)
  const checkpoint = only === undefined ? null : await read(only)
  if (checkpoint === null) throw new WorkspaceError('NOT_FOUND', `${owner} has no checkpoint ${given}`)
  return checkpoint
}
