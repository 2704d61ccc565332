import type { HistoryLog } from './history.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides, overridesFrom, stateStoreUnavailable, watchOverrides } from './state-store-overrides.ts'

/** Where the state is kept on disk. */
export interface DiskStateStoreOptions extends StateStoreOverrides {
  /** The folder of the state; `~/.mirage/state` when left out. A leading `~` stands for the user's home. */
  readonly root?: string
}

/**
 * For runtimes without files: using a group that isn't overridden fails with CAPABILITY_UNSUPPORTED. Node, Deno and Bun have a class of
 * this name that keeps the state in files.
 */
export class DiskWorkspaceStateStore implements WorkspaceStateStore {
  readonly #overrides: StateStoreOverrides

  constructor(options: DiskStateStoreOptions = {}) {
    this.#overrides = overridesFrom(options)
  }

  sessions(workspaceId: string): SessionTable {
    return this.#overrides.workspace?.sessions(workspaceId) ?? stateStoreUnavailable('DiskWorkspaceStateStore', LATER)
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? stateStoreUnavailable('DiskWorkspaceStateStore', LATER)
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    return watchOverrides(this.#overrides, workspaceId, changed)
  }

  close(): Promise<void> {
    return closeOverrides(this.#overrides)
  }
}

const LATER = 'state on the disk of this runtime comes with a later version; use RAMWorkspaceStateStore now'
