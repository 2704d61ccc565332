import { concat } from '../bytes.ts'
import type { PosixCode } from '../errors.ts'
import { FileSystemError } from '../errors.ts'
import type {
  CreateOptions,
  Dirent,
  FileAttributes,
  FileStat,
  FileSystem,
  FileSystemCapabilities,
  FileSystemSpace,
} from '../fs/file-system.ts'
import { chain } from '../fs/maybe.ts'
import type { MaybePromise } from '../host.ts'
import { formatBashHistory } from './bash-history.ts'
import type { SessionHistory } from './history.ts'

/** Where a session sees its own history as a file. */
export const BASH_HISTORY_PATH = '/.bash_history'

/** The file system with a session's history as the read-only file `/.bash_history`. Closing it closes the one below. */
export function withBashHistory(fs: FileSystem, history: SessionHistory): FileSystem {
  return new WithBashHistory(fs, history)
}

/** The file as it was last read: more entries are added to it, it is made anew when entries were taken out. */
interface Rendered {
  readonly mark: string
  readonly total: number
  readonly bytes: Uint8Array
  /** Time of the last entry. */
  readonly timeMs: number
}

const NAME = BASH_HISTORY_PATH.slice(1)
const NOTHING: Rendered = { mark: '', total: 0, bytes: new Uint8Array(0), timeMs: 0 }

class WithBashHistory implements FileSystem {
  readonly #fs: FileSystem
  readonly #history: SessionHistory
  #rendered: Rendered = NOTHING

  constructor(fs: FileSystem, history: SessionHistory) {
    this.#fs = fs
    this.#history = history
  }

  get capabilities(): FileSystemCapabilities {
    return this.#fs.capabilities
  }

  stat(path: string): MaybePromise<FileStat> {
    return this.#isFile(path) ? chain(this.#render(), statOf) : this.#fs.stat(path)
  }

  lstat(path: string): MaybePromise<FileStat> {
    return this.#isFile(path) ? chain(this.#render(), statOf) : this.#fs.lstat(path)
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    if (this.#isFile(path)) throw new FileSystemError('ENOTDIR', path)
    const entries = this.#fs.readdir(path)
    if (path !== '/') return entries
    return chain(entries, (all) => [...all.filter(({ name }) => name !== NAME), { name: NAME, type: 'file' }])
  }

  read(path: string, offset = 0, length = Number.POSITIVE_INFINITY): MaybePromise<Uint8Array> {
    if (!this.#isFile(path)) return this.#fs.read(path, offset, length)
    if (length === 0) return NOTHING.bytes
    return chain(this.#render(), ({ bytes }) => bytes.slice(offset, offset + length))
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    this.#refuse(path, options?.exclusive ? 'EEXIST' : 'EROFS')
    return this.#fs.write(path, data, options)
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    this.#refuse(path, options?.exclusive ? 'EEXIST' : 'EROFS')
    return this.#fs.append(path, data, options)
  }

  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void> {
    this.#refuse(path, 'EROFS')
    return this.#fs.writeAt(path, offset, data)
  }

  truncate(path: string, size: number): MaybePromise<void> {
    this.#refuse(path, 'EROFS')
    return this.#fs.truncate(path, size)
  }

  mkdir(path: string, mode?: number): MaybePromise<void> {
    this.#refuse(path, 'EEXIST')
    return this.#fs.mkdir(path, mode)
  }

  rmdir(path: string): MaybePromise<void> {
    this.#refuse(path, 'ENOTDIR')
    return this.#fs.rmdir(path)
  }

  unlink(path: string): MaybePromise<void> {
    this.#refuse(path, 'EROFS')
    return this.#fs.unlink(path)
  }

  rename(from: string, to: string): MaybePromise<void> {
    this.#refuse(from, 'EROFS')
    this.#refuse(to, 'EROFS')
    return this.#fs.rename(from, to)
  }

  link(existing: string, path: string): MaybePromise<void> {
    this.#refuse(existing, 'EXDEV')
    this.#refuse(path, 'EEXIST')
    return this.#fs.link(existing, path)
  }

  symlink(target: string, path: string): MaybePromise<void> {
    this.#refuse(path, 'EEXIST')
    return this.#fs.symlink(target, path)
  }

  readlink(path: string): MaybePromise<string> {
    this.#refuse(path, 'EINVAL')
    return this.#fs.readlink(path)
  }

  setattr(path: string, attributes: FileAttributes): MaybePromise<void> {
    this.#refuse(path, 'EROFS')
    return this.#fs.setattr(path, attributes)
  }

  copyTree(from: string, to: string): MaybePromise<void> {
    // The file below the root is ours: who copies it, or the root, has to read it.
    this.#refuse(from, 'ENOTSUP')
    this.#refuse(to, 'EEXIST')
    if (from === '/') throw new FileSystemError('ENOTSUP', from)
    return this.#fs.copyTree(from, to)
  }

  removeTree(path: string): MaybePromise<void> {
    this.#refuse(path, 'EROFS')
    return this.#fs.removeTree(path)
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    return this.#fs.space(this.#isFile(path) ? '/' : path)
  }

  gather(path: string): MaybePromise<(() => void) | undefined> {
    return this.#fs.gather?.(path)
  }

  sync(): MaybePromise<void> {
    return this.#fs.sync()
  }

  close(): MaybePromise<void> {
    return this.#fs.close()
  }

  /** ENOTDIR for a path below the file. */
  #isFile(path: string): boolean {
    if (!path.startsWith(BASH_HISTORY_PATH)) return false
    if (path.length === BASH_HISTORY_PATH.length) return true
    if (path[BASH_HISTORY_PATH.length] === '/') throw new FileSystemError('ENOTDIR', path)
    return false
  }

  #refuse(path: string, code: PosixCode): void {
    if (this.#isFile(path)) throw new FileSystemError(code, path)
  }

  #render(): MaybePromise<Rendered> {
    const last = this.#rendered
    return chain(this.#history.range(last.total, Number.MAX_SAFE_INTEGER), (page) => {
      if (last.total > 0 && page.mark !== last.mark) {
        this.#rendered = NOTHING
        return this.#render()
      }
      const { entries, mark, total } = page
      if (entries.length > 0 || mark !== last.mark) {
        const timeMs = entries.at(-1)?.timestamp ?? last.timeMs
        this.#rendered = { mark, total, bytes: concat([last.bytes, formatBashHistory(entries)]), timeMs }
      }
      return this.#rendered
    })
  }
}

function statOf({ bytes, timeMs }: Rendered): FileStat {
  const times = { mtimeMs: timeMs, atimeMs: timeMs, ctimeMs: timeMs, birthtimeMs: timeMs }
  return { type: 'file', size: bytes.length, mode: 0o400, ...times, dev: 0, ino: 1, nlink: 1, uid: 0, gid: 0 }
}
