import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { LocalLeases } from './local-leases.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoredValue, StoreWritten, Version } from './store.ts'
import { Watchers } from './watchers.ts'

interface Cell {
  bytes: Uint8Array
  version: Version
}

/** A store in memory. */
export class MemoryStore implements Store {
  readonly capabilities: StoreCapabilities = { append: true, leases: true, maxValueBytes: Number.POSITIVE_INFINITY, watch: true }
  readonly #cells = new Map<string, Cell>()
  readonly #leases = new LocalLeases()
  readonly #watchers = new Watchers<string>()
  #writes = 0
  #closed = false

  get(key: string, known?: Version): StoredValue | 'same' | null {
    this.#check()
    const cell = this.#cells.get(key)
    if (cell === undefined) return null
    return cell.version === known ? 'same' : { bytes: cell.bytes.slice(), version: cell.version }
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): StoreWritten {
    this.#check()
    if (this.#leases.isLost(lease)) return { state: 'lost' }
    const version = this.#cells.get(key)?.version ?? null
    if (expected !== undefined && version !== expected) return { state: 'conflict' }
    return { state: 'written', version: this.#set(key, bytes.slice()) }
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): StoreAppended {
    this.#check()
    if (this.#leases.isLost(lease)) return { state: 'lost' }
    const old = this.#cells.get(key)?.bytes ?? new Uint8Array(0)
    if (size !== undefined && size !== old.length) return { state: 'conflict' }
    this.#set(key, concat([old, bytes]))
    return { state: 'written', size: old.length + bytes.length }
  }

  delete(key: string): boolean {
    this.#check()
    const found = this.#cells.delete(key)
    if (found) this.#watchers.tell(key)
    return found
  }

  list(prefix: string): readonly string[] {
    this.#check()
    return Array.from(this.#cells.keys()).filter((key) => key.startsWith(prefix))
  }

  lease(key: string, signal?: AbortSignal, force = false): MaybePromise<Lease> {
    this.#check()
    return this.#leases.take(key, signal, force)
  }

  watch(changed: (key: string) => void): () => void {
    this.#check()
    return this.#watchers.add(changed)
  }

  close(): void {
    this.#closed = true
    this.#leases.endAll()
  }

  #set(key: string, bytes: Uint8Array): Version {
    const version = String(++this.#writes)
    this.#cells.set(key, { bytes, version })
    this.#watchers.tell(key)
    return version
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}
