import { WorkspaceError } from '../../src/errors.ts'
import { isWithin } from '../../src/fs/path.ts'
import type { FileHandle, SyncFile } from './file-handles.ts'
import { handleError, whenFree } from './handle-error.ts'
import { type FileEdit, type OpenFile, openCopy, openInPlace, writeAll } from './open-file.ts'
import { takeWebLock } from './web-lock.ts'

/** A file that stays open for a moment, since the next change is often one of the same file and opening costs a hundred times what writing does. */
interface KeptFile {
  readonly file: OpenFile
  readonly unlock: () => void
  readonly since: number
  usedAt: number
  changes: number
}

/**
 * Changes contents. Writers of one file take turns by a Web Lock, so that no tab takes an old content for the one it adds to.
 *
 * Where files can be opened for synchronous access (in workers, and not in every browser) a part is changed in place; else the browser
 * copies the file, changes the copy and puts it in the file's stead when it is closed: a moment later, or when `sync` is waited for.
 */
export class FileWriter {
  readonly #lockPrefix: string
  readonly #kept = new Map<string, KeptFile>()
  readonly #opening = new Map<string, Promise<unknown>>()
  readonly #closing = new Map<string, Promise<void>>()
  /** What closing failed with while nobody waited for it. */
  readonly #failures = new Map<string, unknown>()
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

  /** The open file at the path: what others see of it may be old. */
  async openFile(path: string): Promise<OpenFile | undefined> {
    await this.#closing.get(path)
    return this.#kept.get(path)?.file
  }

  /** Runs `work` while nobody else changes the file. */
  async alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    await this.release(path)
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
      const stream = await openStream(path, handle, false)
      try {
        // The types forbid shared memory here; copying what is not shared would double what a large file takes.
        await stream.write(data as Uint8Array<ArrayBuffer> | Blob)
        return await stream.close()
      } catch (error) {
        // What went wrong first is what is told.
        await stream.abort().catch(() => undefined)
        throw error
      }
    }
    const file = await this.#openSync(path, handle)
    if (file === null) throw readsOnly(path)
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
    const kept = this.#kept.get(path)
    if (kept !== undefined && performance.now() - kept.since < LONGEST_OPEN) {
      kept.usedAt = performance.now()
      if (edit.kind === 'truncate' || edit.data.length > 0) await this.#change(path, kept, edit)
      return
    }
    await this.release(path)
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

  /** Closes the file at the path, so that it can be read, removed, moved or replaced. Fails where what it was changed to can't be kept. */
  async release(path: string): Promise<void> {
    await this.#close(path)
    if (!this.#failures.has(path)) return
    const failure = this.#failures.get(path)
    this.#failures.delete(path)
    throw failure
  }

  /** Closes all files at the path and below. */
  async releaseWithin(path: string): Promise<void> {
    const paths = [...this.#kept.keys(), ...this.#closing.keys(), ...this.#failures.keys()]
    for (const open of paths) if (isWithin(open, path)) await this.release(open)
  }

  /** Waits until all changes are where they last. */
  async sync(): Promise<void> {
    for (const [path, { file }] of [...this.#kept]) if (file.abort !== null) await this.release(path)
    for (const path of [...this.#closing.keys(), ...this.#failures.keys()]) await this.release(path)
  }

  async #change(path: string, kept: KeptFile, edit: FileEdit): Promise<void> {
    try {
      await kept.file.edit(edit)
      kept.changes += 1
    } catch (error) {
      if (kept.file.abort !== null && this.#kept.get(path) === kept) {
        this.#kept.delete(path)
        // The changes before this one are gone, too, which whoever waits for them is told.
        if (kept.changes > 0) this.#failures.set(path, handleError(error, path))
        await kept.file.abort().catch(() => undefined)
        kept.unlock()
      }
      throw error
    }
  }

  #close(path: string): Promise<void> {
    const kept = this.#kept.get(path)
    if (kept === undefined) return this.#closing.get(path) ?? Promise.resolve()
    this.#kept.delete(path)
    const closing = this.#finish(path, kept)
    this.#closing.set(path, closing)
    return closing
  }

  async #finish(path: string, { file, unlock }: KeptFile): Promise<void> {
    try {
      await file.close()
    } catch (error) {
      this.#failures.set(path, handleError(error, path))
    } finally {
      this.#closing.delete(path)
      unlock()
    }
  }

  async #editAnew(path: string, find: () => Promise<FileHandle>, edit: FileEdit): Promise<void> {
    const unlock = await takeWebLock(this.#lockPrefix + path, path)
    let isKept = false
    try {
      const handle = await find()
      if (edit.kind === 'write' && edit.data.length === 0) return
      const file = await this.#openFile(path, handle)
      const kept = this.#keep(path, file, unlock)
      isKept = true
      await this.#change(path, kept, edit)
    } finally {
      if (!isKept) unlock()
    }
  }

  async #openFile(path: string, handle: FileHandle): Promise<OpenFile> {
    const file = await this.#openSync(path, handle)
    if (file !== null) return openInPlace(path, file)
    const stream = await openStream(path, handle, true)
    return openCopy(stream, (await handle.getFile()).size)
  }

  #keep(path: string, file: OpenFile, unlock: () => void): KeptFile {
    const now = performance.now()
    const kept: KeptFile = { file, unlock, since: now, usedAt: now, changes: 0 }
    this.#kept.set(path, kept)
    const look = (): void => {
      if (this.#kept.get(path) !== kept) return
      const idle = performance.now() - kept.usedAt
      if (idle >= LONGEST_IDLE) void this.#close(path)
      else setTimeout(look, LONGEST_IDLE - idle)
    }
    setTimeout(look, LONGEST_IDLE)
    return kept
  }

  /** Null where files can't be opened so. */
  async #openSync(path: string, handle: FileHandle): Promise<SyncFile | null> {
    const open = handle.createSyncAccessHandle?.bind(handle)
    return this.#hasSyncFiles && open !== undefined ? whenFree(path, open) : null
  }
}

/** Milliseconds that a file stays open after the last change. */
const LONGEST_IDLE = 20
/** Milliseconds after which a file that is changed all the time is closed, so that others get their turn. */
const LONGEST_OPEN = 200

/** What is written to it takes the file's place when it is closed. */
async function openStream(path: string, handle: FileHandle, keepExistingData: boolean): Promise<FileSystemWritableFileStream> {
  const open = handle.createWritable?.bind(handle)
  if (open === undefined) throw readsOnly(path)
  return whenFree(path, () => open({ keepExistingData, mode: 'exclusive' }))
}

function readsOnly(path: string): WorkspaceError {
  return new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    `cannot write '${path}': this browser lets pages only read these files; use a worker, or IndexedDBFileSystem`,
  )
}
