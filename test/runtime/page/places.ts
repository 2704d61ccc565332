import { DiskWorkspaceStateStore, IndexedDBFileSystem } from '../../../platforms/browser/index.ts'
import { IndexedDBStore } from '../../../platforms/browser/indexeddb-store.ts'
import type { Places, StatePlace } from '../places.ts'

/** What a page and a worker of one have. */
export const pagePlaces: Places = {
  state: { indexeddb: indexedDBPlace },
  files: { indexeddb: () => new IndexedDBFileSystem({ root: `case ${crypto.randomUUID()}` }) },
}

function indexedDBPlace(): StatePlace {
  const root = `case ${crypto.randomUUID()}`
  return { store: () => new IndexedDBStore(root), state: () => new DiskWorkspaceStateStore({ root }) }
}
