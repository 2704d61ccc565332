import { redisTcpLink } from '../../platforms/node/redis-tcp-link.ts'
import { webHost } from '../../src/host.ts'
import { openRedis } from '../../src/redis/open-redis.ts'
import type { RedisConnection } from '../../src/redis/redis-connection.ts'
import type { RedisOptions } from '../../src/redis/redis-options.ts'
import { redisSettings } from '../../src/redis/redis-options.ts'
import { RedisStore } from '../../src/store/redis-store.ts'
import { servers } from './servers.mjs'

/** How tests reach the Redis of this run. */
export const WAYS: Readonly<Record<string, RedisOptions>> = {
  http: { url: servers().upstash.url, token: servers().upstash.token },
  tcp: { url: servers().redis.url },
}

export function connect(options: RedisOptions): RedisConnection {
  return openRedis(redisSettings(options, 'test'), redisTcpLink, webHost)
}

/** A store whose keys begin with a prefix of its own, unless the options name one. */
export function redisStore(options: RedisOptions, leaseMs = 10_000): RedisStore {
  return new RedisStore(connect(options), { prefix: options.keyPrefix ?? newPrefix(), leaseMs })
}

export function newPrefix(): string {
  return `test ${crypto.randomUUID()}:`
}
