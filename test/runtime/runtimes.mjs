import { writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openChromium } from './browsers/chromium.mjs'
import { openFirefox } from './browsers/firefox.mjs'
import { openMiniBrowser } from './browsers/mini-browser.mjs'
import { runInPage } from './browsers/run-in-page.mjs'
import { openWebKit } from './browsers/web-kit-driver.mjs'
import { runProgram } from './run-program.mjs'

const bin = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.bin')
const disk = ['disk', 'host folder']

/** The columns of the table: which bundle each runs, what it has beyond the web's standards, and how it is run. */
export const runtimes = {
  workerd: { bundle: 'worker', places: [], run: (context) => runWorkerd('', '', context) },
  'durable-object': { bundle: 'worker', places: ['durable object'], run: (context) => runInObject(context) },
  deno: { bundle: 'script', places: [], run: (context) => runDeno([], context) },
  'deno-disk': {
    bundle: 'script',
    places: disk,
    run: (context) => runDeno([`--allow-read=${context.scratch}`, `--allow-write=${context.scratch}`, '--allow-sys=statfs'], context),
  },
  bun: { bundle: 'script', places: disk, run: (context) => runScript([join(bin, 'bun'), 'run'], context) },
  node: { bundle: 'script', places: disk, run: (context) => runScript([process.execPath], context) },
  ...pageAndWorker('chromium', openChromium, ['indexeddb', 'OPFS', 'user folder']),
  ...pageAndWorker('firefox', openFirefox, ['indexeddb', 'OPFS', 'user folder']),
  ...pageAndWorker('webkit', openWebKit, ['indexeddb']),
  ...pageAndWorker('webkit-opfs', openMiniBrowser, ['indexeddb', 'OPFS', 'user folder']),
}

/** Two columns: in a page, and in a worker of one. */
function pageAndWorker(name, open, places) {
  return {
    [name]: { bundle: 'page', places, run: (context) => runInPage(open, 'page', context) },
    [`${name}-worker`]: { bundle: 'page', places, run: (context) => runInPage(open, 'worker', context) },
  }
}

function runDeno(permissions, context) {
  return runScript([join(bin, 'deno'), 'run', '--no-prompt', ...permissions], context)
}

function runScript(command, context) {
  return runProgram([...command, join(context.bundle, 'cases.js'), JSON.stringify(columnOf(context))], context)
}

function columnOf({ places, grep, scratch }) {
  return { places, grep, folder: scratch }
}

/** The cases run in a Durable Object, whose storage is on the disk. */
function runInObject(context) {
  const services = `, (name = "disk", disk = (path = ${JSON.stringify(context.scratch)}, writable = true))`
  const object = `,
  durableObjectNamespaces = [ (className = "CasesObject", uniqueKey = "cases", enableSql = true) ],
  durableObjectStorage = (localDisk = "disk")`
  return runWorkerd(services, object, context, ', (name = "OBJECT", durableObjectNamespace = "CasesObject")')
}

function runWorkerd(services, settings, context, bindings = '') {
  const file = join(context.bundle, `${context.places.join(' ') || 'plain'}.capnp`)
  writeFileSync(
    file,
    `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .cases)${services} ]
);

const cases :Workerd.Worker = (
  modules = [ (name = "cases.js", esModule = embed "cases.js") ],
  compatibilityDate = "2026-04-01",
  bindings = [ (name = "COLUMN", json = ${JSON.stringify(JSON.stringify(columnOf(context)))})${bindings} ]${settings}
);
`,
  )
  return runProgram([join(bin, 'workerd'), 'test', file], context)
}
