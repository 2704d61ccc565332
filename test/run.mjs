// npm test: installs what is missing, builds, checks, then runs the tests. The last line counts everything.
// Arguments name the parts to run; none: all.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setUp } from './set-up.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules/.bin', name)
const report = (part) => join(root, '.cache', `${part}.json`)

/** One after the other, each counted as one test. */
const CHECKS = [
  ['types', bin('tsc'), ['-b']],
  ['build', 'npm', ['run', '--silent', 'build']],
  ['lint and format', bin('biome'), ['check', '--max-diagnostics=50']],
  ['unused files, exports and dependencies', bin('knip'), ['--no-progress']],
  ['packed package', process.execPath, ['test/package/check.mjs']],
]

/** Parts that write how many passed and failed, by name. All but the first wait for browsers and servers much of the time, so three of them run at once; the longest begin. */
const PARTS = {
  unit: ['unit tests', ...vitest('unit', [])],
  runtime: ['contract in every runtime', process.execPath, ['test/runtime/run.mjs', '--counts', report('runtime')]],
  servers: ['Redis and S3', ...vitest('servers', ['--config', 'test/servers/vitest.config.ts'])],
  disk: ["state in browsers' storage", process.execPath, ['test/browser-state/run.mjs', '--counts', report('disk')]],
  page: ['page in real browsers', process.execPath, ['test/page/run.mjs', '--counts', report('page')]],
  instances: ['many instances on one store', ...vitest('instances', ['--config', 'test/instances/vitest.config.ts'])],
  browsers: ['terminal and files in real browsers', ...vitest('browsers', ['--config', 'test/page/vitest.config.ts'])],
  edge: ['the worker over HTTP', ...vitest('edge', ['--config', 'test/edge/vitest.config.ts'])],
}

const wanted = process.argv.slice(2)
const known = ['check', ...Object.keys(PARTS)]
const unknown = wanted.filter((part) => !known.includes(part))
if (unknown.length > 0) {
  process.stdout.write(`no part is named ${unknown.join(', ')}: there are ${known.join(', ')}\n`)
  process.exit(2)
}
const rows = []
mkdirSync(join(root, '.cache'), { recursive: true })
setUp()
if (runs('check')) for (const [name, program, args] of CHECKS) await check(name, program, args)
else await check(...CHECKS[1])
const [first, ...others] = Object.keys(PARTS).filter(runs)
if (first !== undefined) await counted(first, true)
await Promise.all(
  Array.from({ length: 3 }, async () => {
    for (let part = others.shift(); part !== undefined; part = others.shift()) await counted(part, false)
  }),
)

let passed = 0
let failed = 0
process.stdout.write('\n')
for (const row of rows) {
  passed += row.passed
  failed += row.failed
  process.stdout.write(
    `${row.failed === 0 ? 'ok  ' : 'FAIL'} ${row.name}: ${row.passed} passed, ${row.failed} failed, ${row.seconds.toFixed(1)} s\n`,
  )
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function runs(part) {
  return wanted.length === 0 || wanted.includes(part)
}

function vitest(part, args) {
  return [bin('vitest'), ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report(part)}`]]
}

async function check(name, program, args) {
  const started = performance.now()
  const status = await start(program, args, true)
  rows.push({ name, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, seconds: (performance.now() - started) / 1000 })
}

/** A part that dies without counting has failed once. */
async function counted(part, alone) {
  const [name, program, args] = PARTS[part]
  rmSync(report(part), { force: true })
  const started = performance.now()
  const status = await start(program, args, alone)
  const counts = readCounts(part)
  // A suite that can't be loaded counts no failed test, yet the run has failed.
  const failed = counts.failed === 0 && status !== 0 ? 1 : counts.failed
  rows.push({ name, passed: counts.passed, failed, seconds: (performance.now() - started) / 1000 })
}

function readCounts(part) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report(part), 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch (error) {
    process.stdout.write(`${part} left no results: ${error.message}\n`)
    return { passed: 0, failed: 1 }
  }
}

/** Runs a command; its output comes as it is made, or, where it doesn't run alone, at its end. */
function start(program, args, alone) {
  const command = [program, ...args].join(' ').replaceAll(`${root}/`, '').replace(process.execPath, 'node')
  process.stdout.write(alone ? `\n$ ${command}\n` : `running: ${command}\n`)
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', alone ? 'inherit' : 'pipe', alone ? 'inherit' : 'pipe'],
      env: environment(),
    })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes))
    child.on('error', fail)
    child.on('close', (code, signal) => {
      if (!alone) process.stdout.write(`\n$ ${command}\n${Buffer.concat(output)}\n`)
      done(code ?? (signal === null ? 1 : 128))
    })
  })
}

/** The package is built once, before anything that uses it. */
function environment() {
  const env = { ...process.env, PACKAGE_IS_BUILT: '1' }
  if (!process.env.CI) return env
  delete env.FORCE_COLOR
  return { ...env, NO_COLOR: '1' }
}
