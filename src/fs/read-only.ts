import { FileSystemError, hasCode } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import type { CreateOptions, Dirent, FileStat, FileSystem, FileSystemCapabilities, FileSystemSpace } from './file-system.ts'
import { chain, rescue } from './maybe.ts'
import { dirname } from './path.ts'

/**
 * The file system with every change refused: EROFS, or the error that comes before it (ENOENT, ENOTDIR, EEXIST, a link met).
 * Closing it closes the one below.
 */
export function readOnly(fs: FileSystem): FileSystem {
  return new ReadOnly(fs)
}

class ReadOnly implements FileSystem {
  readonly #fs: FileSystem

  constructor(fs: FileSystem) {
    this.#fs = fs
  }

  get capabilities(): FileSystemCapabilities {
    return { ...this.#fs.capabilities, readOnly: true }
  }

  stat(path: string): MaybePromise<FileStat> {
    return this.#fs.stat(path)
  }

  lstat(path: string): MaybePromise<FileStat> {
    return this.#fs.lstat(path)
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    return this.#fs.readdir(path)
  }

  read(path: string, offset?: number, length?: number): MaybePromise<Uint8Array> {
    return this.#fs.read(path, offset, length)
  }

  readlink(path: string): MaybePromise<string> {
    return this.#fs.readlink(path)
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    return chain(this.#fs.space(path), (space) => ({ total: space.total, free: 0 }))
  }

  sync(): MaybePromise<void> {
    return this.#fs.sync()
  }

  close(): MaybePromise<void> {
    return this.#fs.close()
  }

  write(path: string, _data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return options?.exclusive ? this.#refuseNew(path) : this.#refuseContent(path)
  }

  append(path: string, _data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return options?.exclusive ? this.#refuseNew(path) : this.#refuseContent(path)
  }

  writeAt(path: string): MaybePromise<void> {
    return this.#refuseFile(path)
  }

  truncate(path: string): MaybePromise<void> {
    return this.#refuseFile(path)
  }

  mkdir(path: string): MaybePromise<void> {
    return this.#refuseNew(path)
  }

  rmdir(path: string): MaybePromise<void> {
    return chain(this.#fs.lstat(path), ({ type }) => refuse(type === 'directory' ? 'EROFS' : 'ENOTDIR', path))
  }

  unlink(path: string): MaybePromise<void> {
    return chain(this.#fs.lstat(path), ({ type }) => refuse(type === 'directory' ? 'EISDIR' : 'EROFS', path))
  }

  rename(from: string, to: string): MaybePromise<void> {
    return chain(this.#fs.lstat(from), () => this.#refuseIn(to))
  }

  link(existing: string, path: string): MaybePromise<void> {
    return chain(this.#fs.lstat(existing), () => this.#refuseNew(path))
  }

  symlink(_target: string, path: string): MaybePromise<void> {
    return this.#refuseNew(path)
  }

  setattr(path: string): MaybePromise<void> {
    return chain(this.#fs.stat(path), () => refuse('EROFS', path))
  }

  copyTree(from: string, to: string): MaybePromise<void> {
    return chain(this.#fs.stat(from), () => this.#refuseNew(to))
  }

  removeTree(path: string): MaybePromise<void> {
    return chain(this.#fs.lstat(path), () => refuse('EROFS', path))
  }

  #refuseFile(path: string): MaybePromise<never> {
    return chain(this.#fs.stat(path), ({ type }) => refuse(type === 'directory' ? 'EISDIR' : 'EROFS', path))
  }

  #refuseContent(path: string): MaybePromise<never> {
    return rescue(
      () => this.#refuseFile(path),
      (error) => {
        if (!hasCode(error, 'ENOENT')) throw error
        return this.#refuseIn(path)
      },
    )
  }

  #refuseNew(path: string): MaybePromise<never> {
    return chain(
      rescue<unknown>(
        () => this.#fs.lstat(path),
        (error) => {
          if (!hasCode(error, 'ENOENT')) throw error
          return this.#refuseIn(path)
        },
      ),
      () => refuse('EEXIST', path),
    )
  }

  /** Refuses a change in the directory that holds `path`. */
  #refuseIn(path: string): MaybePromise<never> {
    return chain(
      rescue(
        () => this.#fs.stat(dirname(path)),
        (error) => {
          throw error instanceof FileSystemError ? new FileSystemError(error.code as 'ENOENT', path) : error
        },
      ),
      ({ type }) => refuse(type === 'directory' ? 'EROFS' : 'ENOTDIR', path),
    )
  }
}

function refuse(code: 'EROFS' | 'EEXIST' | 'EISDIR' | 'ENOTDIR', path: string): never {
  throw new FileSystemError(code, path)
}
