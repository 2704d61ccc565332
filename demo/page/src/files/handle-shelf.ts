import type { FolderHandle } from 'mirage-runtime'

const DATABASE = 'mirage-page-folders'
const STORE = 'handles'

/** Keeps the handles of folders for the next visit, by the path they are mounted at. Where the browser keeps nothing, it is empty. */
export interface HandleShelf {
  all(): Promise<ReadonlyMap<string, FolderHandle>>
  put(path: string, handle: FolderHandle): Promise<void>
  delete(path: string): Promise<void>
}

export function handleShelf(): HandleShelf {
  return {
    all: async () => {
      const found = new Map<string, FolderHandle>()
      // Opening a database makes it: where nothing was kept, none is made.
      const names = await indexedDB.databases().catch(() => [])
      if (!names.some(({ name }) => name === DATABASE)) return found
      await within('readonly', (store) => {
        store.openCursor().onsuccess = ({ target }) => {
          const { result: cursor } = target as IDBRequest<IDBCursorWithValue | null>
          if (cursor === null) return
          found.set(String(cursor.key), cursor.value as FolderHandle)
          cursor.continue()
        }
      })
      return found
    },
    put: (path, handle) => within('readwrite', (store) => store.put(handle, path)),
    delete: (path) => within('readwrite', (store) => store.delete(path)),
  }
}

function within(mode: IDBTransactionMode, use: (store: IDBObjectStore) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const database = opening.result
      const transaction = database.transaction(STORE, mode)
      transaction.oncomplete = () => {
        database.close()
        resolve()
      }
      transaction.onabort = () => {
        database.close()
        reject(transaction.error)
      }
      use(transaction.objectStore(STORE))
    }
  })
}
