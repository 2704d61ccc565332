import fs from 'node:fs'

/** What is asked of a file to tell whether it changed. */
export interface DiskStat {
  /** Differs when the file was written or replaced, but for writes within one tick of the file system's clock. */
  readonly signature: string
  /** Milliseconds since the epoch, of the file system's clock. */
  readonly mtimeMs: number
  readonly size: number
}

/** The system calls of the disk store, so that a test can count them, fail them and stop at any of them. */
export interface DiskCalls {
  /** Null where there is no such file. */
  stat(path: string): DiskStat | null
  read(path: string): Uint8Array
  list(path: string): readonly fs.Dirent[]
  /** Makes the folder and its parents, private to the user; gives the first one that was missing. */
  makeFolders(path: string): string | undefined
  makeFolder(path: string): void
  removeFolder(path: string): void
  unlink(path: string): void
  rename(from: string, to: string): void
  touch(path: string, now: Date): void
  /** `create` opens a new, empty file; `append` an existing or new one. Private to the user. */
  open(path: string, how: 'create' | 'append' | 'folder'): number
  size(descriptor: number): number
  write(descriptor: number, bytes: Uint8Array): number
  truncate(descriptor: number, size: number): void
  sync(descriptor: number): Promise<void>
  close(descriptor: number): void
}

const FLAGS = { create: 'w', append: 'a', folder: 'r' } as const

export const diskCalls: DiskCalls = {
  stat(path) {
    const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return null
    return { signature: `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`, mtimeMs: Number(stat.mtimeMs), size: Number(stat.size) }
  },
  read: (path) => {
    const { buffer, byteOffset, length } = fs.readFileSync(path)
    return new Uint8Array(buffer, byteOffset, length)
  },
  list: (path) => fs.readdirSync(path, { withFileTypes: true }),
  makeFolders: (path) => fs.mkdirSync(path, { recursive: true, mode: 0o700 }),
  makeFolder: (path) => fs.mkdirSync(path, { mode: 0o700 }),
  removeFolder: (path) => fs.rmdirSync(path),
  unlink: (path) => fs.unlinkSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  touch: (path, now) => fs.utimesSync(path, now, now),
  open: (path, how) => fs.openSync(path, FLAGS[how], 0o600),
  size: (descriptor) => fs.fstatSync(descriptor).size,
  write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  truncate: (descriptor, size) => fs.ftruncateSync(descriptor, size),
  sync: (descriptor) =>
    new Promise((resolve, reject) => {
      fs.fsync(descriptor, (error) => (error === null ? resolve() : reject(error)))
    }),
  close: (descriptor) => fs.closeSync(descriptor),
}
