// Runs the contract against the packed package in every runtime and prints one table: cases × runtimes.
// Arguments: [--counts FILE] [--grep TEXT] [RUNTIME…]
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPacked, pack } from '../package/pack.mjs'
import { bundler } from './bundle.mjs'
import { runColumn } from './column.mjs'
import { runtimes } from './runtimes.mjs'
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

const project = installPacked(pack(), 'runtime')
const bundle = bundler(project)
const columns = new Map(names.map((name) => [name, null]))
const waiting = [...names]
await Promise.all(Array.from({ length: CONCURRENCY }, work))
const counts = printTable(columns)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts))
process.exitCode = counts.numFailedTests === 0 && counts.numPassedTests > 0 ? 0 : 1

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const runtime = runtimes[name]
    const scratch = join(project, 'scratch', name)
    mkdirSync(scratch, { recursive: true })
    const bundled = await bundle(runtime.bundle)
    columns.set(name, await runColumn(name, runtime, { project, scratch, bundle: bundled, places: runtime.places, grep: values.grep }))
  }
}
