import { WorkspaceError } from '../errors.ts'
import { checkNames } from '../option-checks.ts'
import type { StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'

/** Stores that say of themselves that they keep nothing but sessions; others keep every group. */
const sessionsOnly = new WeakSet<WorkspaceStateStore>()

/** Notes that a store can't be given for `observer` and `namespace`. */
export function keepsSessionsOnly(store: WorkspaceStateStore): void {
  sessionsOnly.add(store)
}

/**
 * The overrides among the options of the store `where`, which has those of the names `own` besides. CONFIG_INVALID for others,
 * CAPABILITY_UNSUPPORTED where a store is given for a group it can't keep.
 */
export function overridesFrom(options: StateStoreOverrides, where?: string, own: readonly string[] = []): StateStoreOverrides {
  if (where !== undefined) checkNames(options, [...own, 'workspace', 'observer', 'namespace'], where)
  const { workspace, observer, namespace } = options
  refuse(observer, 'observer', 'history is appended to, and a bucket cannot append')
  refuse(namespace, 'namespace', 'it changes with every file operation')
  return { ...(workspace && { workspace }), ...(observer && { observer }), ...(namespace && { namespace }) }
}

/** Watches each of the overrides; the function that is given back ends it. */
export function watchOverrides(overrides: StateStoreOverrides, workspaceId: string, changed: (change: StateChange) => void): () => void {
  const stops = Array.from(distinct(overrides), (store) => store.watch(workspaceId, changed))
  return () => {
    for (const stop of stops) stop()
  }
}

/** Closes each of the overrides once; all are tried, the first failure is thrown. */
export async function closeOverrides(overrides: StateStoreOverrides): Promise<void> {
  const outcomes = await Promise.allSettled(Array.from(distinct(overrides), (store) => store.close()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** Fails for a store that the runtime can't have. */
export function stateStoreUnavailable(name: string, why: string): never {
  throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `${name}: ${why}`)
}

function distinct(overrides: StateStoreOverrides): ReadonlySet<WorkspaceStateStore> {
  return new Set(Object.values(overrides) as WorkspaceStateStore[])
}

function refuse(store: WorkspaceStateStore | undefined, group: string, why: string): void {
  if (store === undefined || !sessionsOnly.has(store)) return
  throw new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    `cannot keep the group "${group}" in S3 (${why}): S3WorkspaceStateStore takes the group "workspace" only; keep "${group}" in RAM, on disk or on Redis`,
  )
}
