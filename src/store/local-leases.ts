import type { MaybePromise } from '../host.ts'
import type { Lease } from './store.ts'

interface Held {
  readonly lease: Lease
  readonly waiting: Set<() => void>
}

/** Who holds which key, among all that share the table. */
export type LeaseTable = Map<string, Held>

/** Leases of one of the instances that live in one process. First come, first served. */
export class LocalLeases {
  readonly #held: LeaseTable
  readonly #own = new Set<Lease>()

  constructor(held: LeaseTable = new Map()) {
    this.#held = held
  }

  /** Waits until the key is free; `force` takes it from whoever holds it. Rejects with the signal's reason. */
  take(key: string, signal?: AbortSignal, force = false): MaybePromise<Lease> {
    signal?.throwIfAborted()
    const held = this.#held.get(key)
    if (held === undefined || force) return this.#hold(key, held?.waiting ?? new Set())
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', stop)
        resolve(this.#hold(key, held.waiting))
      }
      const stop = (): void => {
        held.waiting.delete(enter)
        reject(signal?.reason)
      }
      held.waiting.add(enter)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  /** Whether a lease was given and somebody took it over, or it ended. */
  isLost(lease: Lease | undefined): boolean {
    return lease !== undefined && this.#held.get(lease.key)?.lease !== lease
  }

  endAll(): void {
    for (const lease of this.#own) lease.end()
  }

  #hold(key: string, waiting: Set<() => void>): Lease {
    const lease: Lease = { key, end: () => this.#release(lease) }
    this.#held.set(key, { lease, waiting })
    this.#own.add(lease)
    return lease
  }

  #release(lease: Lease): void {
    this.#own.delete(lease)
    const held = this.#held.get(lease.key)
    if (held?.lease !== lease) return
    this.#held.delete(lease.key)
    for (const enter of held.waiting) {
      held.waiting.delete(enter)
      enter()
      return
    }
  }
}
