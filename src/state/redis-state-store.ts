import type { HistoryLog } from './history.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides, overridesFrom, stateStoreUnavailable, watchOverrides } from './state-store-overrides.ts'

/** Where the state is kept on Redis. */
export interface RedisStateStoreOptions extends StateStoreOverrides {
  /** `redis://localhost:6379/0` when left out. */
  readonly url?: string
  /** Begins every key; `mirage:` when left out. */
  readonly keyPrefix?: string
}

/** State on Redis comes with a later version: using a group that isn't overridden fails with CAPABILITY_UNSUPPORTED. */
export class RedisWorkspaceStateStore implements WorkspaceStateStore {
  readonly #overrides: StateStoreOverrides

  constructor(options: RedisStateStoreOptions = {}) {
    this.#overrides = overridesFrom(options)
  }

  sessions(workspaceId: string): SessionTable {
    return this.#overrides.workspace?.sessions(workspaceId) ?? stateStoreUnavailable('RedisWorkspaceStateStore', LATER)
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? stateStoreUnavailable('RedisWorkspaceStateStore', LATER)
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    return watchOverrides(this.#overrides, workspaceId, changed)
  }

  close(): Promise<void> {
    return closeOverrides(this.#overrides)
  }
}

const LATER = 'state on Redis comes with a later version; use DiskWorkspaceStateStore or RAMWorkspaceStateStore now'
