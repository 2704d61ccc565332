import { describe, it } from 'vitest'
import { webHost } from '../../src/host.ts'
import { RedisStore } from '../../src/store/redis-store.ts'
import { upstashConnection } from '../../src/store/upstash-connection.ts'
import { lacking } from '../contract/case.ts'
import type { StoreSubject } from '../contract/store.ts'
import { storeContract, storeProvides } from '../contract/store.ts'
import { servers } from './servers.mjs'

const { upstash } = servers()

function overHttp(prefix: string): RedisStore {
  return new RedisStore(upstashConnection({ ...upstash, timeoutMs: 10_000, host: webHost }), { prefix })
}

function subject(open: (prefix: string) => RedisStore): StoreSubject {
  const prefix = `store ${crypto.randomUUID()}:`
  return { store: open(prefix), other: open(prefix) }
}

for (const [name, open] of Object.entries({ http: overHttp })) {
  describe(`store: Redis over ${name}`, () => {
    for (const { name, needs, run } of storeContract) {
      it.skipIf(lacking(needs, storeProvides(open(''))) !== undefined)(name, async () => {
        const opened = subject(open)
        try {
          await run(opened)
        } finally {
          await Promise.all([opened.store.close(), opened.other.close()])
        }
      })
    }
  })
}
