import { afterAll, expect, test } from 'vitest'
import { startFaultProxy } from '../servers/fault-proxy.mjs'
import { servers } from '../servers/servers.mjs'
import { FAULTS } from './faults.mjs'
import { faultsOf } from './verdict.mjs'
import { runWork } from './work.mjs'

const { upstash } = servers()
const proxy = await startFaultProxy(upstash.url)
afterAll(() => proxy.close())

test('2,000 lines of eight writers on a Redis that is reached badly, some of them killed', async () => {
  proxy.chance({ seed: 7, rate: 0.05, faults: FAULTS })
  const options = { url: proxy.url, token: upstash.token, keyPrefix: `instances ${crypto.randomUUID()}:`, leaseMs: 1500 }
  const writers = ['node', 'node', 'deno', 'bun', 'node', 'node', 'deno', 'bun']
  const done = await runWork({ seed: 2, lines: 2000, writers, kills: 6, place: { store: 'redis', options }, heal: () => proxy.clear() })
  expect(faultsOf(done, { turns: true, inOneStep: true })).toEqual([])
  expect(done.counts).toMatchObject({ lines: 2000, failed: 0 })
}, 120_000)
