import { WorkspaceError } from './errors.ts'
import type { FileSystem } from './fs/file-system.ts'

// What only a browser has, under the same names, so that one program text loads in every runtime and fails where it must.

/** Where an {@link IndexedDBFileSystem} is. */
export interface IndexedDBFileSystemOptions {
  /** The name of its database, `mirage-files` when left out. A database holds one file system and nothing else. */
  readonly root?: string
}

/**
 * Files in an IndexedDB database of the page's origin. Any number of pages and web workers may use a root at the same time: each operation is one
 * transaction, which sees what the others did before it and is done wholly or not at all, whenever the page ends. When the promise of an
 * operation resolves, its changes are on the disk. Links, attributes and any names are kept; contents lie in chunks of 64 KiB, so a read or write
 * of a range costs what it touches.
 *
 * A full quota is ENOSPC; EIO where the browser doesn't answer within a minute. Outside of browsers the constructor fails with CAPABILITY_UNSUPPORTED.
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
