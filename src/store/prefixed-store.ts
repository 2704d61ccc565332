import { chain } from '../fs/maybe.ts'
import type { MaybePromise } from '../host.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoreChange, StoredValue, StoreWritten, Version } from './store.ts'

/** The keys of a store that begin with `prefix`, without it. Closing it leaves the store open. */
export class PrefixedStore implements Store {
  readonly write?: Store['write']
  readonly take?: Store['take']
  readonly #store: Store
  readonly #prefix: string

  constructor(store: Store, prefix: string) {
    this.#store = store
    this.#prefix = prefix
    if (store.write !== undefined) {
      const write = store.write.bind(store)
      this.write = (changes, lease, end) =>
        write(
          changes.map((change) => this.#outer(change)),
          lease,
          end,
        )
    }
    if (store.take !== undefined) {
      const take = store.take.bind(store)
      this.take = (key, known, signal) => take(prefix + key, known, signal)
    }
  }

  get capabilities(): StoreCapabilities {
    return this.#store.capabilities
  }

  get(key: string, known?: Version): MaybePromise<StoredValue | 'same' | null> {
    return this.#store.get(this.#prefix + key, known)
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): MaybePromise<StoreWritten> {
    return this.#store.put(this.#prefix + key, bytes, expected, lease)
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): MaybePromise<StoreAppended> {
    return this.#store.append(this.#prefix + key, bytes, size, lease)
  }

  delete(key: string): MaybePromise<boolean> {
    return this.#store.delete(this.#prefix + key)
  }

  list(prefix: string): MaybePromise<readonly string[]> {
    return chain(this.#store.list(this.#prefix + prefix), (keys) => keys.map((key) => key.slice(this.#prefix.length)))
  }

  lease(key: string, signal?: AbortSignal, force?: boolean): MaybePromise<Lease> {
    return this.#store.lease(this.#prefix + key, signal, force)
  }

  watch(changed: (key: string) => void): () => void {
    return this.#store.watch((key) => {
      if (key.startsWith(this.#prefix)) changed(key.slice(this.#prefix.length))
    })
  }

  close(): void {}

  #outer(change: StoreChange): StoreChange {
    const key = this.#prefix + change.key
    if (change.type === 'append' && change.unless !== undefined) return { ...change, key, unless: this.#prefix + change.unless }
    return { ...change, key }
  }
}
