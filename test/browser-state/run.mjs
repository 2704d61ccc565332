// State in a browser's storage: many tabs, tabs and browsers that are killed, storage that is full, gone, too new or denied.
// Arguments: [--counts FILE] [--grep TEXT] [--rounds N] [--measure] [BROWSER…]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { browserNames } from '../browsers/launch.mjs'
import { bundlePage } from './bundle.mjs'
import { cases, StorageDiscarded } from './cases.mjs'
import { printMeasures } from './measures.mjs'
import { Pages } from './pages.mjs'

/** Milliseconds that one case may take, and that ending its browser may. */
const LIMIT = 120_000
const END_LIMIT = 20_000

const { values, positionals } = parseArgs({
  options: {
    counts: { type: 'string' },
    grep: { type: 'string', default: '' },
    rounds: { type: 'string', default: '2' },
    measure: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const names = positionals.length > 0 ? positionals : browserNames
const script = await bundlePage()
const counts = { numPassedTests: 0, numFailedTests: 0 }

for (const name of names) await (values.measure ? printMeasures(name, script) : runAll(name))
process.stdout.write(`${counts.numPassedTests} passed, ${counts.numFailedTests} failed\n`)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts))
// What a case that was cut still waits for must not hold this up.
process.exit(counts.numFailedTests === 0 ? 0 : 1)

/** Starting a browser is what takes time, so cases share one, each with a root of its own, but those that use up its room, and what follows a failure. */
async function runAll(name) {
  let shared = new Pages(name, script)
  let discards = 0
  for (const found of cases.filter((one) => one.name.includes(values.grep))) {
    let pages = found.own === true ? new Pages(name, script) : shared
    let outcome = await runCase(name, found, pages, discards === 0)
    if (outcome === 'discarded') {
      // Once a run, and said aloud: a browser that does so again fails the case.
      discards += 1
      await end(pages)
      pages = new Pages(name, script)
      if (found.own !== true) shared = pages
      outcome = await runCase(name, found, pages, false)
    }
    if (pages !== shared || outcome === 'failed') await end(pages)
    if (pages === shared && outcome === 'failed') shared = new Pages(name, script)
  }
  await end(shared)
}

/** Whether it passed; `discarded`, and not counted, where the browser threw away its storage and that may be. */
async function runCase(name, { name: title, skip, run }, pages, mayDiscard) {
  const reason = skip?.(name) ?? null
  if (reason !== null) {
    process.stdout.write(`skip ${name} ${title}: ${reason}\n`)
    return 'passed'
  }
  const started = performance.now()
  pages.rounds = Number(values.rounds)
  try {
    await within(LIMIT, run(pages))
    counts.numPassedTests += 1
    process.stdout.write(`ok   ${name} ${title}, ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
    return 'passed'
  } catch (error) {
    if (error instanceof StorageDiscarded && mayDiscard) {
      process.stdout.write(`${name} ${title}: ${error.message}; the case begins anew with another profile\n`)
      return 'discarded'
    }
    counts.numFailedTests += 1
    process.stdout.write(`FAIL ${name} ${title}\n${error.stack}\n`)
    return 'failed'
  }
}

async function end(pages) {
  await within(END_LIMIT, pages.end()).catch((error) => process.stdout.write(`the browser did not end: ${error.message}\n`))
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
