import type { MaybePromise } from '../host.ts'

/** What a path can name. */
export type FileType = 'file' | 'directory' | 'symlink' | 'character-device' | 'fifo'

/** What `stat` knows. Times are milliseconds since the epoch, sizes bytes. */
export interface FileStat {
  readonly type: FileType
  readonly size: number
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number
  readonly mtimeMs: number
  readonly atimeMs: number
  readonly ctimeMs: number
  readonly birthtimeMs: number
  /** Same `dev` and `ino`: the same file. The mount table gives each mount its own `dev`. */
  readonly dev: number
  readonly ino: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
}

/** One name of a directory. */
export interface Dirent {
  readonly name: string
  readonly type: FileType
}

/** What `setattr` changes; what is left out stays. */
export interface FileAttributes {
  readonly mode?: number
  readonly mtimeMs?: number
  readonly atimeMs?: number
  readonly uid?: number
  readonly gid?: number
}

/** How a file is created. */
export interface CreateOptions {
  /** Permission bits of a new file; 0o666 when left out. The umask is the caller's business. */
  readonly mode?: number
  /** Fail with EEXIST where the path exists. */
  readonly exclusive?: boolean
}

/** What a back end can and can't do. An operation that a false entry rules out fails with ENOTSUP. */
export interface FileSystemCapabilities {
  readonly symlinks: boolean
  readonly hardLinks: boolean
  /** Modes, owners and times can be set and are kept. */
  readonly attributes: boolean
  /** `append` and `writeAt` cost what they write, not what the file holds. */
  readonly partialWrites: boolean
  /** `copyTree` and `removeTree` are one step: all or nothing, and far cheaper than the operations they stand for. */
  readonly trees: boolean
  /** `removeTree` is there, at a cost well below that of removing name by name. Goes with `trees`. */
  readonly treeRemoval: boolean
  /** Nothing can be written at all; each attempt fails with EROFS. */
  readonly readOnly: boolean
}

/** Bytes of space; `free` is what may still be written. */
export interface FileSystemSpace {
  readonly total: number
  readonly free: number
}

/**
 * Everything with paths.
 *
 * Paths are absolute and normalised (`/a/b`; no `.`, `..`, doubled or trailing slash). An operation that can answer at once returns a
 * plain value, another a promise; a failure is thrown or rejected as a `FileSystemError` with a POSIX code.
 *
 * A file system never follows symbolic links. One that meets a link before the end of a path, or at the end of one in
 * an operation that follows links (`stat`, `readdir`, `read`, `write`, `append`, `writeAt`, `truncate`, `setattr`, `copyTree`'s source),
 * throws a {@link LinkMet}: whoever holds the whole namespace (`followLinks`) resolves it there. So no link leads out of a mount
 * unseen, and a back end stays simple.
 */
export interface FileSystem {
  readonly capabilities: FileSystemCapabilities
  stat(path: string): MaybePromise<FileStat>
  /** As `stat`, of the link itself. */
  lstat(path: string): MaybePromise<FileStat>
  /** Names in no particular order, without `.` and `..`. ENOTDIR where the path is no directory. */
  readdir(path: string): MaybePromise<readonly Dirent[]>
  /** Bytes from `offset` (default 0), at most `length` (default: to the end). Past the end: an empty array. EISDIR for a directory. */
  read(path: string, offset?: number, length?: number): MaybePromise<Uint8Array>
  /** The file holds exactly `data` afterwards; made where it is missing, its parent must exist. The caller may reuse `data`. */
  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void>
  /** Adds to the end; makes the file where it is missing. */
  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void>
  /** Overwrites from `offset`; a gap past the end reads as zeros. ENOENT where the file is missing. */
  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void>
  truncate(path: string, size: number): MaybePromise<void>
  /** EEXIST where the path exists, ENOENT where the parent doesn't. `mode` defaults to 0o777. */
  mkdir(path: string, mode?: number): MaybePromise<void>
  /** Removes an empty directory: ENOTEMPTY, ENOTDIR. */
  rmdir(path: string): MaybePromise<void>
  /** Removes a file or link: EISDIR for a directory. */
  unlink(path: string): MaybePromise<void>
  /** As rename(2): replaces a file, or an empty directory by a directory. EINVAL into itself, EXDEV across mounts. */
  rename(from: string, to: string): MaybePromise<void>
  /** A second name for the file `existing`. */
  link(existing: string, path: string): MaybePromise<void>
  symlink(target: string, path: string): MaybePromise<void>
  /** The text of a link: EINVAL where the path is none. */
  readlink(path: string): MaybePromise<string>
  setattr(path: string, attributes: FileAttributes): MaybePromise<void>
  /** Copies a file or whole tree to a path that doesn't exist, attributes kept, by reference where the back end can; else ENOTSUP and nothing done. */
  copyTree(from: string, to: string): MaybePromise<void>
  /** Removes a file or whole tree at once where the back end can; else ENOTSUP and nothing done. */
  removeTree(path: string): MaybePromise<void>
  space(path: string): MaybePromise<FileSystemSpace>
  /**
   * Opens a file for writing in pieces, until the function that is given back is called: what is written to it until then, and after it until `sync` at the
   * longest, may be kept back. Left out where a piece costs no more than what it holds; undefined, of a path where that is so.
   */
  gather?(path: string): MaybePromise<(() => void) | undefined>
  /**
   * Waits until everything that was answered is where it lasts; fails where some of it can't be brought there (ENOSPC). Nothing to wait for in a back
   * end that answers only then, or whose host has its own way to keep things. What others wrote is seen from then on.
   */
  sync(): MaybePromise<void>
  /** Waits for what is buffered and lets go of what is held. Nothing may be called afterwards. */
  close(): MaybePromise<void>
}

/** Thrown by a file system where a path runs through a symbolic link: `at` is the link's own path, `target` its text. */
export class LinkMet extends Error {
  override readonly name: string = 'LinkMet'
  readonly at: string
  readonly target: string

  constructor(at: string, target: string) {
    super(`symbolic link at '${at}' to '${target}'`)
    this.at = at
    this.target = target
  }
}
