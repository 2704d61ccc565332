import { DiskWorkspaceStateStore, FolderFileSystem, IndexedDBFileSystem, OPFSFileSystem } from '../../../platforms/browser/index.ts'
import { IndexedDBStore } from '../../../platforms/browser/indexed-db-store.ts'
import { OPFSStore } from '../../../platforms/browser/opfs-store.ts'
import type { Column, Places, StatePlace } from '../places.ts'
import { serverPlaces } from '../server-places.ts'
import { droppedFolder } from './dropped-folder.ts'

/** What a page and a worker of one have. */
export function pagePlaces({ servers }: Column): Places {
  const remote = serverPlaces(servers)
  return {
    state: { ...remote.state, indexeddb: indexedDBPlace, OPFS: opfsPlace },
    files: {
      ...remote.files,
      indexeddb: () => new IndexedDBFileSystem({ root: `case ${crypto.randomUUID()}` }),
      OPFS: () => new OPFSFileSystem({ root: `cases/${crypto.randomUUID()}` }),
      // Only Chromium gives handles of the user's folders; those of the browser's own show how the class gets on with the others.
      'user folder': async () => folderIn(await navigator.storage.getDirectory()),
      'dropped folder': async () => folderIn(await droppedFolder()),
    },
  }
}

async function folderIn(folder: FileSystemDirectoryHandle): Promise<FolderFileSystem> {
  return new FolderFileSystem({ handle: await folder.getDirectoryHandle(`case ${crypto.randomUUID()}`, { create: true }) })
}

function indexedDBPlace(): StatePlace {
  const root = `case ${crypto.randomUUID()}`
  return { store: () => new IndexedDBStore(root), state: () => new DiskWorkspaceStateStore({ root }) }
}

function opfsPlace(): StatePlace {
  const root = `case ${crypto.randomUUID()}/state`
  return { store: () => new OPFSStore(root), state: () => new DiskWorkspaceStateStore({ root, backend: 'opfs' }) }
}
