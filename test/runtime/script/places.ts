import { DiskWorkspaceStateStore, HostFileSystem, RedisFileSystem, RedisWorkspaceStateStore } from 'mirage-runtime'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { redisTcpLink } from '../../../platforms/node/redis-tcp-link.ts'
import type { RedisOptions } from '../../../src/redis/redis-options.ts'
import { DenoKVWorkspaceStateStore } from '../../../src/state/deno-kv-state-store.ts'
import { redisStoreOf } from '../../../src/state/redis-state-store.ts'
import type { DenoKV } from '../../../src/store/deno-kv.ts'
import { DenoKVStore } from '../../../src/store/deno-kv-store.ts'
import type { Addresses } from '../../servers/addresses.ts'
import type { Column, Places, StatePlace } from '../places.ts'
import { fresh as freshName, serverPlaces } from '../server-places.ts'

/** Only Deno has it. */
declare const Deno: { openKv(path: string): Promise<DenoKV> }

/** What Node, Deno and Bun have. */
export function scriptPlaces({ folder, servers }: Column): Places {
  const remote = serverPlaces(servers)
  let count = 0
  const fresh = (): string => `${folder}/${count++}`
  return {
    state: {
      ...remote.state,
      ...(servers && { 'redis tcp': () => redisPlace(servers) }),
      disk: () => {
        const root = fresh()
        return { store: () => new DiskStore(root), state: () => new DiskWorkspaceStateStore({ root }) }
      },
      'deno kv': async () => {
        const file = fresh()
        const handles = [await Deno.openKv(file), await Deno.openKv(file)] as const
        let turn = 0
        const next = (): DenoKV => handles[turn++ % 2 === 0 ? 0 : 1]
        return { store: () => new DenoKVStore(next()), state: () => new DenoKVWorkspaceStateStore({ kv: next() }) }
      },
    },
    files: {
      ...remote.files,
      ...(servers && { 'redis tcp': () => new RedisFileSystem(redisOptions(servers)) }),
      'host folder': async () => {
        const { mkdir } = await import('node:fs/promises')
        const root = fresh()
        await mkdir(root)
        return new HostFileSystem({ root })
      },
    },
  }
}

function redisOptions({ redis }: Addresses): RedisOptions {
  return { url: redis.url, keyPrefix: `${freshName()}:` }
}

function redisPlace(servers: Addresses): StatePlace {
  const options = redisOptions(servers)
  return { store: () => redisStoreOf(options, redisTcpLink), state: () => new RedisWorkspaceStateStore(options) }
}
