import { WorkspaceError } from '../../src/errors.ts'
import type { MaybePromise } from '../../src/host.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoredValue, StoreWritten, Version } from '../../src/store/store.ts'

/** `fail`: nothing is done; `lose answer`: it is done, and fails all the same; `lose lease`: it comes after somebody took the lease. */
export type Fault = 'fail' | 'lose answer' | 'lose lease'

/** A store that fails when it is told to. */
export class FaultyStore implements Store {
  readonly capabilities: StoreCapabilities
  readonly write: Store['write']
  readonly take: Store['take']
  /** Asked before each operation that may be hit; `write` by its first key. */
  plan: (operation: keyof Store, key: string) => Fault | null = () => null
  /** Operations so far. */
  calls = 0
  readonly #store: Store
  #lost = false

  constructor(store: Store, capabilities: Partial<StoreCapabilities> = {}) {
    this.#store = store
    this.capabilities = { ...store.capabilities, ...capabilities }
    const { write, take } = store
    if (write !== undefined) {
      this.write = (changes, lease, end) => {
        const run = () => write.call(store, changes, this.#guard(lease), end)
        return this.#hit('write', changes[0]?.key ?? lease?.key ?? '', run, lease)
      }
    }
    if (take !== undefined && this.capabilities.leases) {
      this.take = (key, known, signal) => this.#hit('take', key, async () => this.#unlessLost(await take.call(store, key, known, signal)))
    }
  }

  get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    return this.#hit('get', key, () => this.#store.get(key, known))
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    return this.#hit('put', key, () => this.#store.put(key, bytes, expected, this.#guard(lease)), lease)
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    return this.#hit('append', key, () => this.#store.append(key, bytes, size, this.#guard(lease)), lease)
  }

  delete(key: string): Promise<boolean> {
    return this.#hit('delete', key, () => this.#store.delete(key))
  }

  list(prefix: string): Promise<readonly string[]> {
    return this.#hit('list', prefix, () => this.#store.list(prefix))
  }

  lease(key: string, signal?: AbortSignal, force?: boolean): MaybePromise<Lease> {
    if (!this.capabilities.leases) return { key, end: () => undefined }
    return this.#hit('lease', key, async () => this.#unlessLost({ lease: await this.#store.lease(key, signal, force) }).lease)
  }

  watch(changed: (key: string) => void): () => void {
    return this.#store.watch(changed)
  }

  close(): MaybePromise<void> {
    return this.#store.close()
  }

  /** Nobody renews a lease whose answer was lost, so it runs out. */
  #unlessLost<Taken extends { readonly lease: Lease }>(taken: Taken): Taken {
    if (this.#lost) taken.lease.end()
    return taken
  }

  #guard(lease: Lease | undefined): Lease | undefined {
    return this.capabilities.leases ? lease : undefined
  }

  async #hit<T>(operation: keyof Store, key: string, run: () => MaybePromise<T>, lease?: Lease): Promise<T> {
    this.calls += 1
    const fault = this.plan(operation, key)
    if (fault === 'fail') throw new WorkspaceError('STORE_UNAVAILABLE', `injected: ${operation} ${key}`)
    if (fault === 'lose lease' && lease !== undefined) (await this.#store.lease(lease.key, undefined, true)).end()
    this.#lost = fault === 'lose answer'
    const answer = await run()
    if (fault === 'lose answer') throw new WorkspaceError('STORE_UNAVAILABLE', `injected: lost the answer of ${operation} ${key}`)
    return answer
  }
}
