import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Lease, Store } from '../store/store.ts'
import { ByteReader, ByteWriter } from './content-bytes.ts'

/** Values of any size in a store whose own have a bound: `KEY/0`, `KEY/1` and so on. A value is there when its first part is. */
export class ContentValues {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Null where there is none. CORRUPT where a part is missing. */
  async get(key: string): Promise<Uint8Array | null> {
    const first = await this.#part(key, 0)
    if (first === null) return null
    const reader = new ByteReader(first)
    const count = reader.number()
    const rest = reader.bytes()
    if (count === 1) return rest
    const parts = await Promise.all(Array.from({ length: count - 1 }, (_, index) => this.#part(key, index + 1)))
    const whole = [rest]
    for (const part of parts) {
      if (part === null) throw new WorkspaceError('CORRUPT', `a part of ${key} is missing`)
      whole.push(part)
    }
    return concat(whole)
  }

  /** Writes a value, its first part last. EBUSY where the lease was taken over. */
  async put(key: string, bytes: Uint8Array, lease: Lease): Promise<void> {
    const size = Math.min(this.#store.capabilities.maxValueBytes, LARGEST_PART) - HEAD_BYTES
    const count = Math.max(1, Math.ceil(bytes.length / size))
    for (let index = count - 1; index > 0; index--) await this.#put(key, index, bytes.subarray(index * size, (index + 1) * size), lease)
    const writer = new ByteWriter()
    writer.number(count)
    writer.bytes(bytes.subarray(0, size))
    await this.#put(key, 0, writer.done(), lease)
  }

  /** Whether a value is there, as the store was asked last. */
  async list(prefix: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const values = new Map<string, string[]>()
    for (const key of await this.#store.list(prefix)) {
      const name = key.slice(0, key.lastIndexOf('/'))
      const keys = values.get(name)
      if (keys === undefined) values.set(name, [key])
      else keys.push(key)
    }
    return values
  }

  async #part(key: string, index: number): Promise<Uint8Array | null> {
    const stored = await this.#store.get(`${key}/${index}`)
    return stored === null || stored === 'same' ? null : stored.bytes
  }

  async #put(key: string, index: number, bytes: Uint8Array, lease: Lease): Promise<void> {
    const { state } = await this.#store.put(`${key}/${index}`, bytes, undefined, lease)
    if (state === 'lost') throw new WorkspaceError('EBUSY', 'another instance took over while content was written')
  }
}

const LARGEST_PART = 16 * 1024 * 1024
/** Room for two numbers before a part's bytes. */
const HEAD_BYTES = 16
