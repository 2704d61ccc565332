import { FolderFileSystem } from '../../../platforms/browser/folder-file-system.ts'
import type { FolderMode } from '../../../src/without-browser.ts'
import { bytes, codeFrom, operations } from './operations.ts'

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })

/** The same, in a worker of the page. */
function inWorker(name: keyof typeof operations, ...args: readonly unknown[]): Promise<unknown> {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ name, args }, [port2])
  return new Promise((resolve, reject) => {
    port1.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value))
  })
}

/** What is dropped on the page. */
const dropped = new Promise<FileSystemDirectoryHandle>((resolve) => {
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    const item = event.dataTransfer?.items[0] as unknown as { getAsFileSystemHandle(): Promise<FileSystemDirectoryHandle> }
    resolve(item.getAsFileSystemHandle())
  })
})

/** What a folder is like that the user gave. */
async function look(handle: FileSystemDirectoryHandle, mode: FolderMode): Promise<Record<string, unknown>> {
  const fs = new FolderFileSystem({ handle, mode })
  const seen = {
    permission: await fs.permission(),
    readOnly: fs.capabilities.readOnly,
    names: (await fs.readdir('/')).map(({ name, type }) => `${name} ${type}`).sort(),
    text: new TextDecoder().decode(await fs.read('/a.txt')),
    write: await codeFrom(() => fs.write('/new.txt', bytes('from the page'))),
    append: await codeFrom(() => fs.append('/a.txt', bytes(' and more'))),
    mkdir: await codeFrom(() => fs.mkdir('/made')),
    rename: await codeFrom(() => fs.rename('/sub', '/moved')),
    unlink: await codeFrom(() => fs.unlink('/missing')),
  }
  await fs.sync()
  return seen
}

const handles = {
  ...operations,
  inWorker,
  /** Keeps a folder open to write as another program would, for a while. */
  occupy: (root: string, name: string): Promise<unknown> => occupy(root, name),
  free: (): void => void freeing?.(),
  lookAtDropped: async (mode: FolderMode): Promise<Record<string, unknown>> => look(await dropped, mode),
  keepDropped: async (): Promise<void> => keep(await dropped),
  /** Whether the folder that was kept may be used, and what becomes of using it. */
  useKept: async (): Promise<readonly string[]> => {
    const fs = new FolderFileSystem({ handle: await kept(), mode: 'readwrite' })
    const uses = [() => fs.readdir('/'), () => fs.read('/a.txt'), () => fs.write('/a.txt', bytes('lost'))]
    return [await fs.permission(), ...(await Promise.all(uses.map(codeFrom)))]
  },
  pick: (): Promise<string> => codeFrom(() => FolderFileSystem.pick()),
}

let freeing: (() => Promise<void>) | undefined

async function occupy(root: string, name: string): Promise<void> {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(root, { create: true })
  const handle = (await folder.getFileHandle(name, { create: true })) as unknown as {
    createWritable(options: { mode: 'exclusive' }): Promise<FileSystemWritableFileStream>
  }
  const stream = await handle.createWritable({ mode: 'exclusive' })
  freeing = () => stream.abort()
}

async function database(): Promise<IDBDatabase> {
  const request = indexedDB.open('folders', 1)
  request.onupgradeneeded = () => request.result.createObjectStore('folders')
  return done(request)
}

async function keep(handle: FileSystemDirectoryHandle): Promise<void> {
  const transaction = (await database()).transaction('folders', 'readwrite')
  transaction.objectStore('folders').put(handle, 'mine')
  // A page that is left before that takes it along.
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
}

async function kept(): Promise<FileSystemDirectoryHandle> {
  return done((await database()).transaction('folders').objectStore('folders').get('mine'))
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

declare global {
  interface Window {
    handles: typeof handles
  }
}
window.handles = handles
