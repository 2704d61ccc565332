import type { HistoryLog } from './history.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides, keepsSessionsOnly, overridesFrom, stateStoreUnavailable, watchOverrides } from './state-store-overrides.ts'

/** Where the state is kept in a bucket, and how the bucket is reached. */
export interface S3StateStoreOptions extends StateStoreOverrides {
  readonly bucket: string
  readonly region?: string
  /** Of an S3-compatible server; Amazon's when left out. */
  readonly endpointUrl?: string
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
  readonly sessionToken?: string
  /** The bucket goes into the path, not into the host name. */
  readonly pathStyle?: boolean
  /** Seconds a request may take. */
  readonly timeout?: number
  /** Begins every key; `mirage/` when left out. */
  readonly keyPrefix?: string
}

/**
 * State in a bucket comes with a later version: using it fails with CAPABILITY_UNSUPPORTED. It will keep sessions only, so giving it as
 * `observer` or `namespace` of another store fails at once.
 */
export class S3WorkspaceStateStore implements WorkspaceStateStore {
  readonly #overrides: StateStoreOverrides

  constructor(options: S3StateStoreOptions) {
    this.#overrides = overridesFrom(options)
    if (this.#overrides.observer === undefined) keepsSessionsOnly(this)
  }

  sessions(workspaceId: string): SessionTable {
    return this.#overrides.workspace?.sessions(workspaceId) ?? stateStoreUnavailable('S3WorkspaceStateStore', LATER)
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? stateStoreUnavailable('S3WorkspaceStateStore', NO_HISTORY)
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    return watchOverrides(this.#overrides, workspaceId, changed)
  }

  close(): Promise<void> {
    return closeOverrides(this.#overrides)
  }
}

const LATER = 'state in a bucket comes with a later version; use DiskWorkspaceStateStore or RAMWorkspaceStateStore now'
const NO_HISTORY =
  'a bucket cannot append, so it keeps no history; give the store as the group "workspace" of another, or another as "observer"'
