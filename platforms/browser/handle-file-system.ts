import { FileSystemError } from '../../src/errors.ts'
import type {
  CreateOptions,
  Dirent,
  FileAttributes,
  FileStat,
  FileSystem,
  FileSystemCapabilities,
  FileSystemSpace,
} from '../../src/fs/file-system.ts'
import { isWithin, join } from '../../src/fs/path.ts'
import { plainStat } from '../../src/fs/plain-stat.ts'
import { readOnly } from '../../src/fs/read-only.ts'
import { DirectoryHandles } from './directory-handles.ts'
import type { DirectoryHandle, FileHandle } from './file-handles.ts'
import { FileWriter } from './file-writer.ts'
import { handleError, isNamed, whenFree } from './handle-error.ts'

/** Where a {@link HandleFileSystem} has its files. */
export interface HandlePlace {
  /** The folder that is the root. */
  readonly open: () => Promise<DirectoryHandle>
  /** Names the folder among those of the origin: two that share a name wait for each other more than they must. */
  readonly name: string
  readonly isReadOnly: boolean
  /** Whether files can be opened for synchronous access. */
  readonly hasSyncFiles: () => Promise<boolean>
  /** Bytes that the name of a new file or directory may have. */
  readonly longestName: number
  readonly space: () => Promise<FileSystemSpace>
}

/**
 * A tree of files and folders as a browser keeps it, seen through handles. There are no links, and attributes can't be set: files have the
 * time of their last change, directories none, modes are 0o644 and 0o755.
 *
 * A name that browsers would alter (bytes that are no UTF-8, NUL) or that this one refuses fails with EINVAL where it would be made.
 */
export class HandleFileSystem implements FileSystem {
  readonly #place: HandlePlace
  readonly #handles: DirectoryHandles
  readonly #writer: FileWriter
  /** Refuses each change with the right error; null where changes are allowed. */
  readonly #refusal: FileSystem | null

  constructor(place: HandlePlace) {
    this.#place = place
    this.#writer = new FileWriter(`mirage-runtime:${place.name}:`, place.hasSyncFiles)
    this.#handles = new DirectoryHandles(async () => {
      await this.#writer.prepare()
      return place.open()
    }, place.longestName)
    this.#refusal = place.isReadOnly ? readOnly(this) : null
  }

  get capabilities(): FileSystemCapabilities {
    return {
      symlinks: false,
      hardLinks: false,
      attributes: false,
      partialWrites: this.#writer.changesInPlace,
      trees: false,
      treeRemoval: true,
      readOnly: this.#refusal !== null,
    }
  }

  stat(path: string): Promise<FileStat> {
    return this.#run(path, async () => {
      const handle = await this.#handles.get(path)
      if (handle.kind === 'directory') return plainStat(path, 'directory', 0, 0)
      const open = await this.#writer.openFile(path)
      const file = await handle.getFile()
      return plainStat(path, 'file', open?.size() ?? file.size, file.lastModified)
    })
  }

  lstat(path: string): Promise<FileStat> {
    return this.stat(path)
  }

  readdir(path: string): Promise<readonly Dirent[]> {
    return this.#run(path, async () => {
      const directory = await this.#handles.directory(path)
      const entries: Dirent[] = []
      for await (const [name, { kind }] of directory.entries()) entries.push({ name, type: kind })
      return entries
    })
  }

  read(path: string, offset = 0, length: number = Number.MAX_SAFE_INTEGER): Promise<Uint8Array> {
    return this.#run(path, async () => {
      if (offset < 0 || length < 0) throw new FileSystemError('EINVAL', path)
      const open = await this.#writer.openFile(path)
      const read = open?.read(offset, length) ?? null
      if (read !== null) return read
      if (open !== undefined) await this.#writer.release(path)
      const handle = await this.#file(path)
      for (let attempt = 1; ; attempt++) {
        try {
          const file = await handle.getFile()
          const end = Math.min(file.size, offset + length)
          if (end <= offset) return new Uint8Array(0)
          return new Uint8Array(await file.slice(offset, end).arrayBuffer())
        } catch (error) {
          // The file was changed between the two calls.
          if (attempt === READ_ATTEMPTS || !isNamed(error, 'NotReadableError', 'AbortError', 'NotFoundError')) throw error
        }
      }
    })
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.write(path, data, options),
      () => {
        if (path === '/') throw new FileSystemError(options?.exclusive ? 'EEXIST' : 'EISDIR', path)
        return this.#writer.alone(path, async () => this.#writer.replace(path, await this.#fileToWrite(path, options), data))
      },
    )
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.append(path, data, options),
      async () => {
        if (path === '/') throw new FileSystemError(options?.exclusive ? 'EEXIST' : 'EISDIR', path)
        if (options?.exclusive) await this.#writer.release(path)
        return this.#writer.edit(path, () => this.#fileToWrite(path, options), { kind: 'write', at: 'end', data })
      },
    )
  }

  writeAt(path: string, offset: number, data: Uint8Array): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.writeAt(path, offset, data),
      async () => {
        if (offset < 0) throw new FileSystemError('EINVAL', path)
        await this.#writer.edit(path, () => this.#file(path), { kind: 'write', at: offset, data })
      },
    )
  }

  truncate(path: string, size: number): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.truncate(path, size),
      async () => {
        if (size < 0) throw new FileSystemError('EINVAL', path)
        await this.#writer.edit(path, () => this.#file(path), { kind: 'truncate', size })
      },
    )
  }

  mkdir(path: string): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.mkdir(path),
      async () => {
        if ((await this.#handles.find(path)) !== null) throw new FileSystemError('EEXIST', path)
        await this.#handles.make(path, ({ directory, name }) => directory.getDirectoryHandle(name, { create: true }))
      },
    )
  }

  rmdir(path: string): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.rmdir(path),
      async () => {
        if (path === '/') throw new FileSystemError('EBUSY', path)
        const handle = await this.#handles.directory(path)
        if (!(await isEmpty(handle))) throw new FileSystemError('ENOTEMPTY', path)
        await this.#remove(path, false)
      },
    )
  }

  unlink(path: string): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.unlink(path),
      async () => {
        await this.#file(path)
        await this.#remove(path, false)
      },
    )
  }

  rename(from: string, to: string): Promise<void> {
    return this.#change(
      from,
      (fs) => fs.rename(from, to),
      async () => {
        if (from === '/' || to === '/') throw new FileSystemError('EBUSY', from === '/' ? from : to)
        const handle = await this.#handles.get(from)
        await this.#run(to, async () => {
          const target = await this.#handles.find(to)
          if (from === to) return
          if (isWithin(to, from)) throw new FileSystemError('EINVAL', to)
          if (target !== null) await this.#checkReplaceable(handle, target, to)
          this.#writer.releaseWithin(from)
          this.#writer.release(to)
          if (handle.kind === 'file') return this.#writer.alone(from, () => this.#move(handle, from, to, target === null))
          // Not every browser moves a directory over one, not even an empty one.
          if (target !== null) await this.#remove(to, false)
          await this.#move(handle, from, to, true)
        })
      },
    )
  }

  link(existing: string, path: string): Promise<void> {
    return this.#unsupported(existing, (fs) => fs.link(existing, path))
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#unsupported(path, (fs) => fs.symlink(target, path))
  }

  readlink(path: string): Promise<string> {
    return this.#run(path, async () => {
      await this.#handles.get(path)
      throw new FileSystemError('EINVAL', path)
    })
  }

  setattr(path: string, attributes: FileAttributes): Promise<void> {
    return this.#run(path, async () => {
      // Whoever touches a file learns so whether it is there.
      await this.#handles.get(path)
      return this.#unsupported(path, (fs) => fs.setattr(path, attributes))
    })
  }

  copyTree(from: string, to: string): Promise<void> {
    return this.#unsupported(from, (fs) => fs.copyTree(from, to))
  }

  removeTree(path: string): Promise<void> {
    return this.#change(
      path,
      (fs) => fs.removeTree(path),
      async () => {
        if (path === '/') throw new FileSystemError('EBUSY', path)
        await this.#handles.get(path)
        await this.#remove(path, true)
      },
    )
  }

  space(path: string): Promise<FileSystemSpace> {
    return this.#run(path, async () => {
      await this.#handles.get(path)
      return this.#place.space()
    })
  }

  sync(): Promise<void> {
    return this.#writer.sync()
  }

  close(): Promise<void> {
    return this.#writer.releaseWithin('/')
  }

  async #file(path: string): Promise<FileHandle> {
    const handle = await this.#handles.get(path)
    if (handle.kind === 'directory') throw new FileSystemError('EISDIR', path)
    return handle
  }

  async #fileToWrite(path: string, options: CreateOptions | undefined): Promise<FileHandle> {
    if (options?.exclusive && (await this.#handles.find(path)) !== null) throw new FileSystemError('EEXIST', path)
    try {
      return await this.#handles.make(path, ({ directory, name }) => directory.getFileHandle(name, { create: true }))
    } catch (error) {
      if (isNamed(error, 'TypeMismatchError')) throw new FileSystemError('EISDIR', path, { cause: error })
      throw error
    }
  }

  async #checkReplaceable(handle: FileHandle | DirectoryHandle, target: FileHandle | DirectoryHandle, to: string): Promise<void> {
    if (target.kind === 'file') {
      if (handle.kind === 'directory') throw new FileSystemError('ENOTDIR', to)
      return
    }
    if (handle.kind === 'file') throw new FileSystemError('EISDIR', to)
    if (!(await isEmpty(target))) throw new FileSystemError('ENOTEMPTY', to)
  }

  async #move(handle: FileHandle | DirectoryHandle, from: string, to: string, isNew: boolean): Promise<void> {
    const isMoved = await this.#handles.make(to, async ({ directory, name }) => moveAtOnce(from, handle, directory, name))
    this.#handles.forget(from)
    this.#handles.forget(to)
    if (isMoved) return
    try {
      await this.#copy(handle, to)
    } catch (error) {
      if (isNew && (await this.#handles.find(to)) !== null) await this.#remove(to, true)
      throw error
    }
    // Only now that the copy is whole.
    await this.#remove(from, true)
  }

  async #copy(handle: FileHandle | DirectoryHandle, to: string): Promise<void> {
    if (handle.kind === 'file') {
      const content = await handle.getFile()
      return this.#writer.replace(to, await this.#fileToWrite(to, undefined), content)
    }
    await this.#handles.make(to, ({ directory, name }) => directory.getDirectoryHandle(name, { create: true }))
    for await (const [name, child] of handle.entries()) await this.#copy(child as FileHandle | DirectoryHandle, join(to, name))
  }

  async #remove(path: string, recursive: boolean): Promise<void> {
    await this.#writer.releaseWithin(path)
    const { directory, name } = await this.#handles.place(path)
    await whenFree(path, () => directory.removeEntry(name, { recursive }))
    this.#handles.forget(path)
  }

  #change(path: string, refuse: (fs: FileSystem) => unknown, work: () => Promise<void>): Promise<void> {
    return this.#run(path, async () => {
      if (this.#refusal === null) await work()
      else await refuse(this.#refusal)
    })
  }

  #unsupported(path: string, refuse: (fs: FileSystem) => unknown): Promise<never> {
    return this.#run(path, async () => {
      if (this.#refusal !== null) await refuse(this.#refusal)
      throw new FileSystemError('ENOTSUP', path)
    })
  }

  async #run<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw handleError(error, path)
    }
  }
}

const READ_ATTEMPTS = 8

/** False where this browser can't move it in one step. */
async function moveAtOnce(path: string, handle: FileHandle | DirectoryHandle, parent: DirectoryHandle, name: string): Promise<boolean> {
  const move = handle.move?.bind(handle)
  if (move === undefined) return false
  try {
    await whenFree(path, () => move(parent, name))
    return true
  } catch (error) {
    if (error instanceof FileSystemError || isNamed(error, 'NotFoundError')) throw error
    // That the function is there says nothing: Safari's took other arguments once, and Chromium's moves no folder of the user.
    return false
  }
}

async function isEmpty(directory: DirectoryHandle): Promise<boolean> {
  for await (const _ of directory.keys()) return false
  return true
}
