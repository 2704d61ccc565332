// State in a browser's storage: many tabs, tabs and browsers that are killed, storage that is full, gone, too new or denied.
// Arguments: [--counts FILE] [--grep TEXT] [--rounds N] [--measure] [BROWSER…]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { browserNames } from '../browsers/launch.mjs'
import { bundlePage } from './bundle.mjs'
import { cases } from './cases.mjs'
import { printMeasures } from './measures.mjs'
import { Pages } from './pages.mjs'

/** Milliseconds that one case may take, and that ending its browser may. */
const LIMIT = 120_000
const END_LIMIT = 20_000

const { values, positionals } = parseArgs({
  options: {
    counts: { type: 'string' },
    grep: { type: 'string', default: '' },
    rounds: { type: 'string', default: '4' },
    measure: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const names = positionals.length > 0 ? positionals : browserNames
const script = await bundlePage()
const counts = { numPassedTests: 0, numFailedTests: 0 }

if (values.measure) for (const name of names) await printMeasures(name, script)
else for (const name of names) for (const found of cases.filter((one) => one.name.includes(values.grep))) await runCase(name, found)
process.stdout.write(`${counts.numPassedTests} passed, ${counts.numFailedTests} failed\n`)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts))
// What a case that was cut still waits for must not hold this up.
process.exit(counts.numFailedTests === 0 ? 0 : 1)

/** Each case has a browser and a profile of its own. */
async function runCase(name, { name: title, skip, run }) {
  const reason = skip?.(name) ?? null
  if (reason !== null) {
    process.stdout.write(`skip ${name} ${title}: ${reason}\n`)
    return
  }
  const started = performance.now()
  const pages = new Pages(name, script)
  pages.rounds = Number(values.rounds)
  try {
    await within(LIMIT, run(pages))
    counts.numPassedTests += 1
    process.stdout.write(`ok   ${name} ${title}, ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
  } catch (error) {
    counts.numFailedTests += 1
    process.stdout.write(`FAIL ${name} ${title}\n${error.stack}\n`)
  } finally {
    await within(END_LIMIT, pages.end()).catch((error) => process.stdout.write(`the browser did not end: ${error.message}\n`))
  }
}

async function within(milliseconds, work) {
  let timer
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
