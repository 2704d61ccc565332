import type { RedisFileSystemOptions } from '../../src/fs/redis-file-system.ts'
import { RedisFileSystem as WebRedisFileSystem } from '../../src/fs/redis-file-system.ts'
import { redisTcpLink } from './redis-tcp-link.ts'

/** Files on Redis, as in every runtime; also over TCP, for which `@redis/client` has to be installed. */
export class RedisFileSystem extends WebRedisFileSystem {
  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: RedisFileSystemOptions = {}) {
    super(options, redisTcpLink)
  }
}
