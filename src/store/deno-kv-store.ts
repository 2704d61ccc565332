import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { randomId, webHost } from '../host.ts'
import type { DenoKV, DenoKVAtomic, DenoKVEntry, DenoKVKey } from './deno-kv.ts'
import { noteChange, watchChanges } from './deno-kv-changes.ts'
import { commitSurely } from './deno-kv-commit.ts'
import type { DenoKVKeys } from './deno-kv-keys.ts'
import { denoKVKeys } from './deno-kv-keys.ts'
import { DenoKVLeases } from './deno-kv-leases.ts'
import { appendAlone, putAlone } from './one-change.ts'
import { keysOf, refusedAt } from './refused-changes.ts'
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

export interface DenoKVStoreOptions {
  /** First part of every key; `mirage` when left out. */
  readonly prefix?: string
  readonly host?: Host
  /** Milliseconds without a sign of life after which a lease is taken over; 10,000 when left out. */
  readonly staleMs?: number
}

/** The record of a value. Its version is the record's versionstamp. */
interface Head {
  readonly version: Version
  readonly generation: string
  /** Names the write that made it. */
  readonly token: string
  readonly size: number
  /** All of it; null where it lies in parts. */
  readonly bytes: Uint8Array | null
}

/** A commit that is put together. */
interface Draft {
  readonly write: DenoKVAtomic
  /** Names it in the records that it writes. */
  readonly token: string
  /** Parts of values that it has room for. */
  room: number
  /** Keys whose value is replaced. */
  readonly replaced: { readonly key: string; readonly old: Head | null }[]
}

/** Deno KV takes values of 64 KiB, and 800 KiB in one commit. */
const PART_BYTES = 60_000
const PARTS_A_COMMIT = 10
/** Deno KV takes 1,000 writes in one commit, but only 100 checks, of which each dead generation needs one. */
const DELETES_A_COMMIT = 90
/** Deno KV gives 10 values in one read. */
const HEADS_A_READ = 10
const KEYS_A_READ = 500
const ATTEMPTS = 100

/**
 * A store in Deno KV. A short value lies in its record; a longer one, or one that was appended to, in parts of at most 60,000 bytes. What
 * doesn't fit in one commit is written as a draft first, which one commit then puts in the place of the old parts.
 */
export class DenoKVStore implements Store {
  readonly capabilities: StoreCapabilities = { append: true, leases: true, maxValueBytes: Number.POSITIVE_INFINITY, watch: true }
  readonly #kv: DenoKV
  readonly #keys: DenoKVKeys
  readonly #host: Host
  readonly #leases: DenoKVLeases
  readonly #watches = new Set<() => Promise<void>>()
  readonly #swept = new Set<string>()
  #closed = false

  constructor(kv: DenoKV, options: DenoKVStoreOptions = {}) {
    this.#kv = kv
    this.#keys = denoKVKeys(options.prefix ?? 'mirage')
    this.#host = options.host ?? webHost
    const [keys, host] = [this.#keys, this.#host]
    this.#leases = new DenoKVLeases({ kv, keys, host, token: () => randomId(host), staleMs: options.staleMs ?? 10_000 })
  }

  get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    return this.#run('read', key, async () => this.#value(key, known, await this.#head(key)))
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    return putAlone(this, key, bytes, expected, lease)
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    return appendAlone(this, key, bytes, size, lease)
  }

  delete(key: string): Promise<boolean> {
    return this.#run('delete', key, async () => {
      for (;;) {
        const head = await this.#head(key)
        if (head === null) return false
        const write = this.#change(this.#kv.atomic(), key, head.version).delete(this.#keys.value(key))
        if ((await this.#commit(write, async () => ((await this.#head(key)) === null ? '' : null))) === null) continue
        await this.#sweep(key)
        return true
      }
    })
  }

  list(prefix: string): Promise<readonly string[]> {
    return this.#run('list', prefix, async () => {
      const found: string[] = []
      for await (const entry of this.#kv.list(this.#keys.values(prefix), { batchSize: KEYS_A_READ })) found.push(String(entry.key[2]))
      return found
    })
  }

  lease(key: string, signal?: AbortSignal, force = false): Promise<Lease> {
    return this.#locked(key, signal, () => this.#leases.take(key, signal, force))
  }

  async take(key: string, known?: Version, signal?: AbortSignal): Promise<{ lease: Lease; value: StoredValue | 'same' | null }> {
    const { lease, entry } = await this.#locked(key, signal, () => this.#leases.takeWith(key, signal, this.#keys.value(key)))
    try {
      return { lease, value: await this.#run('read', key, () => this.#value(key, known, headOf(entry))) }
    } catch (error) {
      lease.end()
      throw error
    }
  }

  async write(changes: readonly StoreChange[], lease?: Lease, end = false): Promise<StoreChanged> {
    const own = changes.map((change) => ({ ...change, bytes: change.bytes.slice() }))
    const keys = changes.map(({ key }) => key).join(', ')
    if (own.length > 0) return this.#run('write', keys, () => this.#write(own, keys, lease, end))
    this.#check()
    if (end) lease?.end()
    return { state: 'written', values: [] }
  }

  watch(changed: (key: string) => void): () => void {
    this.#check()
    const stop = watchChanges(this.#kv, this.#keys, changed)
    this.#watches.add(stop)
    return () => {
      this.#watches.delete(stop)
      void stop()
    }
  }

  /** The database stays open: it is the host's. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#leases.endAll(), ...Array.from(this.#watches, (stop) => stop())])
  }

  async #locked<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    this.#check()
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw storeError('lock', key, error)
    }
  }

  /** The value that has the head, or a later one. */
  async #value(key: string, known: Version | undefined, found: Head | null): Promise<StoredValue | 'same' | null> {
    for (let head = found; head !== null; ) {
      if (head.version === known) return 'same'
      const bytes = head.bytes ?? (await this.#readParts(key, head))
      if (bytes !== null) return { bytes, version: head.version }
      // Parts are missing: the value was replaced meanwhile, or they are lost.
      const now = await this.#head(key)
      if (now?.version === head.version) throw new WorkspaceError('CORRUPT', `${key}: parts of it are missing`)
      head = now
    }
    return null
  }

  async #write(changes: readonly StoreChange[], keys: string, lease: Lease | undefined, end: boolean): Promise<StoreChanged> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!this.#leases.isOurs(lease)) return { state: 'lost' }
      const heads = await this.#heads(keysOf(changes))
      const at = refusedAt(changes, (key) => heads.get(key))
      const values = at === -1 ? await this.#make(changes, heads, lease, end) : null
      if (values !== null) return { state: 'written', values }
      if (await this.#leases.isLost(lease)) return { state: 'lost' }
      if (at !== -1) return { state: 'conflict', at }
    }
    throw new WorkspaceError('CONFLICT', `cannot write ${keys} in Deno KV: others kept changing it`)
  }

  /** What the values have become; null where one of them moved, or the lease was lost. */
  async #make(
    changes: readonly StoreChange[],
    heads: ReadonlyMap<string, Head | null>,
    lease: Lease | undefined,
    end: boolean,
  ): Promise<readonly { readonly version: Version; readonly size: number }[] | null> {
    const write = this.#leases.guard(this.#kv.atomic(), lease, end)
    const draft: Draft = { write, token: randomId(this.#host), room: PARTS_A_COMMIT, replaced: [] }
    const sizes: number[] = []
    for (const change of changes) {
      const head = heads.get(change.key) ?? null
      this.#change(write, change.key, head?.version ?? null)
      if (change.type === 'append' && change.unless !== undefined) write.check({ key: this.#keys.value(change.unless), versionstamp: null })
      const size =
        change.type === 'put' ? await this.#replace(draft, change.key, head, change.bytes) : await this.#append(draft, change, head)
      if (size === null) return null
      sizes.push(size)
    }
    const keys = changes.map(({ key }) => key)
    const version = await this.#commit(write, async () => {
      const heads = [...(await this.#heads(keys)).values()]
      return heads.find((head) => head?.token === draft.token)?.version ?? null
    })
    if (version === null) return null
    if (lease !== undefined && end) this.#leases.ended(lease)
    for (const { key, old } of draft.replaced) {
      if ((old !== null && old.bytes === null) || !this.#swept.has(key)) await this.#sweep(key)
      this.#swept.add(key)
    }
    return sizes.map((size) => ({ version, size }))
  }

  /** The value's size then; null where its parts are missing, since it moved. */
  async #append(draft: Draft, { key, bytes }: StoreChange, head: Head | null): Promise<number | null> {
    if (head === null || head.size === 0) return this.#replace(draft, key, head, bytes)
    const parts = partsOf(bytes)
    const needed = parts.length + (head.bytes === null ? 0 : 1)
    if (needed > draft.room) {
      // More than one commit takes: written anew.
      const old = head.bytes ?? (await this.#readParts(key, head))
      return old === null ? null : this.#replace(draft, key, head, concat([old, bytes]))
    }
    draft.room -= needed
    if (head.bytes !== null) draft.write.set(this.#keys.part(key, head.generation, 0), head.bytes)
    for (const [start, part] of parts) draft.write.set(this.#keys.part(key, head.generation, head.size + start), part)
    return this.#setHead(draft, key, head.generation, head.size + bytes.length, null)
  }

  async #replace(draft: Draft, key: string, old: Head | null, bytes: Uint8Array): Promise<number> {
    const generation = randomId(this.#host)
    const parts = partsOf(bytes)
    draft.replaced.push({ key, old })
    if (parts.length > draft.room) {
      const record = this.#keys.draft(key, generation)
      const versionstamp = await this.#writeDraft(key, generation, bytes)
      draft.write.check({ key: record, versionstamp }).delete(record)
      return this.#setHead(draft, key, generation, bytes.length, null)
    }
    draft.room -= parts.length
    if (parts.length <= 1) return this.#setHead(draft, key, generation, bytes.length, bytes)
    for (const [start, part] of parts) draft.write.set(this.#keys.part(key, generation, start), part)
    return this.#setHead(draft, key, generation, bytes.length, null)
  }

  #setHead({ write, token }: Draft, key: string, generation: string, size: number, bytes: Uint8Array | null): number {
    write.set(this.#keys.value(key), { generation, token, size, bytes } satisfies Omit<Head, 'version'>)
    return size
  }

  /** Writes the parts of a generation that nobody reads yet; the version of the draft's record, which is there until they are read. */
  async #writeDraft(key: string, generation: string, bytes: Uint8Array): Promise<string> {
    const draft = this.#keys.draft(key, generation)
    const versionstamp = (await this.#commit(this.#kv.atomic().set(draft, true))) ?? ''
    const parts = partsOf(bytes)
    for (let at = 0; at < parts.length; at += PARTS_A_COMMIT) {
      const write = this.#kv.atomic()
      for (const [start, part] of parts.slice(at, at + PARTS_A_COMMIT)) write.set(this.#keys.part(key, generation, start), part)
      await this.#commit(write)
    }
    return versionstamp
  }

  /**
   * Removes the parts of all generations but the current one: those that were replaced, and drafts that were never finished. Whoever is
   * still writing a draft finds its record gone, and begins anew.
   */
  async #sweep(key: string): Promise<void> {
    const drafts = this.#kv.atomic()
    for await (const entry of this.#kv.list(this.#keys.drafts(key))) drafts.delete(entry.key as DenoKVKey)
    await this.#commit(drafts)
    const parts: DenoKVKey[] = []
    for await (const entry of this.#kv.list(this.#keys.parts(key), { batchSize: PARTS_A_COMMIT })) parts.push(entry.key as DenoKVKey)
    const head = await this.#head(key)
    const dead = parts.filter(([, , , generation]) => generation !== head?.generation)
    for (let at = 0; at < dead.length; at += DELETES_A_COMMIT) {
      const some = dead.slice(at, at + DELETES_A_COMMIT)
      // A draft that was begun meanwhile, and a value that was replaced meanwhile, are not ours to sweep.
      const write = this.#kv.atomic().check({ key: this.#keys.value(key), versionstamp: head?.version ?? null })
      for (const generation of new Set(some.map((part) => String(part[3])))) {
        write.check({ key: this.#keys.draft(key, generation), versionstamp: null })
      }
      for (const part of some) write.delete(part)
      if ((await this.#commit(write)) === null) return
    }
  }

  #commit(write: DenoKVAtomic, written: () => Promise<string | null> = async () => null): Promise<string | null> {
    return commitSurely(write, this.#host, written)
  }

  /** Makes a write fail unless the value has the version, and tells of the change. */
  #change(write: DenoKVAtomic, key: string, version: Version | null): DenoKVAtomic {
    write.check({ key: this.#keys.value(key), versionstamp: version })
    return noteChange(write, this.#keys, key, randomId(this.#host))
  }

  async #heads(keys: readonly string[]): Promise<ReadonlyMap<string, Head | null>> {
    const heads = new Map<string, Head | null>()
    for (let at = 0; at < keys.length; at += HEADS_A_READ) {
      const some = keys.slice(at, at + HEADS_A_READ)
      const entries = await this.#kv.getMany(some.map((key) => this.#keys.value(key)))
      for (const [i, entry] of entries.entries()) heads.set(some[i] ?? '', headOf(entry))
    }
    return heads
  }

  async #head(key: string): Promise<Head | null> {
    return headOf(await this.#kv.get(this.#keys.value(key)))
  }

  /** Null where not all of them are there. */
  async #readParts(key: string, { generation, size }: Head): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = []
    let length = 0
    for await (const { key: at, value } of this.#kv.list(this.#keys.parts(key, generation))) {
      if (length >= size) break
      if (at[4] !== length) return null
      parts.push(value as Uint8Array)
      length += (value as Uint8Array).length
    }
    return length === size ? concat(parts) : null
  }

  async #run<T>(action: string, key: string, work: () => Promise<T>): Promise<T> {
    this.#check()
    try {
      return await work()
    } catch (error) {
      throw storeError(action, key, error)
    }
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}

function headOf({ value, versionstamp }: DenoKVEntry): Head | null {
  return versionstamp === null ? null : { ...(value as Omit<Head, 'version'>), version: versionstamp }
}

function partsOf(bytes: Uint8Array): readonly (readonly [start: number, part: Uint8Array])[] {
  return Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) => {
    const start = i * PART_BYTES
    return [start, bytes.slice(start, start + PART_BYTES)] as const
  })
}

function storeError(action: string, key: string, error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const why = error instanceof Error ? error.message : String(error)
  return new WorkspaceError('STORE_UNAVAILABLE', `cannot ${action} ${key} in Deno KV: ${why}`, { cause: error })
}
