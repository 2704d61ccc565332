import { concat } from '../../src/bytes.ts'
import { WorkspaceError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import { randomId, webHost } from '../../src/host.ts'
import { appendAlone, putAlone } from '../../src/store/one-change.ts'
import { keysOf, refusedAt } from '../../src/store/refused-changes.ts'
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
} from '../../src/store/store.ts'
import { ChangeChannel } from './change-channel.ts'
import { getStored, IndexedDatabase, promisifyRequest } from './indexed-database.ts'
import { keepStorage } from './storage-kept.ts'
import { hasWebLocks } from './web-lock.ts'
import { fenceOf, WebLockLeases } from './web-lock-leases.ts'

export interface IndexedDBStoreOptions {
  readonly host?: Host
  /** Milliseconds that opening the database, and each transaction, may take; 10,000 when left out. */
  readonly limitMs?: number
}

/** What `values` holds by key; the bytes lie in `chunks` by `[key, number]`, those of the last `put` as number 0. */
interface Header {
  readonly version: Version
  readonly size: number
  readonly chunks: number
}

const LAYOUT = 1
const VALUES = 'values'
const CHUNKS = 'chunks'
const FENCES = 'fences'

/** A store in an IndexedDB database. What is answered is on the disk, as far as the browser can tell. */
export class IndexedDBStore implements Store {
  readonly capabilities: StoreCapabilities = {
    append: true,
    leases: hasWebLocks(),
    maxValueBytes: Number.POSITIVE_INFINITY,
    watch: ChangeChannel.isAvailable,
  }
  readonly #host: Host
  readonly #database: IndexedDatabase
  readonly #leases: WebLockLeases
  readonly #changes: ChangeChannel
  #closed = false

  /** Touches nothing yet. */
  constructor(name: string, options: IndexedDBStoreOptions = {}) {
    this.#host = options.host ?? webHost
    this.#database = new IndexedDatabase({ name, version: LAYOUT, stores: [VALUES, CHUNKS, FENCES] }, options)
    const everywhere = `mirage-runtime:indexeddb:${name}`
    this.#changes = new ChangeChannel(everywhere)
    this.#leases = new WebLockLeases(everywhere, this.#host, {
      read: async (key) => (await getStored<string>(key, this.#database.use(FENCES, `lease ${key}`))) ?? null,
      raise: (key, fence) =>
        this.#database.use(FENCES, `lease ${key}`)('readwrite', async (fences) => void (await promisifyRequest(fences.put(fence, key)))),
    })
  }

  get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    this.#check()
    return this.#database.use(VALUES, `read ${key}`)('readonly', async (values) => {
      const header = await headerOf(values, key)
      if (header === undefined) return null
      if (header.version === known) return 'same'
      const chunks: Uint8Array[] = await promisifyRequest(values.transaction.objectStore(CHUNKS).getAll(chunksOf(key)))
      const bytes = chunks.length === 1 ? (chunks[0] as Uint8Array) : concat(chunks)
      if (bytes.length === header.size) return { bytes, version: header.version }
      throw new WorkspaceError('CORRUPT', `${key}: has ${bytes.length} bytes, not ${header.size}`)
    })
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    return putAlone(this, key, bytes, expected, lease)
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    return appendAlone(this, key, bytes, size, lease)
  }

  async delete(key: string): Promise<boolean> {
    this.#check()
    const found = await this.#database.use(VALUES, `delete ${key}`)('readwrite', async (values) => {
      if ((await headerOf(values, key)) === undefined) return false
      values.transaction.objectStore(CHUNKS).delete(chunksOf(key))
      values.delete(key)
      return true
    })
    if (found) this.#changes.tell(key)
    return found
  }

  async list(prefix: string): Promise<readonly string[]> {
    this.#check()
    const range = prefix === '' ? undefined : IDBKeyRange.bound(prefix, `${prefix}\uffff`)
    const keys = await this.#database.use(VALUES, `list ${prefix}`)('readonly', (values) => promisifyRequest(values.getAllKeys(range)))
    return keys as string[]
  }

  async lease(key: string, signal?: AbortSignal, force = false): Promise<Lease> {
    this.#check()
    if (!this.capabilities.leases) return { key, end: () => undefined }
    return this.#leases.take(key, signal, force)
  }

  async write(changes: readonly StoreChange[], lease?: Lease, end = false): Promise<StoreChanged> {
    this.#check()
    const changed: StoreChanged = changes.length === 0 ? { state: 'written', values: [] } : await this.#write(changes, lease)
    if (changed.state === 'lost' && lease !== undefined) this.#leases.lost(lease)
    if (changed.state !== 'written') return changed
    for (const { key } of changes) this.#changes.tell(key)
    if (end) lease?.end()
    return changed
  }

  watch(changed: (key: string) => void): () => void {
    return this.#changes.watch(changed)
  }

  close(): void {
    this.#closed = true
    this.#leases.endAll()
    this.#changes.close()
    this.#database.close()
  }

  #write(changes: readonly StoreChange[], lease: Lease | undefined): Promise<StoreChanged> {
    keepStorage()
    // A view would be stored with all of the buffer it is a view of; and the caller may reuse the bytes.
    const own = changes.map((change) => ({ ...change, bytes: change.bytes.slice(), version: randomId(this.#host) }))
    const action = `write ${changes.map(({ key }) => key).join(', ')}`
    return this.#database.use(VALUES, action)('readwrite', async (values): Promise<StoreChanged> => {
      const keys = keysOf(changes)
      const [isHeld, found] = await Promise.all([this.#isHeld(values, lease), Promise.all(keys.map((key) => headerOf(values, key)))])
      if (!isHeld) return { state: 'lost' }
      const headers = new Map(keys.map((key, index) => [key, found[index]]))
      const at = refusedAt(changes, (key) => headers.get(key))
      if (at !== -1) return { state: 'conflict', at }
      return { state: 'written', values: own.map((change) => make(values, change, headers.get(change.key))) }
    })
  }

  /** Whether nobody took the lease over, seen from within the transaction that is about to write. */
  async #isHeld(values: IDBObjectStore, lease: Lease | undefined): Promise<boolean> {
    const fence = fenceOf(lease)
    if (lease === undefined || fence === undefined) return true
    const now: string | undefined = await promisifyRequest(values.transaction.objectStore(FENCES).get(lease.key))
    return (now ?? null) === fence
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}

function make(
  values: IDBObjectStore,
  { type, key, bytes, version }: StoreChange & { readonly version: Version },
  old: Header | undefined,
): { version: Version; size: number } {
  const chunks = values.transaction.objectStore(CHUNKS)
  const before = (type === 'append' && old) || { size: 0, chunks: 0 }
  if (type === 'put' && old !== undefined && old.chunks > 1) chunks.delete(chunksOf(key))
  chunks.put(bytes, [key, before.chunks])
  const size = before.size + bytes.length
  values.put({ version, size, chunks: before.chunks + 1 } satisfies Header, key)
  return { version, size }
}

function headerOf(values: IDBObjectStore, key: string): Promise<Header | undefined> {
  return promisifyRequest<Header | undefined>(values.get(key))
}

/** An array sorts after every number. */
function chunksOf(key: string): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []])
}
