import { DurableObjectStore } from '../store/durable-object.ts'
import type { DurableObjectStorage } from '../store/durable-object-storage.ts'
import { overridesFrom } from './state-store-overrides.ts'
import type { StoredStateOptions } from './stored-state-store.ts'
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
export class DurableObjectWorkspaceStateStore extends StoredStateStore {
  /** Touches nothing yet. CONFIG_INVALID for an unknown option. */
  constructor(storage: DurableObjectStorage, options: StoredStateOptions = {}) {
    overridesFrom(options, 'DurableObjectWorkspaceStateStore', ['encryption'])
    super(new DurableObjectStore(storage), options)
  }
}
