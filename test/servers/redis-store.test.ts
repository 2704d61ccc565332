import { describe, it } from 'vitest'
import { lacking } from '../contract/case.ts'
import { storeContract, storeProvides } from '../contract/store.ts'
import { newPrefix, redisStore, WAYS } from './redis-stores.ts'

for (const [way, options] of Object.entries(WAYS)) {
  describe(`store: Redis over ${way}`, () => {
    for (const { name, needs, run } of storeContract) {
      it.skipIf(lacking(needs, storeProvides(redisStore(options))) !== undefined)(name, async () => {
        const keyPrefix = newPrefix()
        const [store, other] = [redisStore({ ...options, keyPrefix }), redisStore({ ...options, keyPrefix })]
        try {
          await run({ store, other })
        } finally {
          await Promise.all([store.close(), other.close()])
        }
      })
    }
  })
}
