// Runs the contract against the packed package in every runtime and prints one table: cases × runtimes.
// Arguments: [--counts FILE] [--grep TEXT] [RUNTIME…]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPacked, pack } from '../package/pack.mjs'
import { startServers } from '../servers/servers.mjs'
import { bundler } from './bundle.mjs'
import { runColumn } from './column.mjs'
import { memoryFolder } from './memory-folder.mjs'
import { readmeExamples, runExample } from './readme-examples.mjs'
import { remote, runtimes } from './runtimes.mjs'
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
const servers = names.some(isServed) ? await startServers() : null
const columns = new Map(names.map((name) => [name, []]))
if ('suspend and resume: suspended in'.includes(values.grep) || values.grep.startsWith('suspend')) await runAll('suspend', {})
await runAll('contract', suspended())
await runReadme()
await servers?.close()
const counts = printTable(columns)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts))
process.exitCode = counts.numFailedTests === 0 && counts.numPassedTests > 0 ? 0 : 1

/** Runs one phase in every runtime. */
async function runAll(phase, suspended) {
  // The last columns take longest, and begin first.
  const waiting = [...names].reverse()
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { bundle: kind, places, run } = runtimes[name]
      const folder = join(scratch[kind] ?? scratch.disk, phase, name)
      mkdirSync(folder, { recursive: true })
      const addresses = isServed(name) ? servers.addresses : null
      const column = { phase, suspended, places, folder, servers: addresses, grep: phase === 'suspend' ? '' : values.grep }
      const ran = await runColumn(name, run, { project, bundle: await bundle(kind), column })
      if (phase === 'suspend')
        writeFileSync(suspensionFile(name), JSON.stringify([...ran.results.values()].flatMap(({ made }) => made ?? [])))
      columns.get(name).push(ran)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
}

/** Runs the README's examples, each in the column that it belongs to. */
async function runReadme() {
  for (const example of readmeExamples(project, root)) {
    if (!columns.has(example.column) || !`README: ${example.name}`.includes(values.grep)) continue
    const result = await runExample(example)
    const absent = { ...result, outcome: 'skipped', detail: 'README', ms: 0 }
    for (const [name, runs] of columns) {
      runs.push({ results: new Map([[`README: ${example.name}`, name === example.column ? result : absent]]), seconds: 0, ended: true })
    }
  }
}

/** What each runtime has written to its file. */
function suspended() {
  return Object.fromEntries(
    names.flatMap((name) => (existsSync(suspensionFile(name)) ? [[name, JSON.parse(readFileSync(suspensionFile(name), 'utf8'))]] : [])),
  )
}

function suspensionFile(name) {
  return join(project, `suspended-in-${name}.json`)
}
