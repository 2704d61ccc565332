import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
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

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    return putAlone(this, key, bytes, expected, lease)
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    return appendAlone(this, key, bytes, size, lease)
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

  write(changes: readonly StoreChange[], lease?: Lease, end = false): StoreChanged {
    this.#check()
    if (changes.length > 0 && this.#leases.isLost(lease)) return { state: 'lost' }
    const at = refusedAt(changes, (key) => this.#found(key))
    if (at !== -1) return { state: 'conflict', at }
    const values = changes.map((change) => this.#make(change))
    if (end) lease?.end()
    return { state: 'written', values }
  }

  watch(changed: (key: string) => void): () => void {
    this.#check()
    return this.#watchers.add(changed)
  }

  close(): void {
    this.#closed = true
    this.#leases.endAll()
  }

  #found(key: string): { version: Version; size: number } | null {
    const cell = this.#cells.get(key)
    return cell === undefined ? null : { version: cell.version, size: cell.bytes.length }
  }

  #make({ type, key, bytes }: StoreChange): { version: Version; size: number } {
    const old = type === 'append' ? this.#cells.get(key)?.bytes : undefined
    const cell: Cell = { bytes: old === undefined ? bytes.slice() : concat([old, bytes]), version: String(++this.#writes) }
    this.#cells.set(key, cell)
    this.#watchers.tell(key)
    return { version: cell.version, size: cell.bytes.length }
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}
