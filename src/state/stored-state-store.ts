import type { Store } from '../store/store.ts'
import type { HistoryLog } from './history.ts'
import { decodeId, encodeId } from './id.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides, overridesFrom, watchOverrides } from './state-store-overrides.ts'
import { StoredHistoryLog } from './stored-history-log.ts'
import { StoredSessionTable } from './stored-sessions.ts'

/** Keeps the state in a store of bytes. The public classes over it are constructors that choose the bytes' store. */
export class StoredStateStore implements WorkspaceStateStore {
  readonly #store: Store
  readonly #overrides: StateStoreOverrides
  readonly #logs = new Map<string, StoredHistoryLog>()

  constructor(store: Store, overrides: StateStoreOverrides = {}) {
    this.#store = store
    this.#overrides = overridesFrom(overrides)
  }

  sessions(workspaceId: string): SessionTable {
    if (this.#overrides.workspace !== undefined) return this.#overrides.workspace.sessions(workspaceId)
    return new StoredSessionTable(this.#store, workspaceId, this.#store.capabilities.append ? this.#log(workspaceId) : null)
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? this.#log(workspaceId)
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    const stopOverrides = watchOverrides(this.#overrides, workspaceId, changed)
    const stopStore = this.#store.watch((key) => {
      const change = changeOf(key, workspaceId)
      if (change !== null) changed(change)
    })
    return () => {
      stopOverrides()
      stopStore()
    }
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

/** What the keys of {@link StoredSessionTable} and {@link StoredHistoryLog} say; null for a key that isn't the workspace's. */
function changeOf(key: string, workspaceId: string): StateChange | null {
  const folder = `workspaces/${encodeId(workspaceId)}/`
  if (!key.startsWith(folder)) return null
  const [, part, name] = /^(sessions|history)\/([^/]+)/.exec(key.slice(folder.length)) ?? []
  if (name === undefined) return { group: 'workspace', session: null }
  if (part === 'history') return { group: 'observer', session: decodeId(name) }
  return { group: 'workspace', session: decodeId(name.replace(/\.json$/, '')) }
}
