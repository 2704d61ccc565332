// npm test: installs what is missing; build, checks, unit tests, the contract in every runtime. The last line counts everything.
// Arguments name the parts to run (check, unit, edge, runtime, disk, page); none: all.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setUp } from './set-up.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const bin = join(root, 'node_modules/.bin')
const wanted = process.argv.slice(2)
const report = (name) => join(root, '.cache', name)

/** Each check counts as one test. */
const CHECKS = [
  ['types', join(bin, 'tsc'), ['-b']],
  ['lint and format', join(bin, 'biome'), ['check', '--max-diagnostics=50']],
  ['unused files, exports and dependencies', join(bin, 'knip'), ['--no-progress']],
  ['packed package', process.execPath, ['test/package/check.mjs']],
]

const rows = []
mkdirSync(join(root, '.cache'), { recursive: true })
setUp()
if (runs('check')) for (const [name, program, args] of CHECKS) await check(name, program, args)
if (runs('unit')) await vitest('unit tests', 'unit.json', [])
if (runs('edge')) await vitest('the worker over HTTP', 'edge.json', ['--config', 'test/edge/vitest.config.ts'])
if (runs('runtime'))
  await counted('contract in every runtime', process.execPath, ['test/runtime/run.mjs', '--counts', report('runtime.json')], 'runtime.json')
if (runs('disk'))
  await counted("state in browsers' storage", process.execPath, ['test/browser/run.mjs', '--counts', report('disk.json')], 'disk.json')
if (runs('page')) await vitest('terminal and files in real browsers', 'browsers.json', ['--config', 'test/page/vitest.config.ts'])
if (runs('page'))
  await counted('page in real browsers', process.execPath, ['test/page/run.mjs', '--counts', report('page.json')], 'page.json')

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

async function check(name, program, args) {
  const started = performance.now()
  const status = await start(program, args)
  rows.push({ name, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, seconds: (performance.now() - started) / 1000 })
}

function vitest(name, file, args) {
  return counted(
    name,
    join(bin, 'vitest'),
    ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report(file)}`],
    file,
  )
}

/** Runs a part that writes how many passed and failed; one that dies without doing so has failed once. */
async function counted(name, program, args, file) {
  rmSync(report(file), { force: true })
  const started = performance.now()
  const status = await start(program, args)
  const counts = readCounts(file)
  // A suite that can't be loaded counts no failed test, yet the run has failed.
  const failed = counts.failed === 0 && status !== 0 ? 1 : counts.failed
  rows.push({ name, passed: counts.passed, failed, seconds: (performance.now() - started) / 1000 })
}

function readCounts(file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report(file), 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch (error) {
    process.stdout.write(`no results in ${file}: ${error.message}\n`)
    return { passed: 0, failed: 1 }
  }
}

function start(program, args) {
  process.stdout.write(`\n$ ${[program, ...args].join(' ').replaceAll(`${root}/`, '').replace(process.execPath, 'node')}\n`)
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: environment() })
    child.on('error', fail)
    child.on('exit', (code, signal) => done(code ?? (signal === null ? 1 : 128)))
  })
}

function environment() {
  const env = { ...process.env }
  if (!process.env.CI) return env
  delete env.FORCE_COLOR
  return { ...env, NO_COLOR: '1' }
}
