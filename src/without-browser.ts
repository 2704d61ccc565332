import { WorkspaceError } from './errors.ts'
import type { FileSystem } from './fs/file-system.ts'

// What only a browser has, under the same names, so that one program text loads in every runtime and fails where it must.

/** Where an {@link IndexedDBFileSystem} is, and when its operations answer. */
export interface IndexedDBFileSystemOptions {
  /** The name of its database, `mirage-files` when left out. A database holds one file system and nothing else. */
  readonly root?: string
  /**
   * `strict`: an operation answers when it is on the disk. `relaxed`, when left out: it answers when it is made, and `sync` waits for the disk. A
   * workspace does so at the end of each line, so what a line that was answered wrote is on the disk either way; lines that write much are slow when strict.
   */
  readonly durability?: 'strict' | 'relaxed'
}

/**
 * Files in an IndexedDB database of the page's origin. Any number of pages and web workers may use a root at the same time: each operation is all or
 * nothing, sees what the others did before it, and keeps its place in their order. When the page or the browser is killed, what was done since the
 * last `sync` may be missing from the end; what is there is whole. Links, attributes and any names are kept. Contents lie in chunks of 64 KiB,
 * so a read or write of a range costs what it touches.
 *
 * A full quota is ENOSPC; EIO where the browser doesn't answer within a minute. With `relaxed` durability it is `sync` or a later write that fails so.
 * Outside of browsers the constructor fails with CAPABILITY_UNSUPPORTED.
 *
 * @example
 * const ws = new Workspace({ '/data': new IndexedDBFileSystem({ root: 'agent-files' }) })
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor always throws, so nothing lacks the members.
export class IndexedDBFileSystem {
  constructor(options: IndexedDBFileSystemOptions = {}) {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `cannot mount the database '${options.root ?? 'mirage-files'}': this runtime has no IndexedDB; use HostFileSystem where there are files, or RAMFileSystem`,
    )
  }
}
export interface IndexedDBFileSystem extends FileSystem {}

/** Where an {@link OPFSFileSystem} is. */
export interface OPFSFileSystemOptions {
  /** A folder of the origin private file system, `mirage/files` when left out. It is made where it is missing; `/` is the whole of it. */
  readonly root?: string
}

/**
 * A folder of the origin private file system: files that a browser keeps for a web origin, shared by its tabs and workers and unseen by the user.
 *
 * - The tree is stored as it is, for whatever else reads it. So there are no links, and attributes can't be set (ENOTSUP): files have the time of
 *   their last change, directories none (0), modes are 0o644 and 0o755.
 * - `write` replaces the old content at once. In a worker of Chromium, Firefox or Safari `append`, `writeAt` and `truncate` change the file in place; in a
 *   page (and in a folder of the user) the browser copies the file for it, once for changes that follow each other closely: they are in the file
 *   within 0.2 s, and when `sync` resolves, which fails with ENOSPC where they can't be (`capabilities.partialWrites` tells, once anything was answered).
 * - Writers in several tabs take turns. A file that something else has open is tried again for two seconds, then EBUSY. A full quota is ENOSPC.
 * - A file is renamed at once; so is a directory, but in Chromium, where it is copied and the old one removed when the copy is whole.
 * - Names can be any text without a NUL; in Chromium without a backslash. Others can't be made (EINVAL), nor can bytes that are no UTF-8.
 *
 * The constructor fails with CAPABILITY_UNSUPPORTED where there is none: outside of browsers, in pages that aren't secure, in old browsers. In private
 * windows that have none the first call does. IndexedDBFileSystem works there.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor always throws, so nothing lacks the members.
export class OPFSFileSystem {
  constructor(options: OPFSFileSystemOptions = {}) {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `cannot mount '${options.root ?? 'mirage/files'}' of the origin private file system: only browsers have one; use HostFileSystem where there are files, or RAMFileSystem`,
    )
  }
}
export interface OPFSFileSystem extends FileSystem {}

/** The browser's `FileSystemDirectoryHandle`, without the need for its types. */
export interface FolderHandle {
  readonly kind: 'directory'
  readonly name: string
}

export type FolderMode = 'read' | 'readwrite'

export type FolderPermission = 'granted' | 'denied' | 'prompt'

/** How the user is asked for a folder. */
export interface FolderPickOptions {
  /** What is asked for, `readwrite` when left out. */
  readonly mode?: FolderMode
  /** The browser remembers the last folder of each id (up to 32 letters, digits, `_` and `-`) and starts there. */
  readonly id?: string
  /** Where the picker starts else. */
  readonly startIn?: FolderHandle | 'desktop' | 'documents' | 'downloads' | 'music' | 'pictures' | 'videos'
}

/** Which folder a {@link FolderFileSystem} is, and for what. */
export interface FolderFileSystemOptions {
  /** From `showDirectoryPicker`, from a drop (`getAsFileSystemHandle`), or kept from an earlier visit. */
  readonly handle: FolderHandle
  /** `read` makes it a read-only file system (EROFS) that needs no permission to write; `readwrite` when left out. */
  readonly mode?: FolderMode
}

/**
 * A folder of the user's disk, by the File System Access API (Chromium). What `OPFSFileSystem` says holds here, too, but no change is made in place,
 * and the user's system decides about names: which ones there can be (EINVAL for the others; of 248 bytes at most), and whether `A` and `a` are one.
 *
 * `await FolderFileSystem.pick()` asks for one when the user clicks; a folder that is dropped on the page will do, too. The browser forgets it with the page,
 * but `handle` can be stored in IndexedDB (any object store takes it as it is, under any key) and given to the constructor at the next visit. The permission
 * has to be given again then: as long as `await fs.permission()` isn't `granted`, calls fail with EACCES, as they do when the user takes it back.
 * `await fs.requestPermission()` asks, when the user clicks.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor always throws, so nothing lacks the members.
export class FolderFileSystem {
  /**
   * Asks the user for a folder; to be called in the handler of a click or key. Rejects with the browser's AbortError where the user picks none,
   * with its SecurityError without a click, and with CAPABILITY_UNSUPPORTED where there is no picker: Firefox, Safari, workers, pages that aren't secure.
   */
  static pick(_options?: FolderPickOptions): Promise<FolderFileSystem> {
    return Promise.reject(noFolders('cannot ask for a folder'))
  }

  constructor(options: FolderFileSystemOptions) {
    throw noFolders(`cannot mount the folder '${options.handle.name}'`)
  }
}
export interface FolderFileSystem extends FileSystem {
  /** What to store for the next visit. */
  readonly handle: FolderHandle
  readonly mode: FolderMode
  /** Whether `mode` is allowed now; asks nobody. */
  permission(): Promise<FolderPermission>
  /** Asks the user where it must; to be called in the handler of a click or key. EACCES where the user refuses. */
  requestPermission(): Promise<void>
}

function noFolders(what: string): WorkspaceError {
  return new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    `${what}: only browsers have handles of the user's folders; use HostFileSystem where there are files, or RAMFileSystem`,
  )
}
