import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openChromiumWithFolder } from './browsers/chromium-with-folder.mjs'
import { openMiniBrowser } from './browsers/mini-browser.mjs'
import { openChromium, openFirefox } from './browsers/puppeteer.mjs'
import { runInPage } from './browsers/run-in-page.mjs'
import { openWebKit } from './browsers/web-kit-driver.mjs'
import { program } from './program.mjs'
import { runProgram } from './run-program.mjs'
import { runInObject, runInWorker } from './workerd.mjs'

const disk = ['disk', 'host folder']
const overHttp = ['redis', 's3']
/** Places on servers of the test run, which the runner starts for them. The last needs connections that are not HTTP's. */
export const remote = [...overHttp, 'redis tcp']

/**
 * The columns of the table: which bundle each runs, what it has beyond the web's standards, and how it is run. What is in memory is tested once an engine: a column that
 * `repeats` another one has only what it has beyond that. Of the places in `bytesOnly` it has stores and files, but no sessions. What sessions and Jobs do on servers is the
 * library's own, and runs in Node and workerd; the others show that their requests and connections carry it.
 */
export const runtimes = {
  workerd: { bundle: 'worker', places: overHttp, run: runInWorker },
  'durable-object': { bundle: 'worker', repeats: true, places: ['durable object'], run: runInObject },
  miniflare: { bundle: 'worker', repeats: true, places: ['r2'], run: runMiniflare },
  deno: { bundle: 'script', places: [], run: (context) => runDeno([], context) },
  'deno-net': {
    bundle: 'script',
    repeats: true,
    bytesOnly: remote,
    places: remote,
    run: (context) => {
      const { redis, upstash, s3 } = context.column.servers
      const hosts = [redis.url, upstash.url, s3.endpoint].map((url) => new URL(url).host)
      return runDeno([`--allow-net=${hosts.join()}`], context)
    },
  },
  'deno-disk': {
    bundle: 'script',
    repeats: true,
    places: disk,
    run: (context) =>
      runDeno([`--allow-read=${context.column.folder}`, `--allow-write=${context.column.folder}`, '--allow-sys=statfs'], context),
  },
  'deno-kv': {
    bundle: 'script',
    repeats: true,
    // Symbolic links need permissions without a folder.
    places: ['deno kv', 'host folder'],
    run: (context) => runDeno(['--unstable-kv', '--allow-read', '--allow-write', '--allow-sys=statfs'], context),
  },
  bun: { bundle: 'script', bytesOnly: remote, places: [...disk, ...remote], run: (context) => runScript([program('bun'), 'run'], context) },
  node: { bundle: 'script', places: [...disk, ...remote], run: (context) => runScript([process.execPath], context) },
  ...pageAndWorker('chromium', openChromium, ['indexeddb', 'OPFS'], ['user folder', ...overHttp], false, overHttp),
  'chromium-folder': {
    bundle: 'page',
    repeats: true,
    places: ['dropped folder'],
    run: (context) => runInPage(openChromiumWithFolder, 'page', context),
  },
  ...pageAndWorker('firefox', openFirefox, ['indexeddb', 'OPFS'], overHttp, false, overHttp),
  ...pageAndWorker('webkit', openWebKit, ['indexeddb']),
  // The worker has sessions there; each takes long.
  ...pageAndWorker('webkit-opfs', openMiniBrowser, ['OPFS'], [], true, ['OPFS']),
}

/** Two columns: in a page, and in a worker of one. What is the same in both, and slow, is in the first alone. */
function pageAndWorker(name, open, places, ofPage = [], repeats = false, bytesOnly = []) {
  return {
    [name]: { bundle: 'page', repeats, bytesOnly, places: [...places, ...ofPage], run: (context) => runInPage(open, 'page', context) },
    // A database is the same there; files are written in another way.
    [`${name}-worker`]: {
      bundle: 'page',
      repeats: true,
      bytesOnly: ['indexeddb'],
      places,
      run: (context) => runInPage(open, 'worker', context),
    },
  }
}

function runMiniflare(context) {
  const runner = join(dirname(fileURLToPath(import.meta.url)), 'miniflare/run.mjs')
  return runProgram([process.execPath, runner, join(context.bundle, 'cases.js')], context)
}

function runDeno(permissions, context) {
  return runScript([program('deno'), 'run', '--no-prompt', ...permissions], context)
}

function runScript(command, context) {
  return runProgram([...command, join(context.bundle, 'cases.js')], context)
}
