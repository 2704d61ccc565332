import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import { join } from '../fs/path.ts'
import { fromBase64, toBase64 } from '../shell/machine/base64.ts'
import type { Store } from '../store/store.ts'
import { digestOf } from './digest.ts'

/** Trees of files by their content. */
export class ContentStore {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Keeps what a file system holds: the id of the tree. */
  async save(fs: FileSystem): Promise<string> {
    const entries: TreeEntry[] = []
    const waiting = ['/']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const { mode, mtimeMs } = await fs.lstat(path)
      entries.push({ path, type: 'directory', mode, mtimeMs })
      for (const { name, type } of await fs.readdir(path)) {
        const at = join(path, name)
        if (type === 'directory') {
          waiting.push(at)
          continue
        }
        const stat = await fs.lstat(at)
        if (type === 'symlink') entries.push({ path: at, type, mode: stat.mode, mtimeMs: stat.mtimeMs, target: await fs.readlink(at) })
        else if (type === 'file')
          entries.push({ path: at, type, mode: stat.mode, mtimeMs: stat.mtimeMs, content: toBase64(await fs.read(at)) })
      }
    }
    entries.sort((a, b) => (a.path < b.path ? -1 : 1))
    const bytes = encode(JSON.stringify(entries))
    const id = digestOf(bytes)
    await this.#store.put(id, bytes)
    return id
  }

  /** A file system of its own with what the tree holds. NOT_FOUND where there is no such tree. */
  async open(id: string): Promise<RAMFileSystem> {
    const stored = await this.#store.get(id)
    if (stored === null || stored === 'same') throw new WorkspaceError('NOT_FOUND', `there is no tree ${id}`)
    const fs = new RAMFileSystem()
    const entries = JSON.parse(decode(stored.bytes)) as readonly TreeEntry[]
    for (const entry of entries) {
      if (entry.type === 'directory' && entry.path !== '/') fs.mkdir(entry.path)
      else if (entry.type === 'symlink') fs.symlink(entry.target, entry.path)
      else if (entry.type === 'file') fs.write(entry.path, fromBase64(entry.content))
    }
    for (const { path, type, mode, mtimeMs } of entries) if (type !== 'symlink') fs.setattr(path, { mode, mtimeMs })
    return fs
  }
}

type TreeEntry = { readonly path: string; readonly mode: number; readonly mtimeMs: number } & (
  | { readonly type: 'directory' }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'file'; readonly content: string }
)
