/** A file that a worker reads and writes at once, alone as long as it has it open. */
export interface SyncFile {
  read(bytes: Uint8Array, options: { readonly at: number }): number
  write(bytes: Uint8Array, options: { readonly at: number }): number
  truncate(size: number): void
  getSize(): number
  /** What was written is on the disk afterwards. */
  flush(): void
  close(): void
}

/** A file as browsers have it: what not all of them have, and what is there but doesn't work in all of them, may be missing. */
export interface FileHandle extends Omit<FileSystemFileHandle, 'createWritable'>, MovableHandle {
  /** `exclusive` is Chromium's; others take it for nothing. */
  createWritable?(options?: { readonly keepExistingData?: boolean; readonly mode?: 'exclusive' }): Promise<FileSystemWritableFileStream>
  createSyncAccessHandle?(): Promise<SyncFile>
}

/** A directory as browsers have it. */
export interface DirectoryHandle extends Omit<FileSystemDirectoryHandle, 'getFileHandle' | 'getDirectoryHandle'>, MovableHandle {
  getFileHandle(name: string, options?: { readonly create?: boolean }): Promise<FileHandle>
  getDirectoryHandle(name: string, options?: { readonly create?: boolean }): Promise<DirectoryHandle>
}

interface MovableHandle {
  /** With one argument WebKit refuses it. Chromium has none for directories. */
  move?(parent: DirectoryHandle, name: string): Promise<void>
}
