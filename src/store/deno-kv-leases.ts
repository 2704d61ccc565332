import type { Host } from '../host.ts'
import { sleep } from '../sleep.ts'
import type { DenoKV, DenoKVAtomic, DenoKVEntry, DenoKVKey } from './deno-kv.ts'
import { commitSurely } from './deno-kv-commit.ts'
import type { DenoKVKeys } from './deno-kv-keys.ts'
import type { Lease } from './store.ts'

export interface DenoKVLeasesOptions {
  readonly kv: DenoKV
  readonly keys: DenoKVKeys
  readonly host: Host
  /** Gives a text that it never gave before. */
  readonly token: () => string
  /** Milliseconds without a sign of life after which a lease is taken over. */
  readonly staleMs: number
}

/** A lease that another one holds, as it is seen from here. */
interface Sight {
  /** The owner's record and its last sign of life. */
  readonly owner: string
  readonly beat: string | null
  /** When it was first seen so, by our own clock. */
  readonly since: number
}

/** Milliseconds between two looks at a lease that others hold, at most. */
const LONGEST_LOOK = 32
/** Looks that who gave a lease free leaves to those who wait. */
const YIELDED_LOOKS = 4

/**
 * Leases as records: the owner's, which stays as it is while the lease is held, and one that is written again and again as a sign of life.
 * A write under a lease checks the owner's record in its own commit, so that nothing is ever written after a takeover. No clocks are
 * compared: a lease is stale when nothing moved for `staleMs` of the clock of the one who waits.
 */
export class DenoKVLeases {
  readonly #options: DenoKVLeasesOptions
  /** The leases held here, with the version of the owner's record. */
  readonly #held = new Map<Lease, string>()
  readonly #releasing = new Map<string, Promise<void>>()
  /** Keys whose lease this instance gave free last. */
  readonly #freed = new Set<string>()
  #stopBeating: (() => void) | null = null
  #beats = 0

  constructor(options: DenoKVLeasesOptions) {
    this.#options = options
  }

  async take(key: string, signal: AbortSignal | undefined, force: boolean): Promise<Lease> {
    if (!force) return (await this.#wait(key, signal, [])).lease
    await this.#releasing.get(key)
    signal?.throwIfAborted()
    return this.#hold(key, await this.#seize(key))
  }

  /** Also what the record has at the moment in which the lease is taken. */
  async takeWith(key: string, signal: AbortSignal | undefined, record: DenoKVKey): Promise<{ lease: Lease; entry: DenoKVEntry }> {
    const { lease, entries } = await this.#wait(key, signal, [record])
    return { lease, entry: entries[0] ?? { key: record, value: null, versionstamp: null } }
  }

  async #wait(
    key: string,
    signal: AbortSignal | undefined,
    records: readonly DenoKVKey[],
  ): Promise<{ lease: Lease; entries: readonly DenoKVEntry[] }> {
    const { kv, keys } = this.#options
    await this.#releasing.get(key)
    signal?.throwIfAborted()
    if (this.#freed.delete(key)) await this.#letOthersGo(key, signal)
    let sight: Sight | null = null
    let marked = false
    for (let look = 1; ; look = Math.min(look * 2, LONGEST_LOOK)) {
      const [owner, beat, ...entries] = await kv.getMany([keys.owner(key), keys.beat(key), ...records])
      const current = owner?.versionstamp ?? null
      sight = this.#see(current, beat?.versionstamp ?? null, sight)
      if (sight === null || this.#options.host.elapsed() - sight.since >= this.#options.staleMs) {
        const versions = records.map((record, index) => ({ key: record, versionstamp: entries[index]?.versionstamp ?? null }))
        const claimed = await this.#claim(key, current, versions)
        if (claimed !== null) {
          const lease = this.#hold(key, claimed)
          if (signal?.aborted !== true) return { lease, entries }
          lease.end()
        }
        sight = null
      } else if (!marked) {
        marked = true
        await this.#commit(kv.atomic().set(keys.wait(key), true))
      }
      await sleep(this.#options.host, look, signal)
    }
  }

  /** Whether a lease, if one is given, was given by this instance and has not ended. It may have been taken over all the same. */
  isOurs(lease: Lease | undefined): boolean {
    return lease === undefined || this.#held.has(lease)
  }

  /** Makes a write fail where the lease was taken over, and give it free where `end` is true: `ended` is to be told then. */
  guard(write: DenoKVAtomic, lease: Lease | undefined, end: boolean): DenoKVAtomic {
    const versionstamp = lease && this.#held.get(lease)
    if (lease === undefined || versionstamp === undefined) return write
    const guarded = write.check({ key: this.#options.keys.owner(lease.key), versionstamp })
    return end ? this.#free(guarded, lease.key) : guarded
  }

  ended(lease: Lease): void {
    this.#held.delete(lease)
    this.#freed.add(lease.key)
    if (this.#held.size > 0) return
    this.#stopBeating?.()
    this.#stopBeating = null
  }

  async isLost(lease: Lease | undefined): Promise<boolean> {
    if (lease === undefined) return false
    const { versionstamp } = await this.#options.kv.get(this.#options.keys.owner(lease.key))
    return versionstamp !== this.#held.get(lease)
  }

  async endAll(): Promise<void> {
    for (const lease of this.#held.keys()) lease.end()
    await Promise.all(this.#releasing.values())
  }

  /** Null where the lease is free. */
  #see(owner: string | null, beat: string | null, last: Sight | null): Sight | null {
    if (owner === null) return null
    return last?.owner === owner && last.beat === beat ? last : { owner, beat, since: this.#options.host.elapsed() }
  }

  /**
   * Takes the lease from `from`, from nobody where that is null; whoever has it loses it. Null where another one came first, or one of the
   * records has another version.
   */
  #claim(
    key: string,
    from: string | null,
    versions: readonly { readonly key: DenoKVKey; readonly versionstamp: string | null }[],
  ): Promise<string | null> {
    const { kv, keys, token } = this.#options
    const owner = keys.owner(key)
    const own = token()
    const write = kv.atomic().check({ key: owner, versionstamp: from }).set(owner, own)
    for (const version of versions) write.check(version)
    return this.#commit(write.delete(keys.beat(key)).delete(keys.wait(key)), async () => {
      const found = await kv.get(owner)
      return found.value === own ? found.versionstamp : null
    })
  }

  async #seize(key: string): Promise<string> {
    for (;;) {
      const { versionstamp } = await this.#options.kv.get(this.#options.keys.owner(key))
      const claimed = await this.#claim(key, versionstamp, [])
      if (claimed !== null) return claimed
    }
  }

  #hold(key: string, versionstamp: string): Lease {
    const lease: Lease = { key, end: () => this.#end(lease) }
    this.#held.set(lease, versionstamp)
    this.#stopBeating ??= this.#beatLater()
    return lease
  }

  #end(lease: Lease): void {
    const versionstamp = this.#held.get(lease)
    if (versionstamp === undefined) return
    const { kv, keys } = this.#options
    const { key } = lease
    this.ended(lease)
    const freed = this.#commit(this.#free(kv.atomic().check({ key: keys.owner(key), versionstamp }), key))
    // What can't be given free now is taken over once it is stale.
    const released = freed.then(
      () => undefined,
      () => undefined,
    )
    this.#releasing.set(key, released)
    void released.then(() => {
      if (this.#releasing.get(key) === released) this.#releasing.delete(key)
    })
  }

  #free(write: DenoKVAtomic, key: string): DenoKVAtomic {
    const { keys } = this.#options
    return write.delete(keys.owner(key)).delete(keys.beat(key))
  }

  #beatLater(): () => void {
    return this.#options.host.timer(this.#options.staleMs / 5, () => {
      this.#stopBeating = this.#beatLater()
      for (const [{ key }, versionstamp] of this.#held) void this.#beat(key, versionstamp)
    })
  }

  async #beat(key: string, versionstamp: string): Promise<void> {
    const { kv, keys } = this.#options
    const write = kv.atomic().check({ key: keys.owner(key), versionstamp })
    try {
      await this.#commit(write.set(keys.beat(key), ++this.#beats))
    } catch {
      // Out of reach: the lease is lost, or will be, and its holder finds out when it writes.
    }
  }

  async #letOthersGo(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { kv, keys } = this.#options
    for (let looks = 0; looks < YIELDED_LOOKS; looks++) {
      const { versionstamp } = await kv.get(keys.wait(key))
      if (versionstamp === null) return
      await sleep(this.#options.host, LONGEST_LOOK / 2, signal)
    }
  }

  #commit(write: DenoKVAtomic, written: () => Promise<string | null> = async () => null): Promise<string | null> {
    return commitSurely(write, this.#options.host, written)
  }
}
