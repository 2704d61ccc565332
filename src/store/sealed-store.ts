import type { Keys, StoreEncryption } from './encryption.ts'
import { checkEncryption } from './encryption.ts'
import type { Sealing } from './sealing.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoreChange, StoredValue, StoreWritten, Version } from './store.ts'

/** What a line has besides the name of its key and the value: its words, nonce and tag, and what base64 may round up. */
const LINE_BYTES = 64

/**
 * A store over another one, which gets nothing but encrypted values: each `put` and each `append` is a line of text of its own. Keys, sizes and
 * times stay as they are. What encrypts is loaded with the first value.
 */
export class SealedStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly write?: Store['write']
  readonly take?: Store['take']
  readonly #store: Store
  readonly #keys: Keys
  #sealing: Promise<Sealing> | null = null

  /** Touches nothing yet. CONFIG_INVALID for an encryption that can't be meant; `where` says whose it is. */
  constructor(store: Store, encryption: StoreEncryption, where: string = 'encryption') {
    this.#store = store
    this.#keys = checkEncryption(encryption, where)
    const { maxValueBytes } = store.capabilities
    this.capabilities = { ...store.capabilities, maxValueBytes: roomIn(maxValueBytes - this.#keys.current.length) }
    if (store.write !== undefined) {
      this.write = async (changes, lease, end) => {
        const own = changes.map((change): StoreChange => ({ ...change, bytes: change.bytes.slice() }))
        return (await this.#open()).write(own, lease, end)
      }
    }
    if (store.take !== undefined) this.take = async (key, known, signal) => (await this.#open()).take(key, known, signal)
  }

  async get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    return (await this.#open()).get(key, known)
  }

  async put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    const own = bytes.slice()
    return (await this.#open()).put(key, own, expected, lease)
  }

  async append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    const own = bytes.slice()
    return (await this.#open()).append(key, own, size, lease)
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#open()).delete(key)
  }

  list(prefix: string): ReturnType<Store['list']> {
    return this.#store.list(prefix)
  }

  lease(key: string, signal?: AbortSignal, force?: boolean): ReturnType<Store['lease']> {
    return this.#store.lease(key, signal, force)
  }

  /** Encrypts a value with the current key, if it isn't; false where there was nothing to do. */
  async reseal(key: string, lease?: Lease): Promise<boolean> {
    return (await this.#open()).reseal(key, lease)
  }

  watch(changed: (key: string) => void): () => void {
    return this.#store.watch(changed)
  }

  close(): ReturnType<Store['close']> {
    return this.#store.close()
  }

  #open(): Promise<Sealing> {
    this.#sealing ??= import('./sealing.ts').then(
      ({ createSealing }) => createSealing(this.#store, this.#keys),
      (error) => {
        this.#sealing = null
        throw error
      },
    )
    return this.#sealing
  }
}

function roomIn(bytes: number): number {
  return Math.max(0, Math.floor(((bytes - LINE_BYTES) / 4) * 3))
}
