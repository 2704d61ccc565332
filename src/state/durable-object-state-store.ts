import { DurableObjectStore } from '../store/durable-object.ts'
import type { DurableObjectStorage } from '../store/durable-object-storage.ts'
import type { HistoryLog } from './history.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { overridesFrom } from './state-store-overrides.ts'
import { StoredStateStore } from './stored-state-store.ts'

/**
 * Keeps the state in the SQLite storage of a Durable Object, in the tables `mirage_values` and `mirage_parts`. What is answered is durable.
 *
 * ```ts
 * const store = new DurableObjectWorkspaceStateStore(ctx.storage)
 * const ws = new Workspace({}, { workspaceId: 'agent', store, ownsStore: true })
 * ```
 *
 * Using it fails with CAPABILITY_UNSUPPORTED in a class that isn't declared under `new_sqlite_classes`.
 */
export class DurableObjectWorkspaceStateStore implements WorkspaceStateStore {
  readonly #state: StoredStateStore

  /** Touches nothing yet. */
  constructor(storage: DurableObjectStorage, overrides: StateStoreOverrides = {}) {
    this.#state = new StoredStateStore(new DurableObjectStore(storage), overridesFrom(overrides))
  }

  sessions(workspaceId: string): SessionTable {
    return this.#state.sessions(workspaceId)
  }

  history(workspaceId: string): HistoryLog {
    return this.#state.history(workspaceId)
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    return this.#state.watch(workspaceId, changed)
  }

  close(): Promise<void> {
    return this.#state.close()
  }
}
