import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import type { StoreEncryption } from '../store/encryption.ts'
import { PrefixedStore } from '../store/prefixed-store.ts'
import { SealedStore } from '../store/sealed-store.ts'
import type { Store } from '../store/store.ts'
import type { HistoryLog } from './history.ts'
import { decodeId, encodeId } from './id.ts'
import type { SessionTable, StateChange, StateStoreOverrides, WorkspaceStateStore } from './state-store.ts'
import { closeOverrides, overridesFrom, watchOverrides } from './state-store-overrides.ts'
import { StoredHistoryLog } from './stored-history-log.ts'
import { StoredSessionTable } from './stored-sessions.ts'

/** What every store that keeps the state in bytes can be given. */
export interface StoredStateOptions extends StateStoreOverrides {
  /** Encrypts every value before it leaves this instance; instances that share a store need the same. Nothing is encrypted when left out. */
  readonly encryption?: StoreEncryption
}

/** Keeps the state in a store of bytes. The public classes over it are constructors that choose the bytes' store. */
export class StoredStateStore implements WorkspaceStateStore {
  readonly #store: Store
  readonly #sealed: SealedStore | null
  readonly #overrides: StateStoreOverrides
  readonly #logs = new Map<string, StoredHistoryLog>()

  constructor(store: Store, { encryption, ...overrides }: StoredStateOptions = {}) {
    this.#sealed = encryption === undefined ? null : new SealedStore(store, encryption)
    this.#store = this.#sealed ?? store
    this.#overrides = overridesFrom(overrides)
  }

  sessions(workspaceId: string): SessionTable {
    if (this.#overrides.workspace !== undefined) return this.#overrides.workspace.sessions(workspaceId)
    return new StoredSessionTable(this.#store, workspaceId, this.#store.capabilities.append ? this.#log(workspaceId) : null)
  }

  objects(workspaceId: string): MaybePromise<Store> {
    return (
      this.#overrides.workspace?.objects?.(workspaceId) ?? new PrefixedStore(this.#store, `workspaces/${encodeId(workspaceId)}/objects/`)
    )
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

  /**
   * Encrypts with the current key what this store has of a workspace and is encrypted with another one, or, where `plaintext` is `accept`, not at
   * all; gives the number of values that were. Sessions may be in use meanwhile. CAPABILITY_UNSUPPORTED for a store without encryption.
   */
  async reseal(workspaceId: string): Promise<number> {
    const sealed = this.#sealed
    if (sealed === null) throw new WorkspaceError('CAPABILITY_UNSUPPORTED', 'cannot encrypt the state: the store was given no encryption')
    let count = 0
    for (const key of await sealed.list(`workspaces/${encodeId(workspaceId)}/`)) {
      const lease = await sealed.lease(turnKey(key))
      try {
        if (await sealed.reseal(key, lease)) count += 1
      } finally {
        lease.end()
      }
    }
    return count
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

/** Whoever writes a value of a session, its history too, has the turn of the session. */
function turnKey(key: string): string {
  return key.replace(/\/history\/([^/]+)\/[^/]+$/, '/sessions/$1.json')
}

/** What the keys of {@link StoredSessionTable} and {@link StoredHistoryLog} say; null for a key that isn't the workspace's. */
function changeOf(key: string, workspaceId: string): StateChange | null {
  const folder = `workspaces/${encodeId(workspaceId)}/`
  if (!key.startsWith(folder)) return null
  if (key.startsWith(`${folder}objects/`)) return null
  const [, part, name] = /^(sessions|history)\/([^/]+)/.exec(key.slice(folder.length)) ?? []
  if (name === undefined) return { group: 'workspace', session: null }
  if (part === 'history') return { group: 'observer', session: decodeId(name) }
  return { group: 'workspace', session: decodeId(name.replace(/\.json$/, '')) }
}
