// Runs the contract against the packed package in every runtime and prints one table: cases × runtimes.
// Arguments: [--counts FILE] [--grep TEXT] [RUNTIME…]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPacked, pack } from '../package/pack.mjs'
import { tidy } from '../readme/blocks.mjs'
import { emptyServers } from '../servers/empty-servers.mjs'
import { startServers } from '../servers/servers.mjs'
import { bundler } from './bundle.mjs'
import { runColumn } from './column.mjs'
import { memoryFolder } from './memory-folder.mjs'
import { readmeExamples } from './readme-examples.mjs'
import { remote, runtimes } from './runtimes.mjs'
import { storeExamples } from './store-examples.mjs'
import { printTable } from './table.mjs'

/** Runtimes that run at the same time. */
const CONCURRENCY = 2

const { values, positionals } = parseArgs({
  options: { counts: { type: 'string' }, grep: { type: 'string', default: '' } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !Object.hasOwn(runtimes, name))
if (unknown.length > 0) {
  process.stderr.write(`unknown runtime ${unknown.join(', ')}: there are ${Object.keys(runtimes).join(', ')}\n`)
  process.exit(2)
}
const names = positionals.length > 0 ? positionals : Object.keys(runtimes)

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const project = installPacked(pack(), 'runtime')
const bundle = bundler(project)
const scratch = { page: memoryFolder(), disk: join(project, 'scratch') }
const isServed = (name) => runtimes[name].places.some((place) => remote.includes(place))
/** @type {ReturnType<typeof startServers> | null} */
let starting = null
const addresses = async () => (await (starting ??= startServers())).addresses
const columns = new Map(names.map((name) => [name, []]))
const begun = ['suspend and resume: suspended in', 'workspace archives: made in']
if (begun.some((row) => row.includes(values.grep)) || /^(suspend|workspace archives)/.test(values.grep)) await runAll('suspend', {})
await runAll('contract', made())
await runExamples()
await (await starting)?.close()
const counts = printTable(columns)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts))
process.exitCode = counts.numFailedTests === 0 && counts.numPassedTests > 0 ? 0 : 1

/** Runs one phase in every runtime. */
async function runAll(phase, { suspended = {}, archived = {} }) {
  // The last columns take longest, and begin first.
  const waiting = [...names].reverse()
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { bundle: kind, places, run, repeats = false, bytesOnly = [] } = runtimes[name]
      const folder = join(scratch[kind] ?? scratch.disk, phase, name)
      mkdirSync(folder, { recursive: true })
      const servers = isServed(name) ? await addresses() : null
      const column = {
        phase,
        suspended,
        archived,
        places,
        repeats,
        bytesOnly,
        folder,
        servers,
        grep: phase === 'suspend' ? '' : values.grep,
      }
      const ran = await runColumn(name, run, { project, bundle: await bundle(kind), column })
      if (phase === 'suspend')
        writeFileSync(suspensionFile(name), JSON.stringify([...ran.results.values()].flatMap(({ made }) => made ?? [])))
      columns.get(name).push(ran)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

/** Runs the examples, each in the column that it belongs to. One that is on servers finds nothing there. */
async function runExamples() {
  for (const [key, found] of byKey([...readmeExamples(project, root), ...storeExamples(project)])) {
    const here = found.filter(({ column }) => columns.has(column))
    if (here.length === 0 || !key.includes(values.grep)) continue
    const results = new Map()
    for (const example of here) results.set(example.column, await runExample(example))
    const [{ suite, name }] = here
    const absent = { suite, name, outcome: 'skipped', detail: suite, ms: 0 }
    for (const [column, runs] of columns) {
      runs.push({ results: new Map([[key, results.get(column) ?? absent]]), seconds: 0, ended: true })
    }
  }
}

function byKey(examples) {
  const found = new Map()
  for (const example of examples) {
    const key = `${example.suite}: ${example.name}`
    found.set(key, [...(found.get(key) ?? []), example])
  }
  return found
}

/** How one example ended. */
async function runExample({ suite, name, output, served, run }) {
  const started = performance.now()
  let detail = ''
  try {
    const servers = served ? await addresses() : null
    if (servers !== null) await emptyServers(servers)
    const printed = await run(servers)
    if (tidy(printed) !== tidy(output ?? '')) detail = `printed\n${printed}\nand not\n${output}`
  } catch (error) {
    detail = error.message
  }
  return { suite, name, outcome: detail === '' ? 'passed' : 'failed', detail, ms: Math.round(performance.now() - started) }
}

/** What each runtime has written to its file. */
function made() {
  const all = names.flatMap((name) =>
    existsSync(suspensionFile(name)) ? [[name, JSON.parse(readFileSync(suspensionFile(name), 'utf8'))]] : [],
  )
  const some = (test) => Object.fromEntries(all.map(([name, things]) => [name, things.filter(test)]))
  return { suspended: some((one) => !('archive' in one)), archived: some((one) => 'archive' in one) }
}

function suspensionFile(name) {
  return join(project, `suspended-in-${name}.json`)
}
