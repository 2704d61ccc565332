// What lines cost on mounts: requests and milliseconds. Redis and S3 are real servers on this machine, behind proxies in this process.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startFaultProxy } from '../servers/fault-proxy.mjs'
import { startServers } from '../servers/servers.mjs'

const library = join(dirname(fileURLToPath(import.meta.url)), '../../dist/platforms/node/index.js')

/** What is measured, in this order. /m is the mount, which has four directories of 25 files in /m/logs. */
const LINES = [
  ['grep -r, 100 files in 4 directories', 'grep -rh alert /m/logs | sort | uniq -c'],
  ['cp -r out of it', 'cp -r /m/logs /data/'],
  ['cp -r into it', 'cp -r /data/logs /m/copy'],
  ['ls -lR', 'ls -lR /m/logs'],
  ['cat of one file', 'cat /m/logs/day-1/7.log'],
  ['echo x > new', 'echo x > /m/new'],
  ['100 × echo >> file, in one line', 'for i in {1..100}; do echo $i >> /m/log; done'],
  ['10 × echo >> file, in ten lines', 'echo x >> /m/log', 10],
  ['10 MB of text written', 'cat /data/large > /m/large'],
  ['10 MB of text read', 'wc -l /m/large'],
  ['tail -1 of them', 'tail -1 /m/large'],
  ['mv of the 100 files', 'mv /m/copy /m/moved'],
  ['rm -r of the 100 files', 'rm -r /m/moved'],
]
const SETTING_UP = `mkdir -p /data /m/logs/day-{0..3}
for d in {0..3}; do for f in {0..24}; do printf 'alert %s\\nother\\n' $f > /m/logs/day-$d/$f.log; done; done
seq -f 'line %010.0f of a large file, which is text' 220000 > /data/large`

/** Prints a table of the lines; the status of the program is 1 where one fails. */
export async function printMounts() {
  const { RedisFileSystem, S3FileSystem, Workspace } = await import(library)
  const { addresses, close } = await startServers()
  const { redis, upstash, s3 } = addresses
  const [toRedis, toS3] = await Promise.all([startFaultProxy(upstash.url), startFaultProxy(s3.endpoint)])
  const { endpoint: _, ...bucket } = s3
  const mounts = [
    ['S3', new S3FileSystem({ ...bucket, endpointUrl: toS3.url, keyPrefix: 'bench/' }), () => toS3.requests().length],
    ['Redis over HTTP', new RedisFileSystem({ url: toRedis.url, token: upstash.token }), () => toRedis.requests().length],
    ['Redis over TCP', new RedisFileSystem({ url: redis.url, keyPrefix: 'bench:' }), () => Number.NaN],
  ]
  const rows = new Map(LINES.map(([name]) => [name, []]))
  try {
    for (const [, fs, requests] of mounts) {
      const workspace = new Workspace({ '/m': fs })
      await run(workspace, SETTING_UP)
      for (const [name, line, times = 1] of LINES) {
        const before = requests()
        const start = performance.now()
        for (let n = 0; n < times; n++) await run(workspace, line)
        rows.get(name).push([requests() - before, performance.now() - start])
      }
      await workspace.close()
      await fs.close()
    }
  } finally {
    toRedis.close()
    toS3.close()
    await close()
  }
  process.stdout.write('\nmounts: requests and ms\n')
  print(
    '',
    mounts.map(([name]) => name),
  )
  for (const [name, cells] of rows) {
    print(
      name,
      cells.map(([sent, ms]) => `${Number.isNaN(sent) ? '' : sent} ${ms.toFixed(0).padStart(8)}`),
    )
  }
}

async function run(workspace, line) {
  const { exitCode, stderrText } = await workspace.shell(line)
  if (exitCode === 0 && stderrText === '') return
  process.stdout.write(`${line}: status ${exitCode}: ${stderrText}\n`)
  process.exitCode = 1
}

function print(start, cells) {
  process.stdout.write(`${start.padEnd(38)}${cells.map((cell) => cell.padStart(18)).join('')}\n`)
}
