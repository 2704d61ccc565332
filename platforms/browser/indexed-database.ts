import type { UseStore } from 'idb-keyval'
import { WorkspaceError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import { webHost } from '../../src/host.ts'
import { isNamed } from './handle-error.ts'
import { storageDenied, storageError } from './storage-error.ts'
import { withTimeLimit } from './time-limit.ts'

export { get as getStored, promisifyRequest } from 'idb-keyval'

/** What a database holds. */
export interface DatabaseLayout {
  readonly name: string
  /** Counts the layouts; a database of a higher one is refused with VERSION_UNSUPPORTED. */
  readonly version: number
  /** Its object stores, whose keys lie outside of their values. */
  readonly stores: readonly string[]
}

export interface DatabaseOptions {
  readonly host?: Host
  /** Milliseconds that opening, and each transaction, may take; 10,000 when left out. */
  readonly limitMs?: number
}

/**
 * A connection to an IndexedDB database. It is opened by the first call, closed for whoever wants to upgrade or delete the database, and
 * opened again by the next call. Nothing waits for ever: what the browser never answers fails with STORE_UNAVAILABLE.
 */
export class IndexedDatabase {
  readonly #layout: DatabaseLayout
  readonly #host: Host
  readonly #limitMs: number
  #opening: Promise<IDBDatabase> | null = null
  #closed = false

  /** Touches nothing yet. */
  constructor(layout: DatabaseLayout, options: DatabaseOptions = {}) {
    this.#layout = layout
    this.#host = options.host ?? webHost
    this.#limitMs = options.limitMs ?? 10_000
  }

  /**
   * Transactions that begin at the object store `name` and reach the others through `store.transaction`. They are all or nothing; one that
   * writes is on the disk when its promise resolves. `action` says what they do, as `write "a"`, for messages.
   *
   * CAPABILITY_UNSUPPORTED where the runtime has no IndexedDB or the browser keeps the page from it, ENOSPC where the browser gives no more
   * room, VERSION_UNSUPPORTED, CORRUPT for a database of something else, STORE_UNAVAILABLE.
   */
  use(name: string, action: string): UseStore {
    const what = `${action} in the IndexedDB database ${JSON.stringify(this.#layout.name)}`
    return async (mode, work) => {
      try {
        return await this.#attempt(name, what, mode, work, true)
      } catch (error) {
        throw await storageError(this.#host, what, error)
      }
    }
  }

  /** Ends when the transactions that run have ended. Using it afterwards fails with CLOSED. */
  close(): void {
    this.#closed = true
    this.#forget(this.#opening)
  }

  async #attempt<T>(
    name: string,
    what: string,
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => T | PromiseLike<T>,
    again: boolean,
  ): Promise<T> {
    const opening = this.#open(what)
    const database = await opening
    let transaction: IDBTransaction
    try {
      transaction = database.transaction(this.#layout.stores, mode, { durability: 'strict' })
    } catch (error) {
      // The connection was closed a moment ago, for an upgrade or by the browser.
      if (!again || !isNamed(error, 'InvalidStateError')) throw error
      this.#forget(opening)
      return this.#attempt(name, what, mode, work, false)
    }
    const late = (): WorkspaceError => {
      abortTransaction(transaction)
      // What hangs may hang the connection with it.
      this.#forget(opening)
      return new WorkspaceError('STORE_UNAVAILABLE', `cannot ${what}: the transaction has not ended within ${this.#limitMs} ms`)
    }
    return withTimeLimit(this.#host, this.#limitMs, run(transaction, name, work), late)
  }

  #open(what: string): Promise<IDBDatabase> {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the database is closed')
    if (this.#opening !== null) return this.#opening
    const opening = this.#openNow(what, () => this.#forget(opening))
    this.#opening = opening
    opening.catch(() => this.#forget(opening))
    return opening
  }

  /** `gone` is told when the connection is not to be used any more. */
  async #openNow(what: string, gone: () => void): Promise<IDBDatabase> {
    const { name, version, stores } = this.#layout
    if (typeof indexedDB === 'undefined' || indexedDB === null) {
      throw new WorkspaceError(
        'CAPABILITY_UNSUPPORTED',
        `cannot ${what}: this runtime has no IndexedDB; keep it in memory (RAMWorkspaceStateStore, RAMFileSystem)`,
      )
    }
    let blocked = false
    let abandoned = false
    const opened = new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, version)
      request.onupgradeneeded = () => {
        for (const store of stores) if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store)
      }
      request.onblocked = () => {
        blocked = true
      }
      request.onsuccess = () => {
        if (abandoned) request.result.close()
        resolve(request.result)
      }
      request.onerror = () => reject(request.error)
    })
    const late = (): WorkspaceError => {
      abandoned = true
      const why = blocked
        ? 'another page keeps it open in an older layout or is deleting it: close that page'
        : 'the browser does not answer'
      return new WorkspaceError('STORE_UNAVAILABLE', `cannot ${what}: it did not open within ${this.#limitMs} ms; ${why}`)
    }
    let database: IDBDatabase
    try {
      database = await withTimeLimit(this.#host, this.#limitMs, opened, late)
    } catch (error) {
      // Some browsers say so where nothing may be stored.
      if (isNamed(error, 'InvalidStateError')) throw storageDenied(what, error)
      if (!isNamed(error, 'VersionError')) throw error
      const text = `cannot ${what}: a newer version of this library made it; this one knows layouts up to ${version}`
      throw new WorkspaceError('VERSION_UNSUPPORTED', text, { cause: error })
    }
    const missing = stores.filter((store) => !database.objectStoreNames.contains(store))
    if (missing.length > 0) {
      database.close()
      throw new WorkspaceError(
        'CORRUPT',
        `cannot ${what}: it was made by something else (it has no ${missing.join(', ')}); use another root`,
      )
    }
    database.onversionchange = gone
    database.onclose = gone
    return database
  }

  /** Closes a connection once its transactions have ended; the next call opens a new one. */
  #forget(opening: Promise<IDBDatabase> | null): void {
    if (this.#opening === opening) this.#opening = null
    opening?.then(
      (database) => database.close(),
      () => undefined,
    )
  }
}

/** The result of the work once the transaction is complete. Work that fails undoes it. */
async function run<T>(transaction: IDBTransaction, name: string, work: (store: IDBObjectStore) => T | PromiseLike<T>): Promise<T> {
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
  try {
    const result = await work(transaction.objectStore(name))
    await ended
    return result
  } catch (error) {
    abortTransaction(transaction)
    await ended.catch(() => undefined)
    // Requests only say that their transaction was aborted; it knows why.
    throw isNamed(error, 'AbortError') || error === null ? (transaction.error ?? aborted()) : error
  }
}

/** Undoes what a transaction did, where it has not ended. */
export function abortTransaction(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch (error) {
    // It has ended by itself.
    if (!isNamed(error, 'InvalidStateError')) throw error
  }
}

function aborted(): DOMException {
  return new DOMException('the browser aborted the transaction', 'AbortError')
}
