import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startRedis } from '../servers/redis.mjs'
import { faultsOf } from './verdict.mjs'
import { runWork } from './work.mjs'

const folder = mkdtempSync(join(tmpdir(), 'instances-redis-'))
const redis = await startRedis({ folder })
afterAll(async () => {
  await redis.close()
  rmSync(folder, { recursive: true, force: true })
})

test('six writers over TCP on a Redis that is killed twice and comes back with what it had', async () => {
  const done = await runWork({
    ...{ seed: 4, lines: 600, kills: 3, stops: 3, stopMs: 1500 },
    writers: ['node', 'deno', 'bun', 'node', 'bun', 'node'],
    place: { store: 'redis', options: { url: redis.url, keyPrefix: 'restarted:', leaseMs: 1000, timeout: 2 } },
    events: [redis.restart, redis.restart],
  })
  expect(faultsOf(done, { ordered: true, inOneStep: true })).toEqual([])
  expect(done.counts.lines).toBe(600)
}, 120_000)
