import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { randomId, webHost } from '../host.ts'
import type { DenoKV, DenoKVAtomic, DenoKVKey } from './deno-kv.ts'
import { noteChange, watchChanges } from './deno-kv-changes.ts'
import { commitSurely } from './deno-kv-commit.ts'
import type { DenoKVKeys } from './deno-kv-keys.ts'
import { denoKVKeys } from './deno-kv-keys.ts'
import { DenoKVLeases } from './deno-kv-leases.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoredValue, StoreWritten, Version } from './store.ts'

export interface DenoKVStoreOptions {
  /** First part of every key; `mirage` when left out. */
  readonly prefix?: string
  readonly host?: Host
  /** Milliseconds without a sign of life after which a lease is taken over; 10,000 when left out. */
  readonly staleMs?: number
}

/** The record of a value. Its version is the record's versionstamp. */
interface Head {
  readonly versionstamp: Version
  readonly generation: string
  /** Names the write that made it. */
  readonly token: string
  readonly size: number
  /** All of it; null where it lies in parts. */
  readonly bytes: Uint8Array | null
}

/** Deno KV takes values of 64 KiB, and 800 KiB in one commit. */
const PART_BYTES = 60_000
const PARTS_A_COMMIT = 10
/** Deno KV takes 1,000 writes in one commit, but only 100 checks, of which each dead generation needs one. */
const DELETES_A_COMMIT = 90
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
    return this.#run('read', key, async () => {
      for (;;) {
        const head = await this.#head(key)
        if (head === null) return null
        if (head.versionstamp === known) return 'same'
        const bytes = head.bytes ?? (await this.#readParts(key, head))
        if (bytes !== null) return { bytes, version: head.versionstamp }
        // Parts are missing: the value was replaced meanwhile, or they are lost.
        if ((await this.#head(key))?.versionstamp === head.versionstamp)
          throw new WorkspaceError('CORRUPT', `${key}: parts of it are missing`)
      }
    })
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    return this.#run('write', key, () => this.#put(key, bytes.slice(), expected, lease))
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    return this.#run('append to', key, () => this.#append(key, bytes.slice(), size, lease))
  }

  delete(key: string): Promise<boolean> {
    return this.#run('delete', key, async () => {
      for (;;) {
        const head = await this.#head(key)
        if (head === null) return false
        const write = this.#change(key, head.versionstamp, undefined).delete(this.#keys.value(key))
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

  async lease(key: string, signal?: AbortSignal, force = false): Promise<Lease> {
    this.#check()
    try {
      return await this.#leases.take(key, signal, force)
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw storeError('lock', key, error)
    }
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

  async #put(key: string, bytes: Uint8Array, expected: Version | null | undefined, lease: Lease | undefined): Promise<StoreWritten> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!this.#leases.isOurs(lease)) return { state: 'lost' }
      const old = await this.#head(key)
      if (expected !== undefined && (old?.versionstamp ?? null) !== expected) return this.#refused(lease)
      const version = await this.#replace(key, old, bytes, lease)
      if (version !== null) return { state: 'written', version }
      if (await this.#leases.isLost(lease)) return { state: 'lost' }
    }
    throw keptChanging(key)
  }

  async #append(key: string, bytes: Uint8Array, size: number | undefined, lease: Lease | undefined): Promise<StoreAppended> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!this.#leases.isOurs(lease)) return { state: 'lost' }
      const head = await this.#head(key)
      const start = head?.size ?? 0
      if (size !== undefined && size !== start) return this.#refused(lease)
      const isDone =
        head === null || head.size === 0
          ? (await this.#replace(key, head, bytes, lease)) !== null
          : await this.#appendTo(key, head, bytes, lease)
      if (isDone) return { state: 'written', size: start + bytes.length }
      if (await this.#leases.isLost(lease)) return { state: 'lost' }
    }
    throw keptChanging(key)
  }

  /** What a write that found another value than it expected is answered. */
  async #refused(lease: Lease | undefined): Promise<{ state: 'lost' } | { state: 'conflict' }> {
    return (await this.#leases.isLost(lease)) ? { state: 'lost' } : { state: 'conflict' }
  }

  /** False where the value moved, or the lease was lost. */
  async #appendTo(key: string, head: Head, bytes: Uint8Array, lease: Lease | undefined): Promise<boolean> {
    if (bytes.length > PART_BYTES * (PARTS_A_COMMIT - 1)) {
      // More than one commit takes: written anew.
      const old = head.bytes ?? (await this.#readParts(key, head))
      return old !== null && (await this.#replace(key, head, concat([old, bytes]), lease)) !== null
    }
    const write = this.#change(key, head.versionstamp, lease)
    if (head.bytes !== null) write.set(this.#keys.part(key, head.generation, 0), head.bytes)
    for (const [start, part] of partsOf(bytes)) write.set(this.#keys.part(key, head.generation, head.size + start), part)
    return (await this.#commitHead(write, key, head.generation, head.size + bytes.length, null)) !== null
  }

  /** The new version; null where the value moved, or the lease was lost. */
  async #replace(key: string, old: Head | null, bytes: Uint8Array, lease: Lease | undefined): Promise<Version | null> {
    const generation = randomId(this.#host)
    const write = this.#change(key, old?.versionstamp ?? null, lease)
    const isShort = bytes.length <= PART_BYTES
    if (bytes.length > PART_BYTES * PARTS_A_COMMIT) {
      const draft = this.#keys.draft(key, generation)
      const versionstamp = await this.#writeDraft(key, generation, bytes)
      write.check({ key: draft, versionstamp }).delete(draft)
    } else if (!isShort) {
      for (const [start, part] of partsOf(bytes)) write.set(this.#keys.part(key, generation, start), part)
    }
    const version = await this.#commitHead(write, key, generation, bytes.length, isShort ? bytes : null)
    if (version === null) return null
    if ((old !== null && old.bytes === null) || !this.#swept.has(key)) await this.#sweep(key)
    this.#swept.add(key)
    return version
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
      const write = this.#kv.atomic().check({ key: this.#keys.value(key), versionstamp: head?.versionstamp ?? null })
      for (const generation of new Set(some.map((part) => String(part[3])))) {
        write.check({ key: this.#keys.draft(key, generation), versionstamp: null })
      }
      for (const part of some) write.delete(part)
      if ((await this.#commit(write)) === null) return
    }
  }

  /** Sets the record of a value as the last part of a write; the new version, null where the write was refused. */
  #commitHead(write: DenoKVAtomic, key: string, generation: string, size: number, bytes: Uint8Array | null): Promise<Version | null> {
    const token = randomId(this.#host)
    const head: Omit<Head, 'versionstamp'> = { generation, token, size, bytes }
    return this.#commit(write.set(this.#keys.value(key), head), async () => {
      const found = await this.#head(key)
      return found?.token === token ? found.versionstamp : null
    })
  }

  #commit(write: DenoKVAtomic, written: () => Promise<string | null> = async () => null): Promise<string | null> {
    return commitSurely(write, this.#host, written)
  }

  /** A write that fails unless the value has the version and the lease is held. */
  #change(key: string, version: Version | null, lease: Lease | undefined): DenoKVAtomic {
    const write = this.#kv.atomic().check({ key: this.#keys.value(key), versionstamp: version })
    return noteChange(this.#leases.guard(write, lease), this.#keys, key, randomId(this.#host))
  }

  async #head(key: string): Promise<Head | null> {
    const { value, versionstamp } = await this.#kv.get(this.#keys.value(key))
    return versionstamp === null ? null : { ...(value as Omit<Head, 'versionstamp'>), versionstamp }
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

function partsOf(bytes: Uint8Array): readonly (readonly [start: number, part: Uint8Array])[] {
  return Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) => {
    const start = i * PART_BYTES
    return [start, bytes.slice(start, start + PART_BYTES)] as const
  })
}

function keptChanging(key: string): WorkspaceError {
  return new WorkspaceError('CONFLICT', `cannot write ${key} in Deno KV: others kept changing it`)
}

function storeError(action: string, key: string, error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const why = error instanceof Error ? error.message : String(error)
  return new WorkspaceError('STORE_UNAVAILABLE', `cannot ${action} ${key} in Deno KV: ${why}`, { cause: error })
}
