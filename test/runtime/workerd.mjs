import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { processGroup } from '../browsers/process-group.mjs'
import { program } from './program.mjs'
import { runProgram } from './run-program.mjs'

const LOCAL_NETWORK = '(name = "internet", network = (allow = ["local"]))'

/** Runs the cases in a worker without flags, which may reach servers of this machine. */
export function runInWorker(context) {
  return runWorkerd(context, { services: LOCAL_NETWORK })
}

/** Runs them in a Durable Object, whose storage is on the disk. */
export function runInObject(context) {
  const { services, settings } = storageOn(context.column.folder, 'CasesObject')
  return runWorkerd(context, { services, settings, bindings: '(name = "OBJECT", durableObjectNamespace = "CasesObject")' })
}

/** Serves `cases.js` of a bundle, a worker with classes of Durable Objects and texts by the names of their bindings, on a port that is free. */
export async function serveWorker(bundle, classes, texts = {}) {
  const sockets = 'sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],'
  const objects = Object.entries(classes).map(([binding, className]) => {
    const folder = join(bundle, 'objects')
    mkdirSync(folder)
    return { ...storageOn(folder, className), bindings: `(name = "${binding}", durableObjectNamespace = "${className}")` }
  })
  const variables = Object.entries(texts).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
  const file = writeConfig(bundle, 'serve', {
    ...objects[0],
    services: listed(objects[0]?.services, LOCAL_NETWORK),
    bindings: listed(objects[0]?.bindings, ...variables),
    sockets,
  })
  const server = processGroup(program('workerd'), ['serve', '--control-fd=1', file], { env: process.env, stdout: 'pipe' })
  const { port } = await Promise.race([listening(server.child.stdout), server.died])
  return { origin: `http://127.0.0.1:${port}`, kill: server.kill, died: server.died }
}

/** What it reads lies beside the bundle, since it looks nowhere else. */
function runWorkerd(context, { services, bindings, settings }) {
  const { bundle, column } = context
  const name = `${basename(column.folder)}-${column.phase}`
  writeFileSync(join(bundle, `${name}.json`), JSON.stringify(column))
  const file = writeConfig(bundle, name, {
    services,
    settings,
    bindings: listed(bindings, `(name = "COLUMN", json = embed "${name}.json")`),
  })
  return runProgram([program('workerd'), 'test', file], context)
}

/** Objects of the class keep what they have in a folder. */
function storageOn(folder, className) {
  return {
    services: `(name = "disk", disk = (path = ${JSON.stringify(folder)}, writable = true))`,
    settings: `durableObjectNamespaces = [ (className = "${className}", uniqueKey = "${className}", enableSql = true) ],
  durableObjectStorage = (localDisk = "disk"),`,
  }
}

function writeConfig(bundle, name, { services = '', bindings = '', settings = '', sockets = '' }) {
  const file = join(bundle, `${name}.capnp`)
  writeFileSync(
    file,
    `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  ${sockets}
  services = [ ${listed(services, '(name = "main", worker = .cases)')} ]
);

const cases :Workerd.Worker = (
  modules = [ (name = "cases.js", esModule = embed "cases.js") ],
  compatibilityDate = "2026-04-01",
  ${settings}
  bindings = [ ${bindings} ]
);
`,
  )
  return file
}

function listed(...items) {
  return items.filter(Boolean).join(', ')
}

/** What workerd tells when it listens. */
async function listening(stream) {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk
    for (const line of text.split('\n').slice(0, -1)) {
      const message = JSON.parse(line)
      if (message.event === 'listen') return message
    }
  }
  throw new Error('workerd does not listen')
}
