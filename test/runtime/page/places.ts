import { DiskWorkspaceStateStore, FolderFileSystem, IndexedDBFileSystem, OPFSFileSystem } from '../../../platforms/browser/index.ts'
import { IndexedDBStore } from '../../../platforms/browser/indexeddb-store.ts'
import { OPFSStore } from '../../../platforms/browser/opfs-store.ts'
import type { Places, StatePlace } from '../places.ts'

/** What a page and a worker of one have. */
export const pagePlaces: Places = {
  state: { indexeddb: indexedDBPlace, OPFS: opfsPlace },
  files: {
    indexeddb: () => new IndexedDBFileSystem({ root: `case ${crypto.randomUUID()}` }),
    OPFS: () => new OPFSFileSystem({ root: `cases/${crypto.randomUUID()}` }),
    // A test can't answer a picker; its handles are of the same kind.
    'user folder': async () => {
      const root = await navigator.storage.getDirectory()
      return new FolderFileSystem({ handle: await root.getDirectoryHandle(`case ${crypto.randomUUID()}`, { create: true }) })
    },
  },
}

function indexedDBPlace(): StatePlace {
  const root = `case ${crypto.randomUUID()}`
  return { store: () => new IndexedDBStore(root), state: () => new DiskWorkspaceStateStore({ root }) }
}

function opfsPlace(): StatePlace {
  const root = `case ${crypto.randomUUID()}/state`
  return { store: () => new OPFSStore(root), state: () => new DiskWorkspaceStateStore({ root, backend: 'opfs' }) }
}
