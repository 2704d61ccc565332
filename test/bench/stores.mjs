// What a line costs on each store: requests (in IndexedDB, transactions), and milliseconds as the median and the 99th of 100. Redis and S3 are real
// servers on this machine, behind proxies in this process.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundlePage } from '../browser-state/bundle.mjs'
import { Pages } from '../browser-state/pages.mjs'
import { program } from '../runtime/program.mjs'
import { startFaultProxy } from '../servers/fault-proxy.mjs'
import { openRespConnection } from '../servers/resp-connection.mjs'
import { startServers } from '../servers/servers.mjs'
import { measureLines } from './store-lines.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const library = join(here, '../../dist/platforms/node/index.js')
const LINES = 200
/** Requests that a line may need on a server. */
const BUDGET = 2
/** What is measured; the last two are no lines. */
const MEASURES = ['echo hi', 'export X=…', 'two instances in turn', 'history 10', 'opened again']

/** Prints one table; the status of the program is 1 where a line needs more requests than it may. */
export async function printStores() {
  const { DiskWorkspaceStateStore, RAMWorkspaceStateStore, RedisWorkspaceStateStore, S3WorkspaceStateStore, Workspace } = await import(
    library
  )
  const folder = mkdtempSync(join(tmpdir(), 'bench-stores-'))
  const { addresses, close } = await startServers()
  const { redis, upstash, s3 } = addresses
  const [toRedis, toS3] = await Promise.all([startFaultProxy(upstash.url), startFaultProxy(s3.endpoint)])
  const connection = openRespConnection(redis.port)
  const measure = (name, open, requests) => print(name, () => measureLines({ Workspace, open, lines: LINES, requests }))
  process.stdout.write('\nstores: requests, ms, and ms of the 99th of 100\n')
  line('', MEASURES)
  try {
    const ram = new RAMWorkspaceStateStore()
    await measure('RAM', () => ram)
    await measure('disk', () => new DiskWorkspaceStateStore({ root: join(folder, 'disk') }))
    await print('Deno KV in a file', () => inDeno(folder))
    await inChromium()
    await measure(
      'Redis over TCP',
      () => new RedisWorkspaceStateStore({ url: redis.url }),
      () => commandsOf(connection),
    )
    await measure(
      'Redis over HTTP',
      () => new RedisWorkspaceStateStore({ url: toRedis.url, token: upstash.token }),
      () => toRedis.requests().length,
    )
    const { endpoint: _, ...bucket } = s3
    const observer = new RAMWorkspaceStateStore()
    await measure(
      'S3, history in RAM',
      () => new S3WorkspaceStateStore({ ...bucket, endpointUrl: toS3.url, observer }),
      () => toS3.requests().length,
    )
  } finally {
    connection.close()
    toRedis.close()
    toS3.close()
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function line(start, cells) {
  process.stdout.write(`${start.padEnd(22)}${cells.map((cell) => cell.padStart(26)).join('')}\n`)
}

async function print(name, measure) {
  const found = new Map(await measure())
  const cell = ({ median, p99 = Number.NaN, requests = Number.NaN }) => {
    const numbers = [requests, median, p99].map((number) => (Number.isNaN(number) ? '' : number.toFixed(2)))
    return numbers.map((text, index) => text.padStart(index === 0 ? 5 : 9)).join('')
  }
  line(
    name,
    MEASURES.map((what) => (found.has(what) ? cell(found.get(what)) : '-')),
  )
  for (const what of MEASURES.slice(0, 3)) {
    const requests = found.get(what)?.requests
    if (!(requests > BUDGET)) continue
    process.stdout.write(`${name}: "${what}" takes ${requests} requests; it may take ${BUDGET}\n`)
    process.exitCode = 1
  }
}

/** Commands that clients sent, without those that scripts run. */
async function commandsOf(connection) {
  const [info] = await connection.run([['INFO', 'commandstats']])
  const calls = info.toString().matchAll(/^cmdstat_(?:evalsha|eval|fcall|subscribe|script\|load):calls=(\d+)/gm)
  return Array.from(calls, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}

async function inDeno(folder) {
  const file = join(folder, 'lines.mjs')
  writeFileSync(
    file,
    `import { DenoKVWorkspaceStateStore, Workspace } from ${JSON.stringify(library)}
import { measureLines } from ${JSON.stringify(join(here, 'store-lines.mjs'))}
const kv = await Deno.openKv(${JSON.stringify(join(folder, 'kv.sqlite'))})
const open = () => new DenoKVWorkspaceStateStore({ kv })
console.log(JSON.stringify(await measureLines({ Workspace, open, lines: ${LINES} })))
kv.close()
`,
  )
  const args = ['run', '--no-prompt', '--unstable-kv', '--allow-read', '--allow-write', file]
  const { stdout } = await promisify(execFile)(program('deno'), args, { cwd: join(here, '../..'), timeout: 120_000 })
  return JSON.parse(stdout).map(([what, found]) => [what, { ...found, requests: Number.NaN }])
}

/** By the measures of the tests of browser storage. */
async function inChromium() {
  const script = await bundlePage()
  for (const [name, backend] of [
    ['IndexedDB in Chromium', 'indexeddb'],
    ['OPFS in Chromium', 'opfs'],
  ]) {
    const pages = new Pages('chromium', script)
    try {
      const place = { root: 'bench', backend, session: 's' }
      const { changing, plain } = await pages.run('lineTimes', { ...place, count: LINES })
      const { later } = await pages.run('historyTimes', { ...place, session: 'long', entries: 2000 })
      const cost = ({ transactions: { readonly, readwrite }, ...times }) => ({
        ...times,
        requests: backend === 'indexeddb' ? (readonly + readwrite) / LINES : Number.NaN,
      })
      await print(name, () => [
        ['echo hi', cost(plain)],
        ['export X=…', cost(changing)],
        ['history 10', { median: later }],
      ])
    } finally {
      await pages.end()
    }
  }
}
