import { FileSystemError, hasCode, WorkspaceError } from '../../src/errors.ts'
import { type FileSystemSpace, LinkMet } from '../../src/fs/file-system.ts'
import { drive, type Steps } from '../../src/fs/maybe.ts'
import { find } from '../../src/fs/record-walk.ts'
import { type FileRecords, type NameRecord, type RecordReader, type RecordWriter, ROOT, rootRecord, UNNAMED } from '../../src/fs/records.ts'
import type { Host, MaybePromise } from '../../src/host.ts'
import { type DatabaseOptions, IndexedDatabase, promisifyRequest } from './indexed-database.ts'
import { randomToken } from './random-token.ts'
import { RecordCache } from './record-cache.ts'
import { RecordChanges } from './record-changes.ts'
import { keepStorage } from './storage-kept.ts'

/** Where {@link IndexedDBRecords} are. */
export interface IndexedDBRecordsOptions extends DatabaseOptions {
  readonly name: string
  readonly host: Host
}

const LAYOUT = 1
/** Records by `[directory, name]`. */
const NAMES = 'names'
/** Bytes by `[inode number, index]`. */
const CHUNKS = 'chunks'
/** One record. */
const STATE = 'state'
const STATE_KEY = 'state'
/** Names that are kept in memory: some tens of megabytes. */
const CACHED_NAMES = 100_000
/** Bytes of chunks that a transaction holds back. */
const HELD_BYTES = 1024 * 1024

interface State {
  /** Which database this is: another one may have been made in its place. */
  readonly id: string
  /** Counts the transactions that changed something. */
  readonly generation: number
  readonly lastIno: number
}

/**
 * Records in an IndexedDB database, which any number of pages and workers may use at a time. Names that were read stay in memory: each
 * transaction first looks whether the database is still the one they were read from. Within one task of the event loop, which nothing from another
 * page can reach, it looks once; so a listing of thousands of files takes one transaction.
 */
export class IndexedDBRecords implements FileRecords {
  readonly #database: IndexedDatabase
  readonly #host: Host
  readonly #cache = new RecordCache(CACHED_NAMES)
  #isFresh = false
  #closed = false

  /** Touches nothing yet. */
  constructor(options: IndexedDBRecordsOptions) {
    this.#host = options.host
    this.#database = new IndexedDatabase({ name: options.name, version: LAYOUT, stores: [NAMES, CHUNKS, STATE] }, options)
  }

  read<T>(path: string, run: (records: RecordReader) => Steps<T>): MaybePromise<T> {
    this.#check()
    if (this.#isFresh) {
      try {
        return drive(run(this.#cached))
      } catch (error) {
        if (error !== UNKNOWN) throw error
      }
    }
    return this.#readStored(path, run)
  }

  async write<T>(path: string, run: (records: RecordWriter) => Steps<T>): Promise<T> {
    this.#check()
    keepStorage()
    const changes = new RecordChanges()
    let before = ''
    let after: State | null = null
    const result = await this.#transact('readwrite', 'write', path, async (names) => {
      const state = (await stateOf(names)) ?? makeRoot(names, this.#host)
      before = this.#enter(state)
      const writer = new StoredRecords(names, this.#cache, changes, state.lastIno)
      const value = await drive(run(writer))
      if (writer.finish()) {
        after = { ...state, generation: state.generation + 1, lastIno: writer.lastIno }
        names.transaction.objectStore(STATE).put(after, STATE_KEY)
      }
      names.transaction.commit()
      return value
    })
    if (after !== null && this.#cache.version === before) this.#cache.change(versionOf(after), changes.changedNames())
    this.#refreshed()
    return result
  }

  async space(path: string): Promise<FileSystemSpace> {
    await this.read(path, (records) => find(records, path))
    // Not everywhere, whatever the types say.
    const storage: Partial<StorageManager> | undefined = navigator.storage
    const { quota, usage } = (await storage?.estimate?.()) ?? {}
    if (quota === undefined || usage === undefined) return { total: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER }
    return { total: quota, free: Math.max(0, quota - usage) }
  }

  close(): void {
    this.#closed = true
    this.#isFresh = false
    this.#cache.clear()
    this.#database.close()
  }

  readonly #cached: RecordReader = {
    name: (directory, name) => known(this.#cache.name(directory, name)),
    names: (directory) => [...known(this.#cache.names(directory))],
    chunks: () => known<readonly Uint8Array[]>(null),
  }

  async #readStored<T>(path: string, run: (records: RecordReader) => Steps<T>): Promise<T> {
    for (;;) {
      const result = await this.#transact('readonly', 'read', path, async (names) => {
        const state = await stateOf(names)
        if (state === undefined) return null
        this.#enter(state)
        this.#refreshed()
        return { value: await drive(run(new StoredRecords(names, this.#cache, new RecordChanges(), state.lastIno))) }
      })
      if (result !== null) return result.value
      // Makes the root.
      await this.write(path, function* () {})
    }
  }

  /** Runs in one transaction. What the work itself fails with is passed on. */
  async #transact<T>(mode: IDBTransactionMode, action: string, path: string, work: (names: IDBObjectStore) => Promise<T>): Promise<T> {
    let failed: { readonly error: unknown } | null = null
    try {
      return await this.#database.use(NAMES, `${action} ${JSON.stringify(path)}`)(mode, async (names) => {
        try {
          return await work(names)
        } catch (error) {
          failed = { error }
          throw error
        }
      })
    } catch (error) {
      const { error: own } = failed ?? { error }
      throw own instanceof LinkMet || own instanceof FileSystemError ? own : fileError(error, path)
    }
  }

  #enter(state: State): string {
    const version = versionOf(state)
    this.#cache.enter(version)
    return version
  }

  /** Names in memory are what the database holds, for the rest of this task. */
  #refreshed(): void {
    if (this.#isFresh || this.#closed) return
    this.#isFresh = true
    this.#host.breathe().then(() => {
      this.#isFresh = false
    })
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the file system is closed')
  }
}

/** Thrown where memory doesn't know. */
const UNKNOWN = new Error('not in memory')

function known<T>(value: T | null): T {
  if (value === null) throw UNKNOWN
  return value
}

/** The records of one transaction. */
class StoredRecords implements RecordWriter {
  readonly #names: IDBObjectStore
  readonly #chunks: IDBObjectStore
  readonly #cache: RecordCache
  readonly #version: string
  readonly #changes: RecordChanges
  #isChanged = false
  lastIno: number

  constructor(names: IDBObjectStore, cache: RecordCache, changes: RecordChanges, lastIno: number) {
    this.#names = names
    this.#chunks = names.transaction.objectStore(CHUNKS)
    this.#cache = cache
    this.#version = cache.version
    this.#changes = changes
    this.lastIno = lastIno
  }

  name(directory: number, name: string): MaybePromise<NameRecord | undefined> {
    const changed = this.#changes.name(directory, name)
    if (changed !== null) return changed
    const cached = this.#isCurrent ? this.#cache.name(directory, name) : null
    return cached !== null ? cached : this.#storedName(directory, name)
  }

  names(directory: number): MaybePromise<readonly (readonly [string, NameRecord])[]> {
    const cached = this.#isCurrent ? this.#cache.names(directory) : null
    return cached !== null ? [...this.#changes.names(directory, cached)] : this.#storedNames(directory)
  }

  chunks(ino: number, from: number, to: number): MaybePromise<readonly (Uint8Array | undefined)[]> {
    const held = Array.from({ length: to - from + 1 }, (_, i) => this.#changes.chunk(ino, from + i))
    if (held.every((chunk) => chunk !== null)) return held
    return this.#storedChunks(ino, from, to).then((stored) => held.map((chunk, i) => (chunk === null ? stored[i] : chunk)))
  }

  newIno(): number {
    this.lastIno += 1
    return this.lastIno
  }

  setName(directory: number, name: string, record: NameRecord): void {
    this.#isChanged = true
    this.#changes.setName(directory, name, record)
  }

  deleteName(directory: number, name: string): void {
    this.#isChanged = true
    this.#changes.setName(directory, name, undefined)
  }

  setChunk(ino: number, index: number, bytes: Uint8Array): void {
    this.#isChanged = true
    this.#changes.setChunk(ino, index, bytes)
    if (this.#changes.bytes > HELD_BYTES) this.#storeChunks()
  }

  deleteChunks(ino: number, from: number): void {
    this.#isChanged = true
    this.#changes.deleteChunks(ino, from)
  }

  /** Hands all changes to the database; false where there are none. */
  finish(): boolean {
    this.#storeChunks()
    for (const [directory, name, record] of this.#changes.changedNames()) {
      if (record === undefined) this.#names.delete([directory, name])
      else this.#names.put(record, [directory, name])
    }
    return this.#isChanged
  }

  /** False once the memory went on to another version than this transaction sees. */
  get #isCurrent(): boolean {
    return this.#cache.version === this.#version
  }

  async #storedName(directory: number, name: string): Promise<NameRecord | undefined> {
    const record = await promisifyRequest<NameRecord | undefined>(this.#names.get([directory, name]))
    if (record !== undefined && this.#isCurrent) this.#cache.addName(directory, name, record)
    return record
  }

  async #storedNames(directory: number): Promise<readonly (readonly [string, NameRecord])[]> {
    const range = IDBKeyRange.bound([directory], [directory, []])
    const [keys, records] = await Promise.all([
      promisifyRequest<IDBValidKey[]>(this.#names.getAllKeys(range)),
      promisifyRequest<NameRecord[]>(this.#names.getAll(range)),
    ])
    const names = new Map(keys.map((key, i) => [(key as [number, string])[1], records[i] as NameRecord]))
    if (this.#isCurrent) this.#cache.addNames(directory, names)
    return [...this.#changes.names(directory, names)]
  }

  async #storedChunks(ino: number, from: number, to: number): Promise<readonly (Uint8Array | undefined)[]> {
    if (to > from) {
      const all = await promisifyRequest<Uint8Array[]>(this.#chunks.getAll(IDBKeyRange.bound([ino, from], [ino, to])))
      if (all.length === to - from + 1) return all
    }
    const indexes = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    return Promise.all(indexes.map((index) => promisifyRequest<Uint8Array | undefined>(this.#chunks.get([ino, index]))))
  }

  #storeChunks(): void {
    for (const [ino, { deletedFrom, chunks }] of this.#changes.takeChunks()) {
      if (deletedFrom !== Number.POSITIVE_INFINITY) this.#chunks.delete(IDBKeyRange.bound([ino, deletedFrom], [ino, []]))
      for (const [index, bytes] of chunks) this.#chunks.put(bytes, [ino, index])
    }
  }
}

function stateOf(names: IDBObjectStore): Promise<State | undefined> {
  return promisifyRequest<State | undefined>(names.transaction.objectStore(STATE).get(STATE_KEY))
}

function makeRoot(names: IDBObjectStore, host: Host): State {
  const state: State = { id: randomToken(host), generation: 0, lastIno: ROOT }
  names.put(rootRecord(host.now()), [UNNAMED, String(ROOT)])
  names.transaction.objectStore(STATE).put(state, STATE_KEY)
  return state
}

function versionOf({ id, generation }: State): string {
  return `${id}.${generation}`
}

function fileError(error: unknown, path: string): Error {
  if (hasCode(error, 'ENOSPC')) return new FileSystemError('ENOSPC', path, { cause: error })
  if (hasCode(error, 'STORE_UNAVAILABLE') || !(error instanceof WorkspaceError)) return new FileSystemError('EIO', path, { cause: error })
  return error
}
