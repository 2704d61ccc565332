import type { WorkspaceFactories } from '../../src/config/configured-workspace.ts'
import { webFactories, withoutType } from '../../src/config/configured-workspace.ts'
import { DiskWorkspaceStateStore } from './disk-state-store.ts'
import { IndexedDBFileSystem } from './indexed-db-file-system.ts'

/** Makes what a configuration names in a browser: what is on the disk lies in the storage of the page's origin, a mount in an IndexedDB database. */
export const browserFactories: WorkspaceFactories = {
  fileSystem: (config) => (config.vfs === 'disk' ? new IndexedDBFileSystem({ root: config.root }) : webFactories.fileSystem(config)),
  store: (config, overrides) =>
    config.type === 'disk' ? new DiskWorkspaceStateStore({ ...withoutType(config), ...overrides }) : webFactories.store(config, overrides),
}
