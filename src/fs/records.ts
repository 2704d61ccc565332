import type { MaybePromise } from '../host.ts'
import type { FileStat, FileSystemSpace } from './file-system.ts'
import type { Steps } from './maybe.ts'

/** What is stored of a file, directory or link. */
export interface FileRecord extends Omit<FileStat, 'dev'> {
  readonly type: 'file' | 'directory' | 'symlink'
  /** Bytes; of a directory, the number of its names. */
  readonly size: number
  /** The text of a symbolic link; '' for what is none. */
  readonly target: string
}

/** Stands for a file or link that has, or had, several names: its record lies in directory {@link UNNAMED} under its number. */
export interface LinkedRecord {
  readonly type: 'linked'
  readonly of: 'file' | 'symlink'
  readonly ino: number
}

/** What a name stands for. */
export type NameRecord = FileRecord | LinkedRecord

/** The directory of what isn't found by one name alone: the root, and what has several names. Names there are inode numbers. */
export const UNNAMED = 0
/** The root's inode number. */
export const ROOT = 1
/** Bytes of a chunk of content. What a chunk lacks at its end, and a chunk that isn't there, are zeros. */
export const CHUNK: number = 64 * 1024

/** The records of a file system as one transaction sees them: its own changes and none of others. */
export interface RecordReader {
  name(directory: number, name: string): MaybePromise<NameRecord | undefined>
  names(directory: number): MaybePromise<readonly (readonly [name: string, record: NameRecord])[]>
  /** Chunks `from` to `to` of a file's content, both included. What is given must not be changed. */
  chunks(ino: number, from: number, to: number): MaybePromise<readonly (Uint8Array | undefined)[]>
}

/** Changes them. What is written here belongs to the records from then on. */
export interface RecordWriter extends RecordReader {
  /** A number that no file has had. */
  newIno(): number
  setName(directory: number, name: string, record: NameRecord): void
  deleteName(directory: number, name: string): void
  setChunk(ino: number, index: number, bytes: Uint8Array): void
  /** Deletes chunk `from` and all after it. */
  deleteChunks(ino: number, from: number): void
}

/**
 * Where a {@link RecordFileSystem} keeps its records: names by directory and name, chunks by inode number and index. It starts with the record of a root.
 *
 * A failure of the back end is a `FileSystemError` about `path`: ENOSPC where there is no space left, else EIO.
 */
export interface FileRecords {
  /** Runs the steps on one state of the records. They may be run again from their start. */
  read<T>(path: string, run: (records: RecordReader) => Steps<T>): MaybePromise<T>
  /** Runs the steps in one transaction: all of their changes are made, or none where they throw or the process ends. */
  write<T>(path: string, run: (records: RecordWriter) => Steps<T>): MaybePromise<T>
  space(path: string): MaybePromise<FileSystemSpace>
  /** As `FileSystem.sync`. */
  sync(): MaybePromise<void>
  close(): MaybePromise<void>
}

/** The record of a new root. */
export function rootRecord(now: number): FileRecord {
  return newRecord({ type: 'directory', ino: ROOT, mode: 0o755, now })
}

/** The record of something new and empty. */
export function newRecord(made: {
  readonly type: FileRecord['type']
  readonly ino: number
  readonly mode: number
  readonly now: number
  readonly size?: number
  readonly target?: string
}): FileRecord {
  const { type, ino, mode, now, size = 0, target = '' } = made
  return {
    type,
    ino,
    mode,
    size,
    nlink: type === 'directory' ? 2 : 1,
    mtimeMs: now,
    atimeMs: now,
    ctimeMs: now,
    birthtimeMs: now,
    uid: OWNER,
    gid: OWNER,
    target,
  }
}

const OWNER = 1000
