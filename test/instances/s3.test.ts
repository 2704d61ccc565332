import { afterAll, expect, test } from 'vitest'
import { startFaultProxy } from '../servers/fault-proxy.mjs'
import { servers } from '../servers/servers.mjs'
import { FAULTS } from './faults.mjs'
import { faultsOf } from './verdict.mjs'
import { runWork } from './work.mjs'

const { upstash, s3 } = servers()
const [bucket, redis] = await Promise.all([startFaultProxy(s3.endpoint), startFaultProxy(upstash.url)])
afterAll(() => {
  bucket.close()
  redis.close()
})

test('eight writers whose sessions are in a bucket: no update is lost without a word', async () => {
  for (const proxy of [bucket, redis]) proxy.chance({ seed: 3, rate: 0.05, faults: FAULTS })
  const name = `instances ${crypto.randomUUID()}`
  const { endpoint: _, ...access } = s3
  const place = {
    store: 's3',
    options: { ...access, endpointUrl: bucket.url, keyPrefix: `${name}/` },
    history: { store: 'redis', options: { url: redis.url, token: upstash.token, keyPrefix: `${name}:` } },
  }
  const writers = ['node', 'deno', 'bun', 'node', 'node', 'node', 'node', 'node']
  const heal = () => {
    for (const proxy of [bucket, redis]) proxy.clear()
  }
  const done = await runWork({ seed: 3, lines: 400, writers, kills: 4, place, heal })
  expect(faultsOf(done, { ordered: false, inOneStep: false })).toEqual([])
  expect(done.counts).toMatchObject({ lines: 400, failed: 0 })
  expect(done.counts.conflicts).toBeGreaterThan(0)
}, 120_000)
