import { WorkspaceError } from '../../src/errors.ts'
import type { DiskStateStoreOptions } from '../../src/state/disk-state-store.ts'
import { DISK_OPTION_NAMES } from '../../src/state/disk-state-store.ts'
import { overridesFrom } from '../../src/state/state-store-overrides.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import type { Store } from '../../src/store/store.ts'
import { IndexedDBStore } from './indexed-db-store.ts'
import { OPFSStore } from './opfs-store.ts'

const DEFAULT_ROOT = 'mirage/state'

/**
 * Keeps the state in the browser's own storage for the page's origin, which pages and web workers share: in an IndexedDB database, or, with
 * `backend: 'opfs'`, in files of the origin private file system. Any number of pages and workers may share a root.
 */
export class DiskWorkspaceStateStore extends StoredStateStore {
  /** Touches nothing yet. CONFIG_INVALID for an unknown option, and for a backend that there is not. */
  constructor(options: DiskStateStoreOptions = {}) {
    overridesFrom(options, 'DiskWorkspaceStateStore', DISK_OPTION_NAMES)
    super(storeOf(options), options)
  }
}

function storeOf({ root = DEFAULT_ROOT, backend = 'indexeddb' }: DiskStateStoreOptions): Store {
  if (root === '')
    throw new WorkspaceError('CONFIG_INVALID', `root holds ''; it may hold the name of a database or folder, such as '${DEFAULT_ROOT}'`)
  switch (backend) {
    case 'indexeddb':
      return new IndexedDBStore(root)
    case 'opfs':
      return new OPFSStore(root)
    default:
      backend satisfies never
      throw new WorkspaceError('CONFIG_INVALID', `backend holds ${JSON.stringify(backend)}; it may hold 'indexeddb' or 'opfs'`)
  }
}
