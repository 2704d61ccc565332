import { webHost } from '../host.ts'
import { invalid } from '../option-checks.ts'
import type { RedisTcp } from '../redis/open-redis.ts'
import { openRedis, withoutTcp } from '../redis/open-redis.ts'
import type { RedisOptions } from '../redis/redis-options.ts'
import { redisSettings } from '../redis/redis-options.ts'
import { RedisStore } from '../store/redis-store.ts'
import type { StoredStateOptions } from './stored-state-store.ts'
import { StoredStateStore } from './stored-state-store.ts'

/** Where the state is kept on Redis. */
export interface RedisStateStoreOptions extends RedisOptions, StoredStateOptions {
  /** Milliseconds without a sign of life after which another instance takes a session's turn over; 10,000 when left out. */
  readonly leaseMs?: number
}

/**
 * Keeps the state on Redis, for any number of instances: over HTTP in every runtime, over TCP on Node, Deno and Bun. Elsewhere using a group that
 * isn't overridden fails with CAPABILITY_UNSUPPORTED where the url is `redis://`.
 *
 * ```ts
 * const store = new RedisWorkspaceStateStore({ url: 'https://eu1-calm-owl-12345.upstash.io', token })
 * const ws = new Workspace({}, { workspaceId: 'agent', store, ownsStore: true })
 * ```
 */
export class RedisWorkspaceStateStore extends StoredStateStore {
  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: RedisStateStoreOptions = {}) {
    super(redisStoreOf(options, withoutTcp), options)
  }
}

/** The store that the options name, over TCP as the runtime can. */
export function redisStoreOf(options: RedisStateStoreOptions, tcp: RedisTcp): RedisStore {
  const where = 'RedisWorkspaceStateStore'
  const { keyPrefix, ...settings } = redisSettings(options, where, ['leaseMs', 'encryption', 'workspace', 'observer', 'namespace'])
  const { leaseMs = 10_000 } = options
  if (typeof leaseMs !== 'number' || !(leaseMs >= 100)) throw invalid(`${where}: leaseMs`, leaseMs, 'a number of milliseconds, 100 or more')
  return new RedisStore(openRedis({ keyPrefix, ...settings }, tcp, webHost), {
    prefix: keyPrefix,
    host: webHost,
    leaseMs: Math.round(leaseMs),
  })
}
