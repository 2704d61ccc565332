import type { Host } from '../host.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { RedisReply } from '../redis/redis-link.ts'
import { oddReply } from '../redis/redis-link.ts'
import { jittered, sleep } from '../sleep.ts'
import type { RedisKeys } from './redis-keys.ts'
import { REDIS_RELEASE, REDIS_RENEW, REDIS_TAKE } from './redis-scripts.ts'
import type { Lease } from './store.ts'

export interface RedisLeasesOptions {
  readonly connection: RedisConnection
  readonly keys: RedisKeys
  readonly host: Host
  /** Gives a text that it never gave before. */
  readonly token: () => string
  /** Milliseconds without a sign of life after which the server lets a lease go. */
  readonly leaseMs: number
}

interface Held {
  readonly token: string
  readonly stopRenewing: () => void
}

/** Milliseconds between two looks at a lease that others hold. */
const SHORTEST_LOOK = 2
const LONGEST_LOOK = 50
/** Milliseconds that who gave a lease free leaves it to those who wait. */
const YIELDED_MS = 150
/** Milliseconds that closing waits for leases to be given free. */
const CLOSING_MS = 2000

/**
 * Leases as keys that expire by the server's clock: no clocks are compared, and what a write checks, in its own script, is the token. A lease that
 * is held for longer than a third of its time is renewed.
 */
export class RedisLeases {
  readonly #options: RedisLeasesOptions
  readonly #held = new Map<Lease, Held>()
  readonly #releasing = new Set<Promise<void>>()
  /** Tokens of leases that this instance gave free last, by key. The server may not have heard of it yet, or never hear. */
  readonly #freed = new Map<string, string>()

  constructor(options: RedisLeasesOptions) {
    this.#options = options
  }

  /** The lease, and what reading gave where `known` is given; it may be empty. */
  async take(
    key: string,
    known: string | null,
    signal?: AbortSignal,
    force = false,
  ): Promise<{ lease: Lease; read: readonly RedisReply[] }> {
    const { connection, host, keys, leaseMs, token: nextToken } = this.#options
    signal?.throwIfAborted()
    const place = keys.place(key)
    const token = nextToken()
    const reads = known === null ? '' : '1'
    const freed = this.#freed.get(key) ?? ''
    const yieldedUntil = freed === '' ? 0 : host.elapsed() + YIELDED_MS
    for (let look = SHORTEST_LOOK; ; look = Math.min(look * 2, LONGEST_LOOK)) {
      const mode = force ? 'force' : host.elapsed() < yieldedUntil ? 'yield' : 'take'
      const args = [token, String(leaseMs), mode, reads, known ?? '', freed]
      try {
        const reply = await connection.run(REDIS_TAKE, [place.lease, place.waiting, place.value], args, signal)
        const [state, ...read]: readonly RedisReply[] = Array.isArray(reply) ? reply : []
        if (state !== 'held' && state !== 'busy') throw oddReply()
        if (state === 'held') {
          this.#freed.delete(key)
          return { lease: this.#hold(key, token), read }
        }
      } catch (error) {
        // It may have been taken all the same.
        this.#giveFree(key, token)
        throw error
      }
      await sleep(host, jittered(host, look), signal)
    }
  }

  /** The token to be checked; empty where no lease is given, null where it is not held here any more. */
  tokenOf(lease: Lease | undefined): string | null {
    return lease === undefined ? '' : (this.#held.get(lease)?.token ?? null)
  }

  /** Forgets a lease that the server has ended. */
  ended(lease: Lease | undefined): void {
    const token = lease && this.#drop(lease)
    if (lease !== undefined && typeof token === 'string') this.#freed.set(lease.key, token)
  }

  async endAll(): Promise<void> {
    for (const lease of this.#held.keys()) lease.end()
    // What a request of a worker left behind may never end.
    const waited = new AbortController()
    const limit = sleep(this.#options.host, CLOSING_MS, waited.signal).catch(() => undefined)
    await Promise.race([Promise.all(this.#releasing), limit])
    waited.abort()
  }

  #hold(key: string, token: string): Lease {
    const lease: Lease = { key, end: () => this.#end(lease) }
    const { connection, host, keys, leaseMs } = this.#options
    let stop = (): void => undefined
    const renewLater = (): void => {
      stop = host.timer(leaseMs / 3, () => {
        renewLater()
        // Out of reach: the lease is lost, or will be, and its holder finds out when it writes.
        connection.run(REDIS_RENEW, [keys.place(key).lease], [token, String(leaseMs)]).catch(() => undefined)
      })
    }
    renewLater()
    this.#held.set(lease, { token, stopRenewing: () => stop() })
    return lease
  }

  #end(lease: Lease): void {
    const token = this.#drop(lease)
    if (token !== null) this.#giveFree(lease.key, token)
  }

  /** What the server doesn't hear of expires, or is taken by this instance's next. */
  #giveFree(key: string, token: string): void {
    const { connection, keys } = this.#options
    this.#freed.set(key, token)
    const released = connection.run(REDIS_RELEASE, [keys.place(key).lease], [token]).then(
      () => void this.#releasing.delete(released),
      () => void this.#releasing.delete(released),
    )
    this.#releasing.add(released)
  }

  #drop(lease: Lease): string | null {
    const held = this.#held.get(lease)
    if (held === undefined) return null
    held.stopRenewing()
    this.#held.delete(lease)
    return held.token
  }
}
