import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { RedisConnection } from './redis-connection.ts'
import { redisConnection } from './redis-connection.ts'
import type { RedisLink } from './redis-link.ts'
import type { RedisSettings, RedisTcpAddress } from './redis-options.ts'
import { upstashLink } from './upstash-link.ts'

/** How a runtime reaches `redis://` addresses. */
export type RedisTcp = (address: RedisTcpAddress, host: Host) => RedisLink

/** Touches nothing yet. */
export function openRedis({ address, timeoutMs }: RedisSettings, tcp: RedisTcp, host: Host): RedisConnection {
  const link = address.type === 'http' ? upstashLink(address, host) : tcp(address, host)
  return redisConnection(link, { host, timeoutMs })
}

/** For runtimes that have no TCP: each use fails with CAPABILITY_UNSUPPORTED. */
export const withoutTcp: RedisTcp = ({ url }) => {
  const fail = async (): Promise<never> => {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `cannot reach ${url}: this runtime has no TCP; give an https:// url with a token, of Upstash or of a proxy that speaks its protocol`,
    )
  }
  return { address: url, evalsha: fail, eval: fail, listen: fail, close: async () => undefined }
}
