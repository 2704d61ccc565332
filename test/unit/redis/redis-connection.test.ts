import { expect, it } from 'vitest'
import type { Host } from '../../../src/host.ts'
import { webHost } from '../../../src/host.ts'
import { redisConnection } from '../../../src/redis/redis-connection.ts'
import type { RedisLink, RedisOutcome } from '../../../src/redis/redis-link.ts'

it('leaves an attempt some time where the machine woke up late from the pause before it', async () => {
  let now = 0
  const limits: number[] = []
  const outcomes: RedisOutcome[] = [
    { type: 'lost', why: 'cut off' },
    { type: 'reply', reply: 'done' },
  ]
  // A limit that is not cancelled at once is a pause, which ends by being passed over.
  const host: Host = {
    ...webHost,
    elapsed: () => now,
    random: (bytes) => bytes.fill(0),
    timer: (ms, ring) => {
      let isOver = false
      limits.push(ms)
      setTimeout(() => {
        if (isOver) return
        limits.pop()
        now += 2000
        ring()
      }, 0)
      return () => {
        isOver = true
      }
    },
  }
  const attempt = async (): Promise<RedisOutcome> => outcomes.shift() ?? { type: 'lost', why: 'asked too often' }
  const link: RedisLink = {
    address: 'redis.test',
    evalsha: attempt,
    eval: attempt,
    listen: async () => undefined,
    close: async () => undefined,
  }
  expect(await redisConnection(link, { host, timeoutMs: 1000 }).run('return 1', [], [])).toBe('done')
  expect(limits).toEqual([500, 100])
})
