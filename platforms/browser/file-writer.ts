import { FileSystemError, WorkspaceError } from '../../src/errors.ts'
import { isWithin } from '../../src/fs/path.ts'
import type { FileHandle, SyncFile } from './file-handles.ts'
import { whenFree } from './handle-error.ts'
import { takeWebLock } from './web-lock.ts'

/** A change of a part of a file. */
export type FileEdit =
  | { readonly kind: 'write'; readonly at: number | 'end'; readonly data: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number }

/** A file that stays open for a moment, since the next change is often one of the same file and opening costs a hundred times what writing does. */
interface OpenFile {
  readonly file: SyncFile
  readonly unlock: () => void
  readonly since: number
  usedAt: number
}

/**
 * Changes contents. Writers of one file take turns by a Web Lock, so that no tab takes an old content for the one it adds to.
 *
 * Where files can be opened for synchronous access (in workers, and not in every browser) a part is changed in place; else the browser
 * copies the file, changes the copy and puts it in the file's stead.
 */
export class FileWriter {
  readonly #lockPrefix: string
  readonly #open = new Map<string, OpenFile>()
  readonly #opening = new Map<string, Promise<unknown>>()
  readonly #findOut: () => Promise<boolean>
  #hasSyncFiles = false

  /** `lockPrefix` names the folder among all that this origin has; `findOut` tells whether its files can be opened for synchronous access. */
  constructor(lockPrefix: string, findOut: () => Promise<boolean>) {
    this.#lockPrefix = lockPrefix
    this.#findOut = findOut
  }

  /** Must have ended before anything else begins. */
  async prepare(): Promise<void> {
    this.#hasSyncFiles = await this.#findOut()
  }

  /** A part of a file is changed in place. */
  get changesInPlace(): boolean {
    return this.#hasSyncFiles
  }

  /** The open file at the path: more exact than what is seen from outside. */
  openFile(path: string): SyncFile | undefined {
    return this.#open.get(path)?.file
  }

  /** Runs `work` while nobody else changes the file. */
  async alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    this.release(path)
    const unlock = await takeWebLock(this.#lockPrefix + path, path)
    try {
      return await work()
    } finally {
      unlock()
    }
  }

  /** The file holds exactly `data` afterwards, at once where the browser can; to be called within `alone`. */
  async replace(path: string, handle: FileHandle, data: Uint8Array | Blob): Promise<void> {
    const size = data instanceof Blob ? data.size : data.length
    if (size === 0 && (await handle.getFile()).size === 0) return
    if (handle.createWritable !== undefined) {
      // The types forbid shared memory here; copying what is not shared would double what a large file takes.
      return this.#stream(path, handle, false, (stream) => stream.write(data as Uint8Array<ArrayBuffer> | Blob))
    }
    const file = await this.#openSync(path, handle)
    if (file === null)
      throw new WorkspaceError(
        'CAPABILITY_UNSUPPORTED',
        `cannot write '${path}': this browser lets pages only read these files; use a worker, or IndexedDBFileSystem`,
      )
    try {
      file.truncate(0)
      writeAll(path, file, data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data, 0)
    } finally {
      file.close()
    }
  }

  /** Changes a part of the file that `find` gives. */
  async edit(path: string, find: () => Promise<FileHandle>, edit: FileEdit): Promise<void> {
    for (let other = this.#opening.get(path); other !== undefined; other = this.#opening.get(path)) await other
    const open = this.#open.get(path)
    if (open !== undefined && performance.now() - open.since < LONGEST_OPEN) {
      open.usedAt = performance.now()
      return editSync(path, open.file, edit)
    }
    this.release(path)
    const work = this.#editAnew(path, find, edit)
    this.#opening.set(
      path,
      work.catch(() => undefined),
    )
    try {
      await work
    } finally {
      this.#opening.delete(path)
    }
  }

  /** Closes the file at the path, so that it can be removed, moved or replaced. */
  release(path: string): void {
    const open = this.#open.get(path)
    if (open === undefined) return
    this.#open.delete(path)
    open.file.close()
    open.unlock()
  }

  /** Closes all files at the path and below. */
  releaseWithin(path: string): void {
    for (const open of this.#open.keys()) if (isWithin(open, path)) this.release(open)
  }

  async #editAnew(path: string, find: () => Promise<FileHandle>, edit: FileEdit): Promise<void> {
    const unlock = await takeWebLock(this.#lockPrefix + path, path)
    let isKept = false
    try {
      const handle = await find()
      if (edit.kind === 'write' && edit.data.length === 0) return
      const file = await this.#openSync(path, handle)
      if (file === null) return await this.#editStream(path, handle, edit)
      try {
        editSync(path, file, edit)
      } catch (error) {
        file.close()
        throw error
      }
      this.#keep(path, file, unlock)
      isKept = true
    } finally {
      if (!isKept) unlock()
    }
  }

  #keep(path: string, file: SyncFile, unlock: () => void): void {
    const now = performance.now()
    const open: OpenFile = { file, unlock, since: now, usedAt: now }
    this.#open.set(path, open)
    const look = (): void => {
      if (this.#open.get(path) !== open) return
      const idle = performance.now() - open.usedAt
      if (idle >= LONGEST_IDLE) this.release(path)
      else setTimeout(look, LONGEST_IDLE - idle)
    }
    setTimeout(look, LONGEST_IDLE)
  }

  /** Null where files can't be opened so. */
  async #openSync(path: string, handle: FileHandle): Promise<SyncFile | null> {
    const open = handle.createSyncAccessHandle?.bind(handle)
    return this.#hasSyncFiles && open !== undefined ? whenFree(path, open) : null
  }

  async #editStream(path: string, handle: FileHandle, edit: FileEdit): Promise<void> {
    if (edit.kind === 'truncate') return this.#stream(path, handle, true, (stream) => stream.truncate(edit.size))
    const position = edit.at === 'end' ? (await handle.getFile()).size : edit.at
    const data = edit.data as Uint8Array<ArrayBuffer>
    return this.#stream(path, handle, true, (stream) => stream.write({ type: 'write', position, data }))
  }

  /** What is written takes the file's place when all of it is there. */
  async #stream(
    path: string,
    handle: FileHandle,
    keepExistingData: boolean,
    write: (stream: FileSystemWritableFileStream) => Promise<void>,
  ): Promise<void> {
    const open = handle.createWritable?.bind(handle)
    if (open === undefined) throw new FileSystemError('ENOTSUP', path)
    const stream = await whenFree(path, () => open({ keepExistingData, mode: 'exclusive' }))
    try {
      await write(stream)
      await stream.close()
    } catch (error) {
      // What went wrong first is what is told.
      await stream.abort().catch(() => undefined)
      throw error
    }
  }
}

/** Milliseconds that a file stays open after the last change. */
const LONGEST_IDLE = 20
/** Milliseconds after which a file that is changed all the time is closed, so that others get their turn. */
const LONGEST_OPEN = 200

function editSync(path: string, file: SyncFile, edit: FileEdit): void {
  if (edit.kind === 'truncate') file.truncate(edit.size)
  else if (edit.data.length > 0) writeAll(path, file, edit.data, edit.at === 'end' ? file.getSize() : edit.at)
}

function writeAll(path: string, file: SyncFile, data: Uint8Array, at: number): void {
  for (let done = 0; done < data.length; ) {
    const written = file.write(done === 0 ? data : data.subarray(done), { at: at + done })
    if (written === 0) throw new FileSystemError('ENOSPC', path)
    done += written
  }
}
