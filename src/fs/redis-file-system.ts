import { webHost } from '../host.ts'
import { openRedis, type RedisTcp, withoutTcp } from '../redis/open-redis.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { type RedisOptions, redisSettings } from '../redis/redis-options.ts'
import { OBJECT_OPTION_NAMES, ObjectFileSystem, type ObjectMountOptions } from './object-file-system.ts'
import { RedisObjects } from './redis-objects.ts'

/** Files on a Redis server, and how it is reached. `keyPrefix` is `mirage:fs:` when left out; a server can hold many file systems, each under its own. */
export interface RedisFileSystemOptions extends RedisOptions, ObjectMountOptions {}

/**
 * Files on Redis, for any number of instances: over HTTP in every runtime, over TCP on Node, Deno and Bun (elsewhere each use fails with EIO where the url
 * is `redis://`). {@link RedisObjects} has the layout.
 *
 * - A change is one request, or one for each MiB; renaming moves no bytes, a thousand files a request, and so many are renamed at once. Appending
 *   costs what is added. Overwriting in the middle reads the file and writes it anew.
 * - What a line writes to a file goes out when the file is closed, at the latest with the end of the line: others see the old file or the new one, never a
 *   part. A file that is larger than 1 MiB is read in pieces, and one that is changed meanwhile fails with ESTALE.
 * - Attributes can't be set, and there are no links (ENOTSUP): files have the time of their last change, by the server's clock, modes are 0o644 and 0o755.
 * - All files lie in the server's memory, and on one node of a cluster. Paths have 4,096 bytes at most (ENAMETOOLONG); names that are no text, or
 *   have a NUL, are refused (EINVAL). What fails is EIO, with the cause in the message.
 *
 * @example
 * const ws = new Workspace({ '/shared': new RedisFileSystem({ url: 'https://eu1-calm-owl-12345.upstash.io', token }) })
 */
export class RedisFileSystem extends ObjectFileSystem {
  readonly #connection: RedisConnection

  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. `tcp` is how the runtime reaches `redis://` urls. */
  constructor(options: RedisFileSystemOptions = {}, tcp: RedisTcp = withoutTcp) {
    const settings = redisSettings({ keyPrefix: 'mirage:fs:', ...options }, 'RedisFileSystem', OBJECT_OPTION_NAMES)
    const { listingTtl, write } = options
    const connection = openRedis(settings, tcp, webHost)
    super(new RedisObjects(connection, settings.keyPrefix, webHost), { listingTtl, write })
    this.#connection = connection
  }

  override async close(): Promise<void> {
    try {
      await super.close()
    } finally {
      await this.#connection.close()
    }
  }
}
