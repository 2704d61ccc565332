import { WorkspaceError } from '../errors.ts'
import type { DenoKV } from '../store/deno-kv.ts'
import { DenoKVStore } from '../store/deno-kv-store.ts'
import { overridesFrom } from './state-store-overrides.ts'
import type { StoredStateOptions } from './stored-state-store.ts'
import { StoredStateStore } from './stored-state-store.ts'

/** Where the state is kept in Deno KV. */
export interface DenoKVStateStoreOptions extends StoredStateOptions {
  /** What `await Deno.openKv()` gave. It stays open when the store is closed. */
  readonly kv: DenoKV
  /** First part of every key; `mirage` when left out. */
  readonly prefix?: string
}

/**
 * Keeps the state in Deno KV, for any number of processes and isolates on one database. Deno has it where it is run with `--unstable-kv`.
 * `watch` hears of others as far as the database tells: of all on Deno Deploy, of its own process where the database is a file.
 *
 * ```ts
 * const kv = await Deno.openKv()
 * const ws = new Workspace({}, { workspaceId: 'agent', store: new DenoKVWorkspaceStateStore({ kv }), ownsStore: true })
 * ```
 */
export class DenoKVWorkspaceStateStore extends StoredStateStore {
  /** Touches nothing yet. CONFIG_INVALID for an unknown option, and where `kv` is no database. */
  constructor(options: DenoKVStateStoreOptions) {
    overridesFrom(options, 'DenoKVWorkspaceStateStore', ['kv', 'prefix', 'encryption'])
    const { kv, prefix } = options
    if (typeof kv?.atomic !== 'function') {
      throw new WorkspaceError(
        'CONFIG_INVALID',
        'kv is no Deno KV database: open one with "await Deno.openKv()" in "deno run --unstable-kv"',
      )
    }
    super(new DenoKVStore(kv, prefix === undefined ? {} : { prefix }), options)
  }
}
