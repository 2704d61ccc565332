import type { Host } from '../../src/host.ts'
import { randomId } from '../../src/host.ts'
import type { Lease } from '../../src/store/store.ts'
import { holdWebLock } from './web-lock.ts'

/** Where a store keeps the fence of a key: a text that changes whenever the key's lease is taken from a holder. */
export interface Fences {
  /** Null where no lease of the key was ever taken over. */
  readonly read: (key: string) => Promise<string | null>
  /** Durable, and before every write that is checked later, when it resolves. */
  readonly raise: (key: string, fence: string) => Promise<void>
}

/** A lease whose writes are checked against the fence of its key, in the same step that writes. */
export interface FencedLease extends Lease {
  /** `ended` once it has, which no key ever has. */
  fence: string | null
}

/**
 * Leases as Web Locks: the browser frees them when their page or worker ends, however it does, and hands them on in the order they were asked
 * for. The one way to lose one is `force`, which raises the fence: a page that was asleep meanwhile writes nothing when it wakes up.
 */
export class WebLockLeases {
  readonly #name: string
  readonly #host: Host
  readonly #fences: Fences
  readonly #held = new Set<FencedLease>()
  /** What fences were when they were last looked at. One that is out of date costs its lease, and is then read again. */
  readonly #known = new Map<string, string | null>()

  /** `name` tells the locks of one store from those of others of the origin. */
  constructor(name: string, host: Host, fences: Fences) {
    this.#name = name
    this.#host = host
    this.#fences = fences
  }

  /** Waits for the key, or takes it where `force` is true. Rejects with the signal's reason. */
  async take(key: string, signal: AbortSignal | undefined, force: boolean): Promise<FencedLease> {
    signal?.throwIfAborted()
    // Looked at before the lock is there: a fence raised in between must not be taken for this lease's own.
    const fence = force ? randomId(this.#host) : await this.#fenceOf(key)
    signal?.throwIfAborted()
    const free = await holdWebLock(`${this.#name}:${key}`, { ...(force ? { steal: true } : signal && { signal }) })
    const lease: FencedLease = {
      key,
      fence,
      end: () => {
        this.#held.delete(lease)
        lease.fence = 'ended'
        free()
      },
    }
    this.#held.add(lease)
    if (!force || fence === null) return lease
    try {
      await this.#fences.raise(key, fence)
      this.#known.set(key, fence)
      return lease
    } catch (error) {
      lease.end()
      throw error
    }
  }

  /** To be told of every write that was refused because its lease has another fence. */
  lost(lease: Lease): void {
    this.#known.delete(lease.key)
  }

  endAll(): void {
    for (const lease of this.#held) lease.end()
  }

  async #fenceOf(key: string): Promise<string | null> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const fence = await this.#fences.read(key)
    this.#known.set(key, fence)
    return fence
  }
}

/** The fence that a write under the lease must find; undefined where none is looked at. */
export function fenceOf(lease: Lease | undefined): string | null | undefined {
  return (lease as Partial<FencedLease> | undefined)?.fence
}
