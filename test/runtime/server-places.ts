import { RedisFileSystem } from '../../src/fs/redis-file-system.ts'
import { S3FileSystem } from '../../src/fs/s3-file-system.ts'
import { withoutTcp } from '../../src/redis/open-redis.ts'
import type { RedisOptions } from '../../src/redis/redis-options.ts'
import type { S3Options } from '../../src/s3/s3-options.ts'
import { s3Settings } from '../../src/s3/s3-options.ts'
import { s3Presigner } from '../../src/s3/s3-presigner.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import { RedisWorkspaceStateStore, redisStoreOf } from '../../src/state/redis-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import { S3Store } from '../../src/store/s3-store.ts'
import type { Addresses } from '../servers/addresses.ts'
import type { Places, StatePlace } from './places.ts'

/** What every runtime has that may reach the servers. */
export function serverPlaces(servers: Addresses | null): Places {
  if (servers === null) return { state: {}, files: {} }
  return {
    state: { redis: () => redisPlace(servers), s3: () => s3Place(servers) },
    files: { redis: () => new RedisFileSystem(redisOptions(servers)), s3: () => new S3FileSystem(s3Options(servers)) },
  }
}

function redisPlace(servers: Addresses): StatePlace {
  const options = redisOptions(servers)
  return { store: () => redisStoreOf(options, withoutTcp), state: () => new RedisWorkspaceStateStore(options) }
}

/** Over HTTP. */
function redisOptions({ upstash }: Addresses): RedisOptions {
  return { url: upstash.url, token: upstash.token, keyPrefix: `${fresh()}:` }
}

/** A bucket can't append, so the history is in memory. */
function s3Place(servers: Addresses): StatePlace {
  const options = s3Options(servers)
  const settings = s3Settings(options, 'S3Store')
  const observer = new RAMWorkspaceStateStore()
  return { store: () => new S3Store(settings), observer, state: () => new S3WorkspaceStateStore({ ...options, observer }) }
}

/** Pages hold no key: their requests are presigned. */
function s3Options({ s3 }: Addresses): S3Options {
  const { endpoint: endpointUrl, bucket, ...access } = s3
  const location = { bucket, endpointUrl, keyPrefix: `${fresh()}/` }
  const isPage = 'document' in globalThis
  return { ...location, ...(isPage ? { presign: s3Presigner({ ...location, ...access }) } : access) }
}

/** Begins the names of one case, so that nothing need be removed before the next. */
export function fresh(): string {
  return `case ${crypto.randomUUID()}`
}
