import type { Store } from '../store/store.ts'
import type { HistoryLog } from './history.ts'
import type { SessionTable, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides } from './state-store-overrides.ts'
import { StoredHistoryLog } from './stored-history-log.ts'
import { StoredSessionTable } from './stored-sessions.ts'

/** Keeps the state in a store of bytes. */
export class StoredStateStore implements WorkspaceStateStore {
  readonly #store: Store
  readonly #overrides: StateStoreOverrides
  readonly #logs = new Map<string, StoredHistoryLog>()

  constructor(store: Store, overrides: StateStoreOverrides = {}) {
    this.#store = store
    this.#overrides = overrides
  }

  sessions(workspaceId: string): SessionTable {
    if (this.#overrides.workspace !== undefined) return this.#overrides.workspace.sessions(workspaceId)
    return new StoredSessionTable(this.#store, workspaceId, this.#store.capabilities.append ? this.#log(workspaceId) : null)
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? this.#log(workspaceId)
  }

  async close(): Promise<void> {
    try {
      await closeOverrides(this.#overrides)
    } finally {
      await this.#store.close()
    }
  }

  #log(workspaceId: string): StoredHistoryLog {
    let log = this.#logs.get(workspaceId)
    if (log === undefined) {
      log = new StoredHistoryLog(this.#store, workspaceId)
      this.#logs.set(workspaceId, log)
    }
    return log
  }
}
