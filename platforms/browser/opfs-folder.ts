import { WorkspaceError } from '../../src/errors.ts'
import type { FileHandle, SyncFile } from './file-handles.ts'
import { isNamed } from './handle-error.ts'

const PROBE = '+probe'
const PIECE = 64 * 1024

/** A folder of the origin private file system, its files named by paths that are relative to it. */
export class OPFSFolder {
  readonly #root: readonly string[]
  /** Folders that were opened. A handle stands for a path, so one whose folder was removed and made anew is of use again. */
  readonly #folders = new Map<string, FileSystemDirectoryHandle>()
  #changesInPlace: Promise<boolean> | null = null

  /** Touches nothing yet. CONFIG_INVALID for a name that is no path. */
  constructor(root: string) {
    this.#root = root.split('/')
    if (this.#root.some((name) => name === '' || name === '.' || name === '..')) {
      throw new WorkspaceError(
        'CONFIG_INVALID',
        `root holds ${JSON.stringify(root)}; it may hold names joined by "/", such as "mirage/state"`,
      )
    }
  }

  /** Forgets which folders there are. */
  forget(): void {
    this.#folders.clear()
  }

  /** The names in a folder by kind; null where there is no such folder. */
  async list(path: string): Promise<ReadonlyMap<string, 'file' | 'directory'> | null> {
    const folder = await missingAsNull(this.#folder(path, false))
    if (folder === null) return null
    const names = new Map<string, 'file' | 'directory'>()
    for await (const [name, { kind }] of folder.entries()) names.set(name, kind)
    return names
  }

  /** Null where there is no such file. */
  async read(path: string, name: string): Promise<Uint8Array | null> {
    const file = await this.#file(path, name)
    return file === null ? null : new Uint8Array(await file.arrayBuffer())
  }

  /** Bytes of the file; null where there is none. */
  async size(path: string, name: string): Promise<number | null> {
    return (await this.#file(path, name))?.size ?? null
  }

  /** Makes or replaces a file. */
  async write(path: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const handle = (await (await this.#folder(path, true)).getFileHandle(name, { create: true })) as FileHandle
    if (!(await this.#canChangeInPlace())) return stream(handle, bytes)
    const file = await openSync(handle)
    try {
      file.truncate(0)
      writeAll(file, bytes, 0)
    } finally {
      file.close()
    }
  }

  /** Cuts a file at `at` and adds bytes there. False, and nothing done, where that can't be had without writing all of it. */
  async extend(path: string, name: string, at: number, bytes: Uint8Array): Promise<boolean> {
    if (!(await this.#canChangeInPlace())) return false
    const file = await openSync((await (await this.#folder(path, false)).getFileHandle(name)) as FileHandle)
    try {
      if (file.getSize() !== at) file.truncate(at)
      writeAll(file, bytes, at)
      return true
    } catch (error) {
      file.truncate(at)
      throw error
    } finally {
      file.close()
    }
  }

  /** Makes an empty file where there is none. */
  async touch(path: string, name: string): Promise<void> {
    await (await this.#folder(path, true)).getFileHandle(name, { create: true })
  }

  async exists(path: string, name: string): Promise<boolean> {
    const folder = await missingAsNull(this.#folder(path, false))
    return folder !== null && (await missingAsNull(folder.getFileHandle(name))) !== null
  }

  /** Removes a file or a folder with all in it; false where there is none. */
  async remove(path: string, name: string): Promise<boolean> {
    this.#forgetBelow(join(path, name))
    const folder = await missingAsNull(this.#folder(path, false))
    return folder !== null && (await missingAsNull(folder.removeEntry(name, { recursive: true }).then(() => true))) !== null
  }

  async #file(path: string, name: string): Promise<File | null> {
    const folder = await missingAsNull(this.#folder(path, false))
    if (folder === null) return null
    const handle = await missingAsNull(folder.getFileHandle(name))
    return handle === null ? null : missingAsNull(handle.getFile())
  }

  async #folder(path: string, create: boolean): Promise<FileSystemDirectoryHandle> {
    const known = this.#folders.get(path)
    if (known !== undefined) return known
    const folder = path === '' ? await openRoot(this.#root) : await this.#enter(path, create)
    this.#folders.set(path, folder)
    return folder
  }

  async #enter(path: string, create: boolean): Promise<FileSystemDirectoryHandle> {
    const parent = await this.#folder(parentOf(path), create)
    return parent.getDirectoryHandle(path.slice(path.lastIndexOf('/') + 1), { create })
  }

  #forgetBelow(path: string): void {
    for (const known of this.#folders.keys()) if (known === path || known.startsWith(`${path}/`)) this.#folders.delete(known)
  }

  /**
   * Whether files can be opened for synchronous access: not in pages, and in WebKitGTK not in workers either, though the function is there.
   * Tried on a file of its own, since one on which it failed can't be written in another way any more.
   */
  #canChangeInPlace(): Promise<boolean> {
    this.#changesInPlace ??= this.#tryInPlace()
    return this.#changesInPlace
  }

  async #tryInPlace(): Promise<boolean> {
    if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) return false
    const root = await this.#folder('', true)
    try {
      const probe = await openSync((await root.getFileHandle(PROBE, { create: true })) as FileHandle)
      probe.close()
      await root.removeEntry(PROBE)
      return true
    } catch (error) {
      // Another worker has it open, or has just removed it.
      return isNamed(error, 'NoModificationAllowedError', 'NotFoundError')
    }
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

async function openRoot(names: readonly string[]): Promise<FileSystemDirectoryHandle> {
  let folder = await navigator.storage.getDirectory()
  for (const name of names) folder = await folder.getDirectoryHandle(name, { create: true })
  return folder
}

function openSync(handle: FileHandle): Promise<SyncFile> {
  if (handle.createSyncAccessHandle === undefined) throw new DOMException('there is no synchronous access', 'NotSupportedError')
  return handle.createSyncAccessHandle()
}

/** What is written takes the file's place when all of it is there. */
async function stream(handle: FileHandle, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  if (handle.createWritable === undefined) {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      "this browser writes such files in workers only; use a worker, or backend 'indexeddb'",
    )
  }
  const writable = await handle.createWritable()
  try {
    // In pieces: where room runs out while many bytes are on their way, Chromium only says that the way was cut.
    for (let at = 0; at < bytes.length; at += PIECE) await writable.write(bytes.subarray(at, at + PIECE))
    await writable.close()
  } catch (error) {
    // What went wrong first is what is told.
    await writable.abort().catch(() => undefined)
    throw error
  }
}

function writeAll(file: SyncFile, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    const written = file.write(bytes.subarray(done), { at: at + done })
    if (written === 0) throw new DOMException('the file could not grow', 'QuotaExceededError')
    done += written
  }
  file.flush()
}

async function missingAsNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return null
    throw error
  }
}
