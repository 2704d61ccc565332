import { FileSystemError, hasCode, WorkspaceError } from '../../src/errors.ts'
import { type FileSystemSpace, LinkMet } from '../../src/fs/file-system.ts'
import { chain, drive, rescue, type Steps } from '../../src/fs/maybe.ts'
import { find } from '../../src/fs/record-walk.ts'
import { type FileRecords, type RecordReader, type RecordWriter, ROOT, rootRecord, UNNAMED } from '../../src/fs/records.ts'
import { type Host, isPromise, type MaybePromise, randomId } from '../../src/host.ts'
import { type DatabaseOptions, IndexedDatabase, promisifyRequest } from './indexed-database.ts'
import { isActive } from './is-active.ts'
import { RecordCache } from './record-cache.ts'
import { CHUNKS, type DatabaseState, NAMES, RecordTransaction, STATE, versionOf } from './record-transaction.ts'
import { keepStorage } from './storage-kept.ts'
import { WriteBatch } from './write-batch.ts'

/** Where {@link IndexedDBRecords} are, and when a write has happened. */
export interface IndexedDBRecordsOptions extends DatabaseOptions {
  readonly name: string
  readonly host: Host
  /** True: a write answers when it is on the disk; else as soon as it is made, and `sync` waits for the disk. */
  readonly isStrict: boolean
}

const LAYOUT = 1
/** Names that are kept in memory: some tens of megabytes. */
const CACHED_NAMES = 100_000

/**
 * Records in an IndexedDB database, which any number of pages and workers may use at a time.
 *
 * What was read stays in memory. Each transaction first looks whether the database is still in the version that this is of; as long as it is active then,
 * that is, for all that follows in the same task of the event loop, nobody can change the database, and no request is needed for what is known. So a
 * listing of thousands of files takes one transaction, and thousands of small writes a few.
 */
export class IndexedDBRecords implements FileRecords {
  readonly #database: IndexedDatabase
  readonly #host: Host
  readonly #isStrict: boolean
  readonly #cache = new RecordCache(CACHED_NAMES)
  /** Of the transaction that last read. */
  #lookedAt: IDBObjectStore | null = null
  /** The last transaction that writes, while it isn't complete. */
  #batch: WriteBatch | null = null
  /** Writes that wait for their turn, and the last of them. */
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  /** What writes that were answered failed with. */
  #failure: Error | null = null
  #closed = false

  /** Touches nothing yet. */
  constructor(options: IndexedDBRecordsOptions) {
    this.#host = options.host
    this.#isStrict = options.isStrict
    this.#database = new IndexedDatabase({ name: options.name, version: LAYOUT, stores: [NAMES, CHUNKS, STATE] }, options)
  }

  read<T>(path: string, run: (records: RecordReader) => Steps<T>): MaybePromise<T> {
    this.#check()
    if (this.#isCurrent) {
      try {
        return drive(run(this.#cached))
      } catch (error) {
        if (error !== UNKNOWN) throw error
      }
    }
    const batch = this.#batch
    if (batch === null) return this.#readStored(path, run)
    return batch.isOpen && this.#waiting === 0 ? this.#inBatch(batch, path, run) : this.#readInTurn(path, run)
  }

  write<T>(path: string, run: (records: RecordWriter) => Steps<T>): MaybePromise<T> {
    this.#check()
    this.#demandWritten()
    const batch = this.#batch
    if (this.#isStrict || !batch?.isOpen || this.#waiting > 0) return this.#inTurn(path, run)
    return this.#inBatch(batch, path, run)
  }

  /** Resolves when all that was answered is on the disk; rejects where some of it could not be brought there. */
  sync(): MaybePromise<void> {
    if (this.#waiting === 0 && this.#batch === null) return this.#demandWritten()
    return this.#synced()
  }

  async space(path: string): Promise<FileSystemSpace> {
    await this.read(path, (records) => find(records, path))
    // Not everywhere, whatever the types say.
    const storage: Partial<StorageManager> | undefined = navigator.storage
    const { quota, usage } = (await storage?.estimate?.()) ?? {}
    if (quota === undefined || usage === undefined) return { total: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER }
    return { total: quota, free: Math.max(0, quota - usage) }
  }

  close(): MaybePromise<void> {
    return chain(this.sync(), () => {
      this.#closed = true
      this.#cache.clear()
      this.#database.close()
    })
  }

  readonly #cached: RecordReader = {
    name: (directory, name) => known(this.#cache.name(directory, name)),
    names: (directory) => [...known(this.#cache.names(directory))],
    chunks: (ino, from, to) => Array.from({ length: to - from + 1 }, (_, i) => known(this.#cache.chunk(ino, from + i))),
  }

  async #readStored<T>(path: string, run: (records: RecordReader) => Steps<T>): Promise<T> {
    for (;;) {
      const outcome = await this.#outcomeStored(path, run)
      if (outcome !== null) return outcome()
      // Makes the root.
      await (await this.#begin(path)).done
    }
  }

  /** Null where there is no root yet. Comes before the transaction ends, in a task in which the names in memory are those of the database. */
  #outcomeStored<T>(path: string, run: (records: RecordReader) => Steps<T>): Promise<(() => T) | null> {
    return new Promise((resolve, reject) => {
      const transaction = this.#transact('readonly', `read ${JSON.stringify(path)}`, path, async (names) => {
        const state = await stateOf(names)
        if (state === undefined) return resolve(null)
        this.#cache.enter(versionOf(state))
        const outcome = await outcomeOf(path, () => drive(run(new RecordTransaction(names, this.#cache, state))))
        if (this.#cache.version === versionOf(state)) this.#lookedAt = names
        resolve(outcome)
      })
      transaction.catch(reject)
    })
  }

  /** Reads in the transaction that writes, as long as there is one. */
  #readInTurn<T>(path: string, run: (records: RecordReader) => Steps<T>): Promise<T> {
    const work = this.#turn.then(async () => {
      const batch = this.#batch
      return batch !== null && (await batch.enter()) ? runIn(batch, path, run) : this.#readStored(path, run)
    })
    this.#hold(work)
    return work
  }

  /** Writes one after the other, in the transaction of the one before as long as that takes more. */
  async #inTurn<T>(path: string, run: (records: RecordWriter) => Steps<T>): Promise<T> {
    const work = this.#turn.then(async () => {
      const last = this.#batch
      const batch = last !== null && (await last.enter()) ? last : await this.#begin(path)
      return { batch, value: await runIn(batch, path, run) }
    })
    this.#hold(work)
    const { batch, value } = await work
    if (this.#isStrict) await batch.done
    return value
  }

  /** Runs in a batch that is open and idle. */
  #inBatch<T>(batch: WriteBatch, path: string, run: (records: RecordWriter) => Steps<T>): MaybePromise<T> {
    const value = runIn(batch, path, run)
    if (isPromise(value)) this.#hold(value)
    return value
  }

  /** Lets the next one wait. */
  #hold(work: Promise<unknown>): void {
    const done = (): void => {
      this.#waiting -= 1
    }
    this.#waiting += 1
    this.#turn = work.then(done, done)
  }

  #begin(path: string): Promise<WriteBatch> {
    keepStorage()
    return new Promise((resolve, reject) => {
      let batch: WriteBatch | null = null
      const transaction = this.#transact('readwrite', `write ${JSON.stringify(path)}`, path, async (names) => {
        const state = (await stateOf(names)) ?? makeRoot(names, this.#host)
        this.#cache.enter(versionOf(state))
        batch = new WriteBatch(names, new RecordTransaction(names, this.#cache, state), this.#host, done)
        this.#batch = batch
        resolve(batch)
      })
      const done = transaction
        .catch((error: Error) => {
          this.#cache.clear()
          if (batch !== null && !this.#isStrict) this.#failure ??= error
          throw error
        })
        .finally(() => {
          if (this.#batch === batch) this.#batch = null
        })
      done.catch(reject)
    })
  }

  async #transact<T>(mode: IDBTransactionMode, action: string, path: string, work: (names: IDBObjectStore) => Promise<T>): Promise<T> {
    try {
      return await this.#database.use(NAMES, action)(mode, work)
    } catch (error) {
      throw fileError(error, path)
    }
  }

  async #synced(): Promise<void> {
    await this.#turn
    // What it failed with is kept.
    await this.#batch?.done.catch(() => undefined)
    this.#demandWritten()
  }

  /** What is in memory is what the database holds: a transaction is active that saw so, and no operation is half done in it. */
  get #isCurrent(): boolean {
    if (this.#batch !== null) return this.#waiting === 0 && this.#batch.isActive
    return this.#lookedAt !== null && isActive(this.#lookedAt)
  }

  #demandWritten(): void {
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure
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

/** Runs an operation in a batch. Where its transaction was aborted, that knows why. */
function runIn<T>(batch: WriteBatch, path: string, run: (records: RecordWriter) => Steps<T>): MaybePromise<T> {
  return rescue(
    () => batch.run(run),
    (error) => {
      if (error instanceof LinkMet || error instanceof WorkspaceError) throw error
      return batch.done.then(() => {
        throw fileError(error, path)
      })
    },
  )
}

/** A function that gives or throws what the work came to. */
async function outcomeOf<T>(path: string, work: () => MaybePromise<T>): Promise<() => T> {
  try {
    const value = await work()
    return () => value
  } catch (error) {
    return () => {
      throw fileError(error, path)
    }
  }
}

function stateOf(names: IDBObjectStore): Promise<DatabaseState | undefined> {
  return promisifyRequest<DatabaseState | undefined>(names.transaction.objectStore(STATE).get(STATE))
}

function makeRoot(names: IDBObjectStore, host: Host): DatabaseState {
  const state: DatabaseState = { id: randomId(host), generation: 0, lastIno: ROOT }
  names.put(rootRecord(host.now()), [UNNAMED, String(ROOT)])
  names.transaction.objectStore(STATE).put(state, STATE)
  return state
}

function fileError(error: unknown, path: string): Error {
  if (error instanceof LinkMet || error instanceof FileSystemError) return error
  if (hasCode(error, 'ENOSPC')) return new FileSystemError('ENOSPC', path, { cause: error })
  if (hasCode(error, 'STORE_UNAVAILABLE') || !(error instanceof WorkspaceError)) return new FileSystemError('EIO', path, { cause: error })
  return error
}
