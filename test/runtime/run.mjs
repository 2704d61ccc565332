// Runs the contract against the packed package in every runtime: workerd without flags, Deno without permissions, Bun, Node, and the
// bundle of a page, which Deno runs since it has the same standards. Arguments: [--counts FILE] [RUNTIME…].
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { installPacked, pack } from '../package/pack.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
const bin = join(root, 'node_modules/.bin')
/** Milliseconds that one runtime may take. */
const LIMIT = 240_000

/** Each: how the cases are bundled, and the command that runs the bundle. */
const RUNTIMES = {
  workerd: {
    entry: 'entry-workerd.ts',
    conditions: ['workerd', 'worker'],
    command: (folder) => [join(bin, 'workerd'), 'test', writeWorkerd(folder)],
  },
  deno: {
    entry: 'entry-script.ts',
    conditions: null,
    command: (folder) => [join(bin, 'deno'), 'run', '--no-prompt', join(folder, 'cases.js')],
  },
  bun: { entry: 'entry-script.ts', conditions: null, command: (folder) => [join(bin, 'bun'), 'run', join(folder, 'cases.js')] },
  node: { entry: 'entry-script.ts', conditions: null, command: (folder) => [process.execPath, join(folder, 'cases.js')] },
  page: {
    entry: 'entry-script.ts',
    conditions: ['browser'],
    command: (folder) => [join(bin, 'deno'), 'run', '--no-prompt', '--no-npm', '--node-modules-dir=none', join(folder, 'cases.js')],
  },
}

const { values, positionals } = parseArgs({ options: { counts: { type: 'string' } }, allowPositionals: true })
const names = positionals.length > 0 ? positionals : Object.keys(RUNTIMES)
const project = installPacked(pack(), 'runtime')

const columns = new Map()
for (const name of names) columns.set(name, await runIn(name))
const counts = printTable(columns)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts))
process.exitCode = counts.numFailedTests === 0 && counts.numPassedTests > 0 ? 0 : 1

/** The results of one runtime by case; a runtime that dies fails a case of its own. */
async function runIn(name) {
  const runtime = RUNTIMES[name]
  if (runtime === undefined) throw new Error(`unknown runtime ${name}: ${Object.keys(RUNTIMES).join(', ')}`)
  const folder = join(project, name)
  await bundle(join(here, runtime.entry), folder, runtime.conditions)
  const { status, output } = await execute(runtime.command(folder))
  const results = new Map()
  for (const [, json] of output.matchAll(/@case (\{.*\})/g)) {
    const result = JSON.parse(json)
    results.set(`${result.suite}: ${result.name}`, result)
  }
  const detail = status === 0 ? '' : `exit status ${status}\n${output.replaceAll(/^.*@case .*\n/gm, '').slice(-2000)}`
  results.set('the run comes to its end', { outcome: status === 0 && results.size > 0 ? 'passed' : 'failed', detail })
  return results
}

/** One module. Without conditions the package stays outside, for the runtime to find in node_modules. */
async function bundle(entry, folder, conditions) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    configFile: false,
    root: project,
    logLevel: 'error',
    plugins: [packedOnly(folder, conditions)],
    resolve: { conditions: [...(conditions ?? []), 'import', 'module'] },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2023',
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => 'cases.js' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
}

/** Sends every import of the library, by name or from its sources, to the packed package. */
function packedOnly(folder, conditions) {
  const packed = join(project, 'node_modules/mirage-runtime')
  const found = (file) => {
    if (!existsSync(file)) throw new Error(`the packed package has no ${relative(packed, file)}`)
    return conditions === null ? { id: relative(folder, file), external: true } : file
  }
  return {
    name: 'packed-only',
    enforce: 'pre',
    resolveId(specifier, importer) {
      if (specifier === 'mirage-runtime') {
        return conditions === null
          ? { id: specifier, external: true }
          : found(join(packed, 'dist/platforms', conditions.includes('workerd') ? 'worker' : 'browser', 'index.js'))
      }
      if (!specifier.startsWith('.') || importer === undefined) return null
      const source = relative(root, resolve(dirname(importer), specifier))
      return source.startsWith('src/') ? found(join(packed, 'dist', source.replace(/\.ts$/, '.js'))) : null
    },
  }
}

function writeWorkerd(folder) {
  const file = join(folder, 'test.capnp')
  writeFileSync(
    file,
    `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .cases) ]
);

const cases :Workerd.Worker = (
  modules = [ (name = "cases.js", esModule = embed "cases.js") ],
  compatibilityDate = "2026-04-01"
);
`,
  )
  return file
}

function execute([program, ...args]) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } })
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        output += text
      })
    }
    child.on('error', fail)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      done({ status: code ?? signal, output })
    })
  })
}

function printTable(results) {
  const runtimes = [...results.keys()]
  const cases = new Set(runtimes.flatMap((name) => [...results.get(name).keys()]))
  const width = Math.max(...[...cases].map((name) => name.length))
  let numPassedTests = 0
  let numFailedTests = 0
  const failures = []
  process.stdout.write(`${'case'.padEnd(width)}  ${runtimes.map((name) => name.padEnd(8)).join('')}\n`)
  for (const found of cases) {
    const cells = runtimes.map((name) => {
      const { outcome, detail } = results.get(name).get(found) ?? { outcome: 'failed', detail: 'the case was never reached' }
      if (outcome === 'passed') numPassedTests += 1
      if (outcome === 'failed') {
        numFailedTests += 1
        failures.push(`${name}: ${found}\n${detail}\n`)
      }
      return { passed: 'ok', failed: 'FAILED', skipped: '-' }[outcome].padEnd(8)
    })
    process.stdout.write(`${found.padEnd(width)}  ${cells.join('')}\n`)
  }
  if (failures.length > 0) process.stdout.write(`\n${failures.join('\n')}`)
  process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`)
  return { numPassedTests, numFailedTests }
}
