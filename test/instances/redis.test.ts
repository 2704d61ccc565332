import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startFaultProxy } from '../servers/fault-proxy.mjs'
import { servers } from '../servers/servers.mjs'
import { FAULTS } from './faults.mjs'
import { faultsOf } from './verdict.mjs'
import { runWork } from './work.mjs'

const { upstash } = servers()
const proxy = await startFaultProxy(upstash.url)
afterAll(() => proxy.close())

test('2,000 lines of eight writers on a Redis that is reached badly: some killed, some standing still, the network gone twice', async () => {
  proxy.chance({ seed: 7, rate: 0.03, faults: FAULTS })
  const options = { url: proxy.url, token: upstash.token, keyPrefix: `instances ${crypto.randomUUID()}:`, leaseMs: 1000, timeout: 1 }
  const gone = (how: 'silent' | 'refused') => async () => {
    await proxy.network(how)
    await sleep(2500)
    await proxy.network('there')
  }
  const done = await runWork({
    ...{ seed: 2, lines: 2000, kills: 5, stops: 5, stopMs: 1500 },
    writers: ['node', 'chromium', 'deno', 'workerd', 'bun', 'node', 'node', 'node'],
    place: { store: 'redis', options },
    events: [gone('refused'), gone('silent')],
    heal: () => proxy.clear(),
  })
  expect(faultsOf(done, { ordered: true, inOneStep: true })).toEqual([])
  expect(done.counts.lines).toBe(2000)
  expect(done.counts.committed).toBeGreaterThan(1500)
  // Of what the faults are for, something came about.
  const { pending, outdated, killed } = done.counts
  expect([pending > 0, outdated > 0, killed > 0]).toEqual([true, true, true])
}, 300_000)
