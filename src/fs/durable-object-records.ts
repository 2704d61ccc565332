import { decode, encode } from '../bytes.ts'
import { FileSystemError, WorkspaceError } from '../errors.ts'
import { type Host, type MaybePromise, webHost } from '../host.ts'
import { type DurableObjectStorage, demandSql, type SqlValue } from '../store/durable-object-storage.ts'
import { type FileSystemSpace, LinkMet } from './file-system.ts'
import { drive, type Steps } from './maybe.ts'
import { find } from './record-walk.ts'
import { type FileRecords, type NameRecord, type RecordReader, type RecordWriter, ROOT, rootRecord, UNNAMED } from './records.ts'

type Row = Readonly<Record<string, SqlValue>>

const LAYOUT = 1
/** Bytes that an object may hold in all. */
const OBJECT_BYTES = 10_000_000_000

/** Names are bytes, since SQLite's text can't hold what is no UTF-8; records are JSON. */
const TABLES = `
CREATE TABLE IF NOT EXISTS mirage_file_state (layout INTEGER NOT NULL, last_ino INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS mirage_file_names (directory INTEGER, name BLOB, record TEXT NOT NULL, PRIMARY KEY (directory, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mirage_file_chunks (ino INTEGER, number INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (ino, number));
`
const GET_NAME = 'SELECT record FROM mirage_file_names WHERE directory = ? AND name = ?'
const LIST_NAMES = 'SELECT name, record FROM mirage_file_names WHERE directory = ?'
const SET_NAME = 'INSERT OR REPLACE INTO mirage_file_names VALUES (?, ?, ?)'
const DELETE_NAME = 'DELETE FROM mirage_file_names WHERE directory = ? AND name = ?'
const GET_CHUNKS = 'SELECT number, bytes FROM mirage_file_chunks WHERE ino = ? AND number BETWEEN ? AND ?'
const SET_CHUNK = 'INSERT OR REPLACE INTO mirage_file_chunks VALUES (?, ?, ?)'
const DELETE_CHUNKS = 'DELETE FROM mirage_file_chunks WHERE ino = ? AND number >= ?'
const NEW_INO = 'UPDATE mirage_file_state SET last_ino = last_ino + 1 RETURNING last_ino'

/** Records in the storage of a Durable Object, which answers at once. */
export class DurableObjectRecords implements FileRecords {
  readonly #storage: DurableObjectStorage
  #closed = false

  constructor(storage: DurableObjectStorage, host: Pick<Host, 'now'> = webHost) {
    this.#storage = storage
    demandSql(storage)
    storage.transactionSync(() => this.#prepare(host.now()))
  }

  read<T>(path: string, run: (records: RecordReader) => Steps<T>): MaybePromise<T> {
    return this.#run(path, () => drive(run(this.#records)))
  }

  write<T>(path: string, run: (records: RecordWriter) => Steps<T>): MaybePromise<T> {
    return this.#run(path, () => this.#storage.transactionSync(() => drive(run(this.#records))))
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    const { sql } = this.#storage
    return this.read(path, function* (records) {
      yield* find(records, path)
      return { total: OBJECT_BYTES, free: Math.max(0, OBJECT_BYTES - sql.databaseSize) }
    })
  }

  /** Nothing leaves the object before it is durable. */
  sync(): void {}

  /** The object's storage stays open. */
  close(): void {
    this.#closed = true
  }

  readonly #records: RecordWriter = {
    name: (directory, name) => this.#rows(GET_NAME, directory, encode(name)).map(recordOf)[0],
    names: (directory) => this.#rows(LIST_NAMES, directory).map((row) => [decode(bytesOf(row.name)), recordOf(row)] as const),
    chunks: (ino, from, to) => {
      const chunks = new Array<Uint8Array | undefined>(to - from + 1).fill(undefined)
      for (const row of this.#rows(GET_CHUNKS, ino, from, to)) chunks[(row.number as number) - from] = bytesOf(row.bytes)
      return chunks
    },
    newIno: () => this.#rows(NEW_INO)[0]?.last_ino as number,
    setName: (directory, name, record) => void this.#rows(SET_NAME, directory, encode(name), JSON.stringify(record)),
    deleteName: (directory, name) => void this.#rows(DELETE_NAME, directory, encode(name)),
    setChunk: (ino, index, bytes) => void this.#rows(SET_CHUNK, ino, index, bytes),
    deleteChunks: (ino, from) => void this.#rows(DELETE_CHUNKS, ino, from),
  }

  #prepare(now: number): void {
    this.#storage.sql.exec(TABLES)
    const state = this.#rows('SELECT layout FROM mirage_file_state')[0]
    if (state === undefined) {
      this.#rows('INSERT INTO mirage_file_state VALUES (?, ?)', LAYOUT, ROOT)
      this.#rows(SET_NAME, UNNAMED, encode(String(ROOT)), JSON.stringify(rootRecord(now)))
    } else if ((state.layout as number) > LAYOUT) {
      const text = `the files of this Durable Object have the layout ${state.layout}, which a newer version made; this one knows ${LAYOUT}`
      throw new WorkspaceError('VERSION_UNSUPPORTED', text)
    }
  }

  #rows(query: string, ...bindings: readonly (SqlValue | Uint8Array)[]): readonly Row[] {
    return [...this.#storage.sql.exec(query, ...bindings)]
  }

  #run<T>(path: string, work: () => T): T {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the file system is closed')
    try {
      return work()
    } catch (error) {
      if (error instanceof WorkspaceError || error instanceof LinkMet) throw error
      // SQLite's name of the failure is all that the runtime tells.
      throw new FileSystemError(/\bSQLITE_FULL\b/.test(String(error)) ? 'ENOSPC' : 'EIO', path, { cause: error })
    }
  }
}

function recordOf(row: Row): NameRecord {
  return JSON.parse(row.record as string) as NameRecord
}

function bytesOf(value: SqlValue | undefined): Uint8Array {
  return new Uint8Array(value as ArrayBuffer)
}
