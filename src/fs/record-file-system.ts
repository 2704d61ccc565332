import { encode } from '../bytes.ts'
import { FileSystemError, type PosixCode } from '../errors.ts'
import { type Host, type MaybePromise, webHost } from '../host.ts'
import { checkName, missingName } from './file-name.ts'
import {
  type CreateOptions,
  type Dirent,
  type FileAttributes,
  type FileStat,
  type FileSystem,
  type FileSystemCapabilities,
  type FileSystemSpace,
  LinkMet,
} from './file-system.ts'
import { type Steps, wait } from './maybe.ts'
import { isWithin } from './path.ts'
import { cutContent, readContent, writeContent } from './record-content.ts'
import { copyRecords, isTooLargeToCopy, removeRecords } from './record-trees.ts'
import { attach, detach, enter, type Found, find, findFile, findFree, findTarget, lookUp, type Place, setRecord } from './record-walk.ts'
import { type FileRecord, type FileRecords, newRecord, type RecordReader, type RecordWriter, UNNAMED } from './records.ts'

/**
 * A file system over records with transactions. Each operation is one transaction, so another instance on the same records, or the end of the
 * process at any moment, finds it done or not begun. Content lies in chunks of 64 KiB: reads and writes of a range touch those it runs over.
 * `copyTree` takes up to 256 MiB of content, ENOTSUP beyond.
 */
export class RecordFileSystem implements FileSystem {
  readonly capabilities: FileSystemCapabilities = CAPABILITIES
  readonly #records: FileRecords
  readonly #host: Pick<Host, 'now'>

  constructor(records: FileRecords, host: Pick<Host, 'now'> = webHost) {
    this.#records = records
    this.#host = host
  }

  stat(path: string): MaybePromise<FileStat> {
    return this.#read(path, function* (records) {
      return statOf((yield* findTarget(records, path)).record)
    })
  }

  lstat(path: string): MaybePromise<FileStat> {
    return this.#read(path, function* (records) {
      return statOf((yield* find(records, path)).record)
    })
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    return this.#read(path, function* (records) {
      const { record } = yield* findTarget(records, path)
      if (record.type !== 'directory') throw failure('ENOTDIR', path)
      const names = yield* wait(records.names(record.ino))
      return names.map(([name, entry]) => ({ name, type: entry.type === 'linked' ? entry.of : entry.type }))
    })
  }

  read(path: string, offset = 0, length: number = Number.MAX_SAFE_INTEGER): MaybePromise<Uint8Array> {
    return this.#read(path, function* (records) {
      const { record } = yield* findFile(records, path)
      if (offset < 0 || length < 0) throw failure('EINVAL', path)
      try {
        return yield* readContent(records, record.ino, offset, Math.min(record.size, offset + length))
      } catch (cause) {
        // More than one array can hold.
        if (cause instanceof RangeError) throw new FileSystemError('EFBIG', path, { cause })
        throw cause
      }
    })
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const place = yield* enter(records, path)
      const file = yield* fileToWrite(records, place, options)
      if (file === undefined) return yield* create(records, place, data, options, now)
      const { ino, size } = file.record
      yield* cutContent(records, ino, size, 0)
      yield* writeContent(records, ino, 0, 0, data)
      setRecord(records, file, modified(file.record, data.length, now))
    })
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const place = yield* enter(records, path)
      const file = yield* fileToWrite(records, place, options)
      if (file === undefined) yield* create(records, place, data, options, now)
      else yield* overwrite(records, file, file.record.size, data, now)
    })
  }

  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const file = yield* findFile(records, path)
      if (offset < 0) throw failure('EINVAL', path)
      yield* overwrite(records, file, offset, data, now)
    })
  }

  truncate(path: string, size: number): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const file = yield* findFile(records, path)
      if (size < 0) throw failure('EINVAL', path)
      if (size > Number.MAX_SAFE_INTEGER) throw failure('EFBIG', path)
      yield* cutContent(records, file.record.ino, file.record.size, size)
      setRecord(records, file, modified(file.record, size, now))
    })
  }

  mkdir(path: string, mode = 0o777): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const place = yield* findFree(records, path)
      yield* attach(records, place, newRecord({ type: 'directory', ino: records.newIno(), mode: mode & MODE_BITS, now }), now)
    })
  }

  rmdir(path: string): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const found = yield* find(records, path)
      if (path === '/') throw failure('EBUSY', path)
      if (found.record.type !== 'directory') throw failure('ENOTDIR', path)
      if (found.record.size > 0) throw failure('ENOTEMPTY', path)
      yield* detach(records, found, found.entry, now)
    })
  }

  unlink(path: string): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const found = yield* find(records, path)
      if (found.record.type === 'directory') throw failure('EISDIR', path)
      yield* remove(records, found, now)
    })
  }

  rename(from: string, to: string): MaybePromise<void> {
    return this.#write(from, function* (records, now) {
      const origin = yield* enter(records, from)
      const place = yield* enter(records, to)
      if (origin.name === '' || place.name === '') throw failure('EBUSY', origin.name === '' ? from : to)
      const moved = yield* lookUp(records, origin)
      if (moved === undefined) throw missingName(origin.name, from)
      if (from === to) return
      if (isWithin(to, from)) throw failure('EINVAL', to)
      const replaced = yield* lookUp(records, place)
      if (replaced === undefined) checkName(place.name, to)
      else if (isWithin(from, to)) throw failure('ENOTEMPTY', to)
      else if (replaced.record.ino === moved.record.ino) return
      else checkReplaceable(moved.record, replaced.record, to)

      if (replaced !== undefined) yield* remove(records, replaced, now)
      yield* detach(records, origin, moved.entry, now)
      const record = { ...moved.record, ctimeMs: now }
      if (moved.entry.type === 'linked') setRecord(records, moved, record)
      yield* attach(records, place, moved.entry.type === 'linked' ? moved.entry : record, now)
    })
  }

  link(existing: string, path: string): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const found = yield* find(records, existing)
      const place = yield* findFree(records, path)
      const { record } = found
      if (record.type === 'directory') throw failure('EPERM', existing)
      const entry = { type: 'linked', of: record.type, ino: record.ino } as const
      if (found.entry.type !== 'linked') records.setName(found.directory.ino, found.name, entry)
      records.setName(UNNAMED, String(record.ino), { ...record, nlink: record.nlink + 1, ctimeMs: now })
      yield* attach(records, place, entry, now)
    })
  }

  symlink(target: string, path: string): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      if (target === '') throw failure('ENOENT', path)
      const place = yield* findFree(records, path)
      const ino = records.newIno()
      yield* attach(records, place, newRecord({ type: 'symlink', ino, mode: 0o777, now, size: encode(target).length, target }), now)
    })
  }

  readlink(path: string): MaybePromise<string> {
    return this.#read(path, function* (records) {
      const { record } = yield* find(records, path)
      if (record.type !== 'symlink') throw failure('EINVAL', path)
      return record.target
    })
  }

  setattr(path: string, { mode, mtimeMs, atimeMs, uid, gid }: FileAttributes): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const found = yield* findTarget(records, path)
      const { record } = found
      setRecord(records, found, {
        ...record,
        mode: mode === undefined ? record.mode : mode & MODE_BITS,
        mtimeMs: mtimeMs ?? record.mtimeMs,
        atimeMs: atimeMs ?? record.atimeMs,
        uid: uid ?? record.uid,
        gid: gid ?? record.gid,
        ctimeMs: now,
      })
    })
  }

  copyTree(from: string, to: string): MaybePromise<void> {
    return this.#write(from, function* (records, now) {
      const { record } = yield* findTarget(records, from)
      if (record.type === 'directory' && isWithin(to, from)) throw failure('EINVAL', to)
      const place = yield* findFree(records, to)
      if (yield* isTooLargeToCopy(records, record)) throw failure('ENOTSUP', from)
      yield* attach(records, place, yield* copyRecords(records, record, now), now)
    })
  }

  removeTree(path: string): MaybePromise<void> {
    return this.#write(path, function* (records, now) {
      const found = yield* find(records, path)
      if (path === '/') throw failure('EBUSY', path)
      yield* remove(records, found, now)
    })
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    return this.#records.space(path)
  }

  sync(): MaybePromise<void> {
    return this.#records.sync()
  }

  close(): MaybePromise<void> {
    return this.#records.close()
  }

  #read<T>(path: string, run: (records: RecordReader) => Steps<T>): MaybePromise<T> {
    return this.#records.read(path, run)
  }

  #write(path: string, run: (records: RecordWriter, now: number) => Steps<void>): MaybePromise<void> {
    return this.#records.write(path, (records) => run(records, this.#host.now()))
  }
}

const CAPABILITIES: FileSystemCapabilities = {
  symlinks: true,
  hardLinks: true,
  attributes: true,
  partialWrites: true,
  trees: true,
  treeRemoval: true,
  readOnly: false,
}

const MODE_BITS = 0o7777
const DIRECTORY_SIZE = 4096

function failure(code: PosixCode, path: string): FileSystemError {
  return new FileSystemError(code, path)
}

function statOf(record: FileRecord): FileStat {
  const { target: _, ...stat } = record
  return { ...stat, size: record.type === 'directory' ? DIRECTORY_SIZE : record.size, dev: 1 }
}

/** Undefined where there is none yet. */
function* fileToWrite(records: RecordReader, place: Place, options: CreateOptions | undefined): Steps<Found | undefined> {
  const { path } = place
  const found = yield* lookUp(records, place)
  if (found === undefined) {
    checkName(place.name, path)
    return undefined
  }
  if (options?.exclusive) throw failure('EEXIST', path)
  if (found.record.type === 'symlink') throw new LinkMet(path, found.record.target)
  if (found.record.type === 'directory') throw failure('EISDIR', path)
  return found
}

function* create(records: RecordWriter, place: Place, data: Uint8Array, options: CreateOptions | undefined, now: number): Steps<void> {
  const ino = records.newIno()
  const mode = (options?.mode ?? 0o666) & MODE_BITS
  yield* writeContent(records, ino, 0, 0, data)
  yield* attach(records, place, newRecord({ type: 'file', ino, mode, now, size: data.length }), now)
}

function* overwrite(records: RecordWriter, file: Found, offset: number, data: Uint8Array, now: number): Steps<void> {
  if (data.length === 0) return
  const { ino, size } = file.record
  if (offset + data.length > Number.MAX_SAFE_INTEGER) throw failure('EFBIG', file.path)
  yield* writeContent(records, ino, size, offset, data)
  setRecord(records, file, modified(file.record, Math.max(size, offset + data.length), now))
}

/** Takes a name away, and with the last one what it stood for. */
function* remove(records: RecordWriter, found: Found, now: number): Steps<void> {
  yield* detach(records, found, found.entry, now)
  yield* removeRecords(records, found.entry, now)
}

function modified(record: FileRecord, size: number, now: number): FileRecord {
  return { ...record, size, mtimeMs: now, ctimeMs: now }
}

function checkReplaceable(moved: FileRecord, replaced: FileRecord, path: string): void {
  if (moved.type !== 'directory') {
    if (replaced.type === 'directory') throw failure('EISDIR', path)
    return
  }
  if (replaced.type !== 'directory') throw failure('ENOTDIR', path)
  if (replaced.size > 0) throw failure('ENOTEMPTY', path)
}
