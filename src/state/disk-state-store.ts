import type { MaybePromise } from '../host.ts'
import type { Store } from '../store/store.ts'
import type { HistoryLog } from './history.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides, overridesFrom, stateStoreUnavailable, watchOverrides } from './state-store-overrides.ts'
import type { StoredStateOptions } from './stored-state-store.ts'

/** Where the state is kept on disk. */
export interface DiskStateStoreOptions extends StoredStateOptions {
  /**
   * On Node, Deno and Bun the folder of the state; `~/.mirage/state` when left out, and a leading `~` stands for the user's home. In a browser
   * the name of the database or folder in the origin's storage; `mirage/state` when left out.
   */
  readonly root?: string
  /**
   * In a browser, what keeps the state: an IndexedDB database (when left out) or the origin private file system. Elsewhere there is no choice,
   * and naming one fails with CAPABILITY_UNSUPPORTED.
   */
  readonly backend?: 'indexeddb' | 'opfs'
}

export const DISK_OPTION_NAMES: readonly string[] = ['root', 'backend', 'encryption']

/**
 * For runtimes without a disk: using a group that isn't overridden fails with CAPABILITY_UNSUPPORTED. Node, Deno and Bun have a class of
 * this name that keeps the state in files, browsers one that keeps it in the storage of the page's origin.
 */
export class DiskWorkspaceStateStore implements WorkspaceStateStore {
  readonly #overrides: StateStoreOverrides

  constructor(options: DiskStateStoreOptions = {}) {
    this.#overrides = overridesFrom(options, 'DiskWorkspaceStateStore', DISK_OPTION_NAMES)
  }

  sessions(workspaceId: string): SessionTable {
    return this.#overrides.workspace?.sessions(workspaceId) ?? stateStoreUnavailable('DiskWorkspaceStateStore', NO_DISK)
  }

  objects(workspaceId: string): MaybePromise<Store> {
    return this.#overrides.workspace?.objects?.(workspaceId) ?? stateStoreUnavailable('DiskWorkspaceStateStore', NO_DISK)
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? stateStoreUnavailable('DiskWorkspaceStateStore', NO_DISK)
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    return watchOverrides(this.#overrides, workspaceId, changed)
  }

  close(): Promise<void> {
    return closeOverrides(this.#overrides)
  }
}

const NO_DISK =
  'this runtime has neither files nor IndexedDB; use DurableObjectWorkspaceStateStore(ctx.storage) in a Durable Object, or RAMWorkspaceStateStore, which keeps nothing'
