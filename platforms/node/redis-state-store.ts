import type { RedisStateStoreOptions } from '../../src/state/redis-state-store.ts'
import { redisStoreOf } from '../../src/state/redis-state-store.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { redisTcpLink } from './redis-tcp-link.ts'

/**
 * Keeps the state on Redis, for any number of instances: over HTTP by the protocol of Upstash, or over TCP, for which `@redis/client` has to be
 * installed.
 */
export class RedisWorkspaceStateStore extends StoredStateStore {
  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: RedisStateStoreOptions = {}) {
    super(redisStoreOf(options, redisTcpLink), options)
  }
}
