import { codeOf, WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { randomId, webHost } from '../host.ts'
import type { RedisConnection, RedisSubscription } from '../redis/redis-connection.ts'
import type { RedisReply } from '../redis/redis-link.ts'
import { oddReply } from '../redis/redis-link.ts'
import { redisBytes, redisText } from '../redis/redis-text.ts'
import { sleep } from '../sleep.ts'
import type { RedisKeys } from './redis-keys.ts'
import { redisKeys, spansGroups } from './redis-keys.ts'
import { RedisLeases } from './redis-leases.ts'
import { REDIS_LIST, REDIS_NOTE, REDIS_READ, REDIS_WRITE } from './redis-scripts.ts'
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

export interface RedisStoreOptions {
  /** Begins every key. */
  readonly prefix: string
  readonly host?: Host
  /** Milliseconds without a sign of life after which a lease is taken over; 10,000 when left out. */
  readonly leaseMs?: number
}

/** A change as the script takes it. */
interface Change {
  readonly kind: 'put' | 'append' | 'delete'
  readonly key: string
  readonly bytes: Uint8Array
  readonly condition: string
  /** Key that must have no value. */
  readonly unless?: string
}

/** What the script answered. */
type Written =
  | { readonly state: 'written'; readonly version: Version; readonly sizes: readonly number[] }
  | { readonly state: 'conflict'; readonly at: number }
  | { readonly state: 'lost' }

/** Redis takes strings of 512 MiB. */
const LONGEST_VALUE = 512 * 1024 * 1024 - 17
/** Milliseconds that the answer of a write is kept, in case it is asked for again. */
const KEPT_MS = 15 * 60_000
/** Milliseconds that an operation waits for a subscription to stand. */
const SUBSCRIBED_MS = 2000
/** Keys that are told as changed when a subscription broke. */
const SEEN_KEYS = 256
const GROUPS_AT_ONCE = 16
const EMPTY = new Uint8Array(0)

/**
 * A store on Redis, laid out as {@link RedisKeys} says. Each operation is one request: a script, which gives the answer that it gave before where
 * a write comes a second time.
 */
export class RedisStore implements Store {
  readonly capabilities: StoreCapabilities = { append: true, leases: true, maxValueBytes: LONGEST_VALUE, watch: true }
  readonly #connection: RedisConnection
  readonly #keys: RedisKeys
  readonly #host: Host
  readonly #leases: RedisLeases
  readonly #watchers = new Watchers<string>()
  /** The keys that were read or written last. */
  readonly #seen = new Set<string>()
  #watching = 0
  #subscription: RedisSubscription | null = null
  /** Resolves when the subscription that is being made stands; null where none is, or it took too long. */
  #subscribing: Promise<void> | null = null
  #closed = false

  /** Closes the connection when it is closed itself. */
  constructor(connection: RedisConnection, { prefix, host = webHost, leaseMs = 10_000 }: RedisStoreOptions) {
    this.#connection = connection
    this.#keys = redisKeys(prefix)
    this.#host = host
    this.#leases = new RedisLeases({ connection, keys: this.#keys, host, leaseMs, token: () => randomId(host) })
  }

  get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    return this.#run('read', key, async () => {
      this.#see(key)
      const reply = await this.#connection.run(REDIS_READ, [this.#keys.place(key).value], [known ?? ''])
      return toValue(key, Array.isArray(reply) ? reply : [])
    })
  }

  async put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    const written = await this.#write('write', [putting(key, bytes, expected)], lease)
    return written.state === 'written' ? { state: 'written', version: written.version } : { state: written.state }
  }

  async append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    const change: Change = { kind: 'append', key, bytes, condition: size === undefined ? '' : String(size) }
    const written = await this.#write('append to', [change], lease)
    return written.state === 'written' ? { state: 'written', size: written.sizes[0] ?? 0 } : { state: written.state }
  }

  async delete(key: string): Promise<boolean> {
    const written = await this.#write('delete', [{ kind: 'delete', key, bytes: EMPTY, condition: '' }])
    return written.state === 'written' && written.sizes[0] !== -1
  }

  async write(changes: readonly StoreChange[], lease?: Lease, end = false): Promise<StoreChanged> {
    const written = await this.#write('write', changes.map(toChange), lease, end)
    if (written.state !== 'written') return written
    return { state: 'written', values: written.sizes.map((size) => ({ version: written.version, size })) }
  }

  list(prefix: string): Promise<readonly string[]> {
    return this.#run('list', prefix, async () => {
      const listed = this.#keys.listed(prefix)
      const found = await this.#listGroup(listed.group, listed.names)
      if (!spansGroups(listed)) return found
      const groups = await this.#names(this.#keys.groups, '')
      const others = groups.filter((group) => !spansGroups({ group }) && group.startsWith(prefix))
      for (let at = 0; at < others.length; at += GROUPS_AT_ONCE) {
        const some = await Promise.all(others.slice(at, at + GROUPS_AT_ONCE).map((group) => this.#listGroup(group, '')))
        found.push(...some.flat())
      }
      return found
    })
  }

  lease(key: string, signal?: AbortSignal, force = false): Promise<Lease> {
    return this.#run('lock', key, async () => (await this.#leases.take(key, null, signal, force)).lease, signal)
  }

  take(key: string, known?: Version, signal?: AbortSignal): Promise<{ lease: Lease; value: StoredValue | 'same' | null }> {
    return this.#run(
      'lock',
      key,
      async () => {
        this.#see(key)
        const { lease, read } = await this.#leases.take(key, known ?? '', signal)
        try {
          return { lease, value: toValue(key, read) }
        } catch (error) {
          lease.end()
          throw error
        }
      },
      signal,
    )
  }

  watch(changed: (key: string) => void): () => void {
    this.#check()
    const stop = this.#watchers.add(changed)
    this.#watching += 1
    if (this.#subscription === null) this.#subscribe()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      stop()
      this.#watching -= 1
      // Another one may watch at once.
      queueMicrotask(() => {
        if (this.#watching > 0) return
        this.#subscription?.end()
        this.#subscription = null
      })
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#leases.endAll()
    await this.#connection.close()
  }

  #subscribe(): void {
    const tell = (key: string): void => this.#watchers.tell(key)
    // What was published meanwhile was not heard, and may have been of any of these.
    const subscription = this.#connection.subscribe(this.#keys.changes, tell, () => this.#seen.forEach(tell))
    this.#subscription = subscription
    const standing: Promise<void> = subscription.ready.then(() => this.#subscribed(standing))
    this.#subscribing = standing
  }

  #subscribed(standing: Promise<void>): void {
    if (this.#subscribing === standing) this.#subscribing = null
  }

  /** Waits for a subscription that is being made: what is done here is to be heard here. */
  async #untilSubscribed(): Promise<void> {
    const standing = this.#subscribing
    if (standing === null) return
    const waited = new AbortController()
    // By a timer of its own, since what another request of a worker began may never end.
    const limit = sleep(this.#host, SUBSCRIBED_MS, waited.signal).catch(() => undefined)
    await Promise.race([standing, limit])
    waited.abort()
    this.#subscribed(standing)
  }

  #write(action: string, changes: readonly Change[], lease?: Lease, end = false): Promise<Written> {
    const token = this.#leases.tokenOf(lease)
    const first = changes[0]?.key ?? ''
    const operation = randomId(this.#host)
    const done = this.#keys.done(first, operation)
    const keys = [done, lease === undefined ? done : this.#keys.place(lease.key).lease]
    const args = [operation, String(KEPT_MS), this.#keys.changes, token ?? '', end ? '1' : '']
    // At once, since the caller may reuse the bytes.
    for (const { kind, key, bytes, condition, unless } of changes) {
      const { value, index, name } = this.#keys.place(key)
      const { form, text } = redisText(bytes)
      this.#see(key)
      keys.push(value, index, unless === undefined ? value : this.#keys.place(unless).value)
      args.push(kind, form, text, condition, name, key)
    }
    return this.#run(action, first, async () => {
      if (changes.length === 0) {
        if (end) lease?.end()
        return { state: 'written', version: operation, sizes: [] }
      }
      if (token === null) return { state: 'lost' }
      const answer = await this.#send(keys, args, lease)
      const [state = '', ...parts] = answer.split(' ')
      if (state === 'lost') return { state }
      if (state === 'conflict') return { state, at: Number(parts[0]) }
      if (state !== 'written') throw oddReply()
      if (end) this.#leases.ended(lease)
      await this.#note(changes.filter((_, at) => parts[at]?.endsWith('!') === true))
      return { state: 'written', version: operation, sizes: parts.map((part) => Number.parseInt(part, 10)) }
    })
  }

  async #send(keys: readonly string[], args: readonly string[], lease: Lease | undefined): Promise<string> {
    try {
      return String(await this.#connection.run(REDIS_WRITE, keys, args))
    } catch (error) {
      // It may still arrive, after what is done next; once the lease has ended, it is refused.
      if (codeOf(error) === 'STORE_UNAVAILABLE') lease?.end()
      throw error
    }
  }

  #see(key: string): void {
    this.#seen.delete(key)
    this.#seen.add(key)
    for (const oldest of this.#seen) {
      if (this.#seen.size <= SEEN_KEYS) break
      this.#seen.delete(oldest)
    }
  }

  /** Notes new groups, of which a cluster keeps each on another node, so that they can't be noted in the same step. */
  async #note(changes: readonly Change[]): Promise<void> {
    const groups = new Set(changes.map(({ key }) => this.#keys.place(key).group))
    for (const group of groups) {
      await this.#connection.run(REDIS_NOTE, [this.#keys.groups], [group])
      await this.#connection.run(REDIS_NOTE, [this.#keys.index(group)], [''])
    }
  }

  async #listGroup(group: string, start: string): Promise<string[]> {
    const names = await this.#names(this.#keys.index(group), start)
    return names.filter((name) => name !== '').map((name) => this.#keys.keyOf(group, name))
  }

  async #names(index: string, start: string): Promise<readonly string[]> {
    const names = await this.#connection.run(REDIS_LIST, [index], [start])
    if (!Array.isArray(names)) throw oddReply()
    return names
  }

  async #run<T>(action: string, key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#check()
    if (this.#subscribing !== null) await this.#untilSubscribed()
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof WorkspaceError) || error.code === 'CLOSED') throw error
      throw new WorkspaceError(error.code, `cannot ${action} ${key}: ${error.message}`, { cause: error })
    }
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}

function putting(key: string, bytes: Uint8Array, expected: Version | null | undefined): Change {
  return { kind: 'put', key, bytes, condition: expected === undefined ? '' : (expected ?? 'missing') }
}

function toChange(change: StoreChange): Change {
  const { key, bytes } = change
  if (change.type === 'put') return putting(key, bytes, change.expected)
  const condition = change.size === undefined ? 'there' : String(change.size)
  return { kind: 'append', key, bytes, condition, ...(change.unless !== undefined && { unless: change.unless }) }
}

function toValue(key: string, [state, version, form, text]: readonly RedisReply[]): StoredValue | 'same' | null {
  if (state === 'missing') return null
  if (state === 'same') return 'same'
  if ((form !== 't' && form !== 'b') || typeof version !== 'string' || typeof text !== 'string') {
    throw new WorkspaceError('CORRUPT', `what Redis has for ${key} was not written by this store`)
  }
  return { bytes: redisBytes({ form, text }), version }
}
