import { FileSystemError } from '../errors.ts'
import { checkName, missingName } from './file-name.ts'
import { LinkMet } from './file-system.ts'
import { type Steps, wait } from './maybe.ts'
import { type FileRecord, type NameRecord, type RecordReader, type RecordWriter, ROOT, UNNAMED } from './records.ts'

/** Where a path ends: a name in a directory, and where the directory's own record lies. */
export interface Place {
  readonly path: string
  readonly directory: FileRecord
  readonly above: number
  readonly as: string
  /** '' for the root. */
  readonly name: string
}

/** A place where something is. */
export interface Found extends Place {
  readonly entry: NameRecord
  readonly record: FileRecord
}

const ROOT_NAME = String(ROOT)

/** Walks to the directory that holds the last name of `path`. */
export function* enter(records: RecordReader, path: string): Steps<Place> {
  let above = UNNAMED
  let as = ROOT_NAME
  let directory = (yield* wait(records.name(above, as))) as FileRecord
  let from = 1
  for (let slash = path.indexOf('/', 1); slash >= 0; slash = path.indexOf('/', from)) {
    const name = path.slice(from, slash)
    const entry = yield* wait(records.name(directory.ino, name))
    if (entry === undefined) throw missingName(name, path)
    if (entry.type !== 'directory') throw yield* blocked(records, entry, path, slash)
    above = directory.ino
    as = name
    directory = entry
    from = slash + 1
  }
  return { path, directory, above, as, name: path.slice(from) }
}

/** What is at a place; undefined where nothing is. */
export function* lookUp(records: RecordReader, place: Place): Steps<Found | undefined> {
  if (place.name === '') return { ...place, entry: place.directory, record: place.directory }
  const entry = yield* wait(records.name(place.directory.ino, place.name))
  if (entry === undefined) return undefined
  return { ...place, entry, record: yield* resolve(records, entry) }
}

/** What `path` leads to; ENOENT where nothing is. */
export function* find(records: RecordReader, path: string): Steps<Found> {
  const place = yield* enter(records, path)
  const found = yield* lookUp(records, place)
  if (found === undefined) throw missingName(place.name, path)
  return found
}

/** As `find`, of what is no symbolic link. */
export function* findTarget(records: RecordReader, path: string): Steps<Found> {
  const found = yield* find(records, path)
  if (found.record.type === 'symlink') throw new LinkMet(path, found.record.target)
  return found
}

/** As `findTarget`, of a file. */
export function* findFile(records: RecordReader, path: string): Steps<Found> {
  const found = yield* findTarget(records, path)
  if (found.record.type === 'directory') throw new FileSystemError('EISDIR', path)
  return found
}

/** A place where something can be made: EEXIST where something is. */
export function* findFree(records: RecordReader, path: string): Steps<Place> {
  const place = yield* enter(records, path)
  if (place.name === '' || (yield* wait(records.name(place.directory.ino, place.name))) !== undefined) {
    throw new FileSystemError('EEXIST', path)
  }
  checkName(place.name, path)
  return place
}

/** The record that an entry stands for. */
export function* resolve(records: RecordReader, entry: NameRecord): Steps<FileRecord> {
  if (entry.type !== 'linked') return entry
  return (yield* wait(records.name(UNNAMED, String(entry.ino)))) as FileRecord
}

/** Writes the record of what is at a place. */
export function setRecord(records: RecordWriter, place: Found, record: FileRecord): void {
  if (place.name === '') records.setName(UNNAMED, ROOT_NAME, record)
  else if (place.entry.type === 'linked') records.setName(UNNAMED, String(record.ino), record)
  else records.setName(place.directory.ino, place.name, record)
}

/** Puts an entry at a place where nothing is. */
export function* attach(records: RecordWriter, place: Place, entry: NameRecord, now: number): Steps<void> {
  records.setName(place.directory.ino, place.name, entry)
  yield* count(records, place, 1, entry.type === 'directory' ? 1 : 0, now)
}

/** Takes away the entry at a place. */
export function* detach(records: RecordWriter, place: Place, entry: NameRecord, now: number): Steps<void> {
  records.deleteName(place.directory.ino, place.name)
  yield* count(records, place, -1, entry.type === 'directory' ? -1 : 0, now)
}

/** Keeps the directory of a place in step with its names. */
function* count(records: RecordWriter, { above, as }: Place, names: number, directories: number, now: number): Steps<void> {
  const directory = (yield* wait(records.name(above, as))) as FileRecord
  const { size, nlink } = directory
  records.setName(above, as, { ...directory, size: size + names, nlink: nlink + directories, mtimeMs: now, ctimeMs: now })
}

/** A link on the way is for whoever follows links. */
function* blocked(records: RecordReader, entry: NameRecord, path: string, end: number): Steps<Error> {
  const record = yield* resolve(records, entry)
  return record.type === 'symlink' ? new LinkMet(path.slice(0, end), record.target) : new FileSystemError('ENOTDIR', path)
}
