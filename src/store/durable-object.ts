import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Host, MaybePromise } from '../host.ts'
import { randomId, webHost } from '../host.ts'
import { type DurableObjectStorage, demandSql, type SqlValue } from './durable-object-storage.ts'
import type { LeaseTable } from './local-leases.ts'
import { LocalLeases } from './local-leases.ts'
import { appendAlone, putAlone } from './one-change.ts'
import { refusedAt } from './refused-changes.ts'
import type {
  Lease,
  Store,
  StoreAppended,
  StoreCapabilities,
  StoreChange,
  StoreChanged,
  StoredValue,
  StoreWritten,
  Version,
} from './store.ts'
import { Watchers } from './watchers.ts'

type Row = Readonly<Record<string, SqlValue>>

/** Bytes of a row, at most: SQLite in a Durable Object takes 2 MB. */
const ROW_BYTES = 1 << 20

/** A value lies in its own row and, from the first append on or when it is long, in further ones, each with the place it begins at. */
const TABLES = `
CREATE TABLE IF NOT EXISTS mirage_values (key TEXT PRIMARY KEY, token TEXT NOT NULL, bytes BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mirage_parts (key TEXT, start INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (key, start)) WITHOUT ROWID;
`
const HEAD = `
SELECT token, coalesce(
  (SELECT start + length(bytes) FROM mirage_parts WHERE key = mirage_values.key ORDER BY start DESC LIMIT 1), length(bytes)
) AS size FROM mirage_values WHERE key = ?`
const PARTS = `
SELECT 0 AS start, bytes FROM mirage_values WHERE key = ?
UNION ALL SELECT start, bytes FROM mirage_parts WHERE key = ? ORDER BY start`

/** What instances on the storage of one object share. No other process ever works on it. */
interface Shared {
  readonly leases: LeaseTable
  readonly watchers: Watchers<string>
}

const sharedBy = new WeakMap<DurableObjectStorage, Shared>()

interface Head {
  readonly version: Version
  readonly size: number
}

/** A store in the storage of a Durable Object. An append writes one row, however long the value is. */
export class DurableObjectStore implements Store {
  readonly capabilities: StoreCapabilities = { append: true, leases: true, maxValueBytes: Number.POSITIVE_INFINITY, watch: true }
  readonly #storage: DurableObjectStorage
  readonly #host: Host
  readonly #leases: LocalLeases
  readonly #watchers: Watchers<string>
  #ready = false
  #closed = false

  constructor(storage: DurableObjectStorage, host: Host = webHost) {
    this.#storage = storage
    this.#host = host
    const shared: Shared = sharedBy.get(storage) ?? { leases: new Map(), watchers: new Watchers() }
    sharedBy.set(storage, shared)
    this.#leases = new LocalLeases(shared.leases)
    this.#watchers = shared.watchers
  }

  get(key: string, known?: Version): StoredValue | 'same' | null {
    return this.#run('read', key, () => {
      const head = this.#head(key)
      if (head === null) return null
      if (head.version === known) return 'same'
      const parts = this.#rows(PARTS, key, key).map(({ bytes }) => new Uint8Array(bytes as ArrayBuffer))
      return { bytes: concat(parts), version: head.version }
    })
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    return putAlone(this, key, bytes, expected, lease)
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    return appendAlone(this, key, bytes, size, lease)
  }

  async delete(key: string): Promise<boolean> {
    const existed = this.#run('delete', key, () => {
      if (this.#head(key) === null) return false
      this.#storage.transactionSync(() => {
        this.#storage.sql.exec('DELETE FROM mirage_values WHERE key = ?', key)
        this.#storage.sql.exec('DELETE FROM mirage_parts WHERE key = ?', key)
      })
      return true
    })
    if (existed) await this.#synced('delete', [key])
    return existed
  }

  list(prefix: string): readonly string[] {
    return this.#run('list', prefix, () => {
      // No character of a key comes after U+007F.
      const rows = this.#rows('SELECT key FROM mirage_values WHERE key >= ? AND key < ?', prefix, `${prefix}\x7f`)
      return rows.map(({ key }) => key as string)
    })
  }

  lease(key: string, signal?: AbortSignal, force = false): MaybePromise<Lease> {
    this.#check()
    return this.#leases.take(key, signal, force)
  }

  async write(changes: readonly StoreChange[], lease?: Lease, end = false): Promise<StoreChanged> {
    const keys = changes.map(({ key }) => key)
    const changed = this.#run<StoreChanged>('write', keys.join(', '), () => {
      if (changes.length > 0 && this.#leases.isLost(lease)) return { state: 'lost' }
      const at = refusedAt(changes, (key) => this.#head(key))
      if (at !== -1) return { state: 'conflict', at }
      return { state: 'written', values: this.#storage.transactionSync(() => changes.map((change) => this.#make(change))) }
    })
    if (changed.state !== 'written') return changed
    if (changes.length > 0) await this.#synced('write', keys)
    if (end) lease?.end()
    return changed
  }

  watch(changed: (key: string) => void): () => void {
    this.#check()
    return this.#watchers.add(changed)
  }

  /** The object's storage stays open. */
  close(): void {
    this.#closed = true
    this.#leases.endAll()
  }

  #head(key: string): Head | null {
    const row = this.#rows(HEAD, key)[0]
    if (row === undefined) return null
    const size = row.size as number
    return { version: versionOf(row.token as string, size), size }
  }

  #make({ type, key, bytes }: StoreChange): Head {
    const head = type === 'append' ? this.#head(key) : null
    if (head === null || head.size === 0) this.#replace(key, bytes)
    else this.#writeParts(key, head.size, bytes)
    return this.#head(key) as Head
  }

  #replace(key: string, bytes: Uint8Array): void {
    const token = randomId(this.#host)
    const first = bytes.subarray(0, ROW_BYTES)
    this.#storage.sql.exec('DELETE FROM mirage_parts WHERE key = ?', key)
    this.#storage.sql.exec('INSERT OR REPLACE INTO mirage_values VALUES (?, ?, ?)', key, token, first)
    this.#writeParts(key, first.length, bytes.subarray(first.length))
  }

  #writeParts(key: string, start: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += ROW_BYTES) {
      this.#storage.sql.exec('INSERT INTO mirage_parts VALUES (?, ?, ?)', key, start + at, bytes.subarray(at, at + ROW_BYTES))
    }
  }

  #rows(query: string, ...bindings: readonly string[]): readonly Row[] {
    return [...this.#storage.sql.exec(query, ...bindings)]
  }

  #run<T>(action: string, key: string, work: () => T): T {
    this.#check()
    try {
      if (!this.#ready) this.#prepare()
      return work()
    } catch (error) {
      throw storageError(action, key, error)
    }
  }

  #prepare(): void {
    demandSql(this.#storage)
    this.#storage.sql.exec(TABLES)
    this.#ready = true
  }

  async #synced(action: string, keys: readonly string[]): Promise<void> {
    try {
      await this.#storage.sync()
    } catch (error) {
      throw storageError(action, keys.join(', '), error)
    }
    for (const key of keys) this.#watchers.tell(key)
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}

/** A put gives a value a new token, an append only makes it longer. */
function versionOf(token: string, size: number): Version {
  return `${token}.${size}`
}

function storageError(action: string, key: string, error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const why = error instanceof Error ? error.message : String(error)
  return new WorkspaceError('STORE_UNAVAILABLE', `cannot ${action} ${key} in the storage of the Durable Object: ${why}`, { cause: error })
}
