// A long run by hand: many instances on one store, through faults, until the lines or the minutes are over. Prints a table, and what is wrong.
//   node test/instances/run.mjs [--store redis|tcp|s3|disk] [--lines N] [--writers N] [--seed N] [--minutes M] [--rate R] [--runtimes NAME,…]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startFaultProxy } from '../servers/fault-proxy.mjs'
import { startServers } from '../servers/servers.mjs'
import { FAULTS } from './faults.mjs'
import { runtimes } from './runtimes.mjs'
import { faultsOf } from './verdict.mjs'
import { runWork } from './work.mjs'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    lines: { type: 'string', default: '2000' },
    writers: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '0.05' },
    runtimes: { type: 'string' },
  },
})
const STORES = { redis: onRedis, tcp: onRedis, s3: inBucket, disk: onDisk }
/** What each store promises; see `Promises`. */
const PROMISES = {
  redis: { ordered: true, inOneStep: true },
  tcp: { ordered: true, inOneStep: true },
  s3: { ordered: false, inOneStep: false },
  // A holder may stand still after it wrote the session and before it writes the history.
  disk: { ordered: false, inOneStep: false },
}
/** Lines after which the instances are ended and everything is checked. */
const ROUND = 2000
const LEASE_MS = 1000

/** A worker has neither files nor TCP. */
const usual = values.store === 'redis' || values.store === 's3' ? 'node,deno,bun,node,workerd,node' : 'node,deno,bun,node'
const names = (values.runtimes ?? usual).split(',')
const unknown = [...names.filter((name) => !(name in runtimes)), ...(values.store in STORES ? [] : [values.store])]
if (unknown.length > 0) {
  process.stdout.write(
    `unknown: ${unknown.join(', ')}; stores: ${Object.keys(STORES).join(', ')}; runtimes: ${Object.keys(runtimes).join(', ')}\n`,
  )
  process.exit(2)
}
const [lines, count, seed, rate] = [values.lines, values.writers, values.seed, values.rate].map(Number)
const until = performance.now() + Number(values.minutes) * 60_000
const writers = Array.from({ length: count }, (_, i) => names[i % names.length])
const world = values.store === 'disk' ? null : await startServers()
const rows = []
let done = 0
let failed = 0
for (let round = 0; done < lines && performance.now() < until; round++) {
  const asked = Math.min(ROUND, lines - done)
  const { place, proxies, end } = await STORES[values.store](round)
  for (const proxy of proxies) proxy.chance({ seed: seed + round, rate, faults: FAULTS })
  let requests = 0
  const gone = (how) => async () => {
    await Promise.all(proxies.map((proxy) => proxy.network(how)))
    await sleep(2.5 * LEASE_MS)
    await Promise.all(proxies.map((proxy) => proxy.network('there')))
  }
  const heal = () => {
    for (const proxy of proxies) {
      requests += proxy.requests().length
      proxy.clear()
    }
  }
  const result = await runWork({
    ...{ seed: seed + round, lines: asked, writers, place, heal },
    ...{ kills: Math.ceil(asked / 300), stops: Math.ceil(asked / 300), stopMs: 1.5 * LEASE_MS },
    events: proxies.length === 0 ? [] : [gone('refused'), gone('silent')],
  })
  const faults = faultsOf(result, PROMISES[values.store])
  end()
  done += asked
  failed += faults.length
  rows.push(rowOf(result, requests, faults))
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.stdout.write(`${rows.length === 1 ? `${Object.keys(rows[0]).join('\t')}\n` : ''}${Object.values(rows.at(-1)).join('\t')}\n`)
}
await world?.close()
process.stdout.write(
  `${values.store}: ${done} lines of ${count} writers, seed ${seed}: ${failed === 0 ? 'every promise was kept' : `${failed} faults`}\n`,
)
process.exit(failed === 0 ? 0 : 1)

function rowOf({ recording, counts, seconds }, requests, faults) {
  const times = recording.lines.flatMap(({ begin, end, answer }) => (answer === null ? [] : [end - begin])).sort((a, b) => a - b)
  const share = (part) => Math.round(times[Math.floor(times.length * part)] ?? 0)
  return {
    ...counts,
    requests,
    'lines/s': Math.round(counts.lines / seconds),
    p50: share(0.5),
    p99: share(0.99),
    verdict: faults.length === 0 ? 'ok' : `${faults.length} faults`,
  }
}

async function onRedis(round) {
  const { redis, upstash } = world.addresses
  const keyPrefix = `instances ${process.pid} ${round}:`
  // Over TCP nothing stands between: only the instances fail.
  if (values.store === 'tcp')
    return { place: { store: 'redis', options: { url: redis.url, keyPrefix, leaseMs: LEASE_MS } }, proxies: [], end: () => undefined }
  const proxy = await startFaultProxy(upstash.url)
  const options = { url: proxy.url, token: upstash.token, keyPrefix, leaseMs: LEASE_MS, timeout: 1 }
  return { place: { store: 'redis', options }, proxies: [proxy], end: () => proxy.close() }
}

async function inBucket(round) {
  const { endpoint, ...access } = world.addresses.s3
  const bucket = await startFaultProxy(endpoint)
  const history = await onRedis(round)
  const options = { ...access, endpointUrl: bucket.url, keyPrefix: `instances ${process.pid} ${round}/`, timeout: 1 }
  const end = () => {
    bucket.close()
    history.end()
  }
  return { place: { store: 's3', options, history: history.place }, proxies: [bucket, ...history.proxies], end }
}

async function onDisk() {
  const root = mkdtempSync(join(tmpdir(), 'instances-disk-'))
  return { place: { store: 'disk', root, leaseMs: LEASE_MS }, proxies: [], end: () => rmSync(root, { recursive: true, force: true }) }
}
