import { FileSystemError } from '../../src/errors.ts'
import { checkName, isRefusedText, missingName } from '../../src/fs/file-name.ts'
import { basename, dirname, isWithin } from '../../src/fs/path.ts'
import type { DirectoryHandle, FileHandle } from './file-handles.ts'
import { isNamed } from './handle-error.ts'

/** A name and the directory that it is in. */
export interface Place {
  readonly directory: DirectoryHandle
  readonly name: string
}

/**
 * The way from a root folder to the handle of a path. Directories on the way are kept: in every browser a handle stands for a path and not for
 * a thing, so that one whose directory was replaced by another tab is of use again.
 */
export class DirectoryHandles {
  readonly #open: () => Promise<DirectoryHandle>
  readonly #longestName: number
  #root: Promise<DirectoryHandle> | undefined
  readonly #kept = new Map<string, DirectoryHandle>()

  /** Files made here have names of `longestName` bytes at most. */
  constructor(open: () => Promise<DirectoryHandle>, longestName: number) {
    this.#open = open
    this.#longestName = longestName
  }

  root(): Promise<DirectoryHandle> {
    this.#root ??= this.#open().catch((error: unknown) => {
      this.#root = undefined
      throw error
    })
    return this.#root
  }

  /** What is at the path; null where nothing is, ENOENT or ENOTDIR where the way to it ends before. */
  async find(path: string): Promise<FileHandle | DirectoryHandle | null> {
    if (path === '/') return this.root()
    const { directory, name } = await this.place(path)
    if (isRefusedText(name)) return null
    try {
      return await directory.getFileHandle(name)
    } catch (error) {
      if (isNamed(error, 'NotFoundError', 'TypeError')) return null
      if (!isNamed(error, 'TypeMismatchError')) throw error
    }
    return childDirectory(directory, name)
  }

  /** As `find`, of a path where something must be: ENOENT, ENAMETOOLONG. */
  async get(path: string): Promise<FileHandle | DirectoryHandle> {
    const handle = await this.find(path)
    if (handle === null) throw missingName(basename(path), path)
    return handle
  }

  /** The directory at the path, looked for anew: ENOENT, ENOTDIR. */
  async directory(path: string): Promise<DirectoryHandle> {
    if (path === '/') return this.root()
    const { directory, name } = await this.place(path)
    return this.#enter(directory, name, path)
  }

  /** Where a path's last name is. */
  async place(path: string): Promise<Place> {
    return { directory: await this.#walk(dirname(path), path), name: basename(path) }
  }

  /** Makes something new at the path: EINVAL and ENAMETOOLONG for names that can't be. */
  async make<T>(path: string, make: (place: Place) => Promise<T>): Promise<T> {
    const place = await this.place(path)
    checkName(place.name, path, this.#longestName)
    if (isRefusedText(place.name)) throw new FileSystemError('EINVAL', path)
    try {
      return await make(place)
    } catch (error) {
      if (isNamed(error, 'TypeError')) throw new FileSystemError('EINVAL', path, { cause: error })
      // In a directory that is no more browsers fail in ways of their own.
      if (!isNamed(error, 'NotFoundError', 'TypeMismatchError', 'UnknownError')) throw error
    }
    this.#kept.clear()
    return make(await this.place(path))
  }

  /** Handles at the path and below are of no use any more. */
  forget(path: string): void {
    for (const kept of this.#kept.keys()) if (isWithin(kept, path)) this.#kept.delete(kept)
  }

  async #walk(path: string, asked: string): Promise<DirectoryHandle> {
    if (path === '/') return this.root()
    const kept = this.#kept.get(path)
    if (kept !== undefined) return kept
    const found = await this.#enter(await this.#walk(dirname(path), asked), basename(path), asked)
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(path, found)
    return found
  }

  async #enter(directory: DirectoryHandle, name: string, asked: string): Promise<DirectoryHandle> {
    const found = isRefusedText(name) ? null : await childDirectory(directory, name, asked)
    if (found === null) throw missingName(name, asked)
    return found
  }
}

const MOST_KEPT = 2000

async function childDirectory(directory: DirectoryHandle, name: string, asked?: string): Promise<DirectoryHandle | null> {
  try {
    return await directory.getDirectoryHandle(name)
  } catch (error) {
    if (asked !== undefined && isNamed(error, 'TypeMismatchError')) throw new FileSystemError('ENOTDIR', asked, { cause: error })
    // A name that this browser refuses can't be there.
    if (isNamed(error, 'NotFoundError', 'TypeError')) return null
    throw error
  }
}
