import type { Host } from '../host.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { RedisReply } from '../redis/redis-link.ts'
import { sleep } from '../sleep.ts'
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

/**
 * Leases as keys that expire by the server's clock: no clocks are compared, and what a write checks, in its own script, is the token. A lease that
 * is held for longer than a third of its time is renewed.
 */
export class RedisLeases {
  readonly #options: RedisLeasesOptions
  readonly #held = new Map<Lease, Held>()
  readonly #releasing = new Map<string, Promise<void>>()
  /** Keys whose lease this instance gave free last. */
  readonly #freed = new Set<string>()

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
    await this.#releasing.get(key)
    signal?.throwIfAborted()
    const place = keys.place(key)
    const token = nextToken()
    const reads = known === null ? '' : '1'
    const yieldedUntil = this.#freed.delete(key) ? host.elapsed() + YIELDED_MS : 0
    for (let look = SHORTEST_LOOK; ; look = Math.min(look * 2, LONGEST_LOOK)) {
      const mode = force ? 'force' : host.elapsed() < yieldedUntil ? 'yield' : 'take'
      const args = [token, String(leaseMs), mode, reads, known ?? '']
      try {
        const reply = await connection.run(REDIS_TAKE, [place.lease, place.waiting, place.value], args, signal)
        const [state, ...read] = reply as readonly RedisReply[]
        if (state === 'held') return { lease: this.#hold(key, token), read }
      } catch (error) {
        // It may have been taken all the same.
        this.#release([[place.lease, token]])
        throw error
      }
      await sleep(host, this.#jittered(look), signal)
    }
  }

  /** The token to be checked; empty where no lease is given, null where it is not held here any more. */
  tokenOf(lease: Lease | undefined): string | null {
    return lease === undefined ? '' : (this.#held.get(lease)?.token ?? null)
  }

  /** Forgets a lease that the server has ended. */
  ended(lease: Lease | undefined): void {
    if (lease !== undefined && this.#drop(lease) !== null) this.#freed.add(lease.key)
  }

  async endAll(): Promise<void> {
    const tokens = Array.from(this.#held.keys(), (lease) => [this.#options.keys.place(lease.key).lease, this.#drop(lease) ?? ''] as const)
    await Promise.all([this.#release(tokens), ...this.#releasing.values()])
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
    if (token === null) return
    const { key } = lease
    this.#freed.add(key)
    const released = this.#release([[this.#options.keys.place(key).lease, token]])
    this.#releasing.set(key, released)
    void released.then(() => {
      if (this.#releasing.get(key) === released) this.#releasing.delete(key)
    })
  }

  #drop(lease: Lease): string | null {
    const held = this.#held.get(lease)
    if (held === undefined) return null
    held.stopRenewing()
    this.#held.delete(lease)
    return held.token
  }

  /** What can't be given free now expires. */
  async #release(leases: readonly (readonly [place: string, token: string])[]): Promise<void> {
    const { connection } = this.#options
    const each = leases.map(([place, token]) => connection.run(REDIS_RELEASE, [place], [token]))
    await Promise.allSettled(each)
  }

  #jittered(ms: number): number {
    const chance = new Uint8Array(1)
    this.#options.host.random(chance)
    return ms * (0.5 + (chance[0] ?? 0) / 512)
  }
}
