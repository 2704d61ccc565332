import { writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.mjs'

const workerd = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.bin/workerd')

/** Runs the cases in a worker without flags. */
export function runInWorker(context) {
  return runWorkerd(context, {})
}

/** Runs them in a Durable Object, whose storage is on the disk. */
export function runInObject(context) {
  return runWorkerd(context, {
    services: `(name = "disk", disk = (path = ${JSON.stringify(context.column.folder)}, writable = true))`,
    bindings: '(name = "OBJECT", durableObjectNamespace = "CasesObject")',
    settings: `durableObjectNamespaces = [ (className = "CasesObject", uniqueKey = "cases", enableSql = true) ],
  durableObjectStorage = (localDisk = "disk"),`,
  })
}

/** What it reads lies beside the bundle, since it looks nowhere else. */
function runWorkerd(context, { services = '', bindings = '', settings = '' }) {
  const { bundle, column } = context
  const name = `${basename(column.folder)}-${column.phase}`
  writeFileSync(join(bundle, `${name}.json`), JSON.stringify(column))
  writeFileSync(
    join(bundle, `${name}.capnp`),
    `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ ${[services, '(name = "main", worker = .cases)'].filter(Boolean).join(', ')} ]
);

const cases :Workerd.Worker = (
  modules = [ (name = "cases.js", esModule = embed "cases.js") ],
  compatibilityDate = "2026-04-01",
  ${settings}
  bindings = [ ${[bindings, `(name = "COLUMN", json = embed "${name}.json")`].filter(Boolean).join(', ')} ]
);
`,
  )
  return runProgram([workerd, 'test', join(bundle, `${name}.capnp`)], context)
}
