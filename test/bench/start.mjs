// How long it takes from nothing to the answer of the first `echo hi`, in each runtime: medians of fresh processes, or of fresh pages,
// and the best, which other work on the machine disturbs least.
// node test/bench/start.mjs [--runs N] [RUNTIME…]
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { launchBrowser } from '../browsers/launch.mjs'
import { killGroup } from '../browsers/process-group.mjs'
import { serveFolder } from '../browsers/serve-folder.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const bin = join(root, 'node_modules/.bin')
const folder = join(root, '.cache/start')

/** Milliseconds that a worker's isolate, and a page, may take to the answer of the first `echo`. */
const WORKER_LIMIT = 20
const PAGE_LIMIT = 50

/** What is measured, by name: each gives rows of `[title, milliseconds of every run, remark]`. */
const starts = { workerd: startWorkerd, chromium: startChromium, node: startNode, deno: startDeno, bun: startBun }

/**
 * A worker that is asked once. Nothing of the library is loaded before the request comes, so that what is measured is what an isolate has
 * to do: compile and evaluate the bundle, make a workspace, run the line. A worker without the library answers the same request as a control.
 */
async function startWorkerd(runs) {
  const rows = []
  for (const minify of [true, false]) {
    const place = await bundle(minify ? 'workerd-minified' : 'workerd', {
      entry: `import { Workspace } from 'mirage-runtime'
export async function answer() {
  const ws = new Workspace()
  return (await ws.shell('echo hi')).stdoutText
}
`,
      conditions: ['workerd', 'worker'],
      minify,
      split: false,
    })
    writeFileSync(join(place, 'worker.js'), WORKER)
    writeFileSync(join(place, 'worker.capnp'), WORKER_CONFIG)
    const times = { first: [], control: [], load: [], again: [] }
    for (let run = 0; run < runs; run++) {
      await inWorkerd(place, async (ask) => times.first.push(await ask('/echo')))
      await inWorkerd(place, async (ask) => {
        times.control.push(await ask('/nothing'))
        times.load.push(await ask('/load'))
        times.again.push(await ask('/echo'))
      })
    }
    const kind = minify ? 'minified' : 'as built'
    if (minify) rows.push(['fresh worker without the library, to answer', times.control, 'the server itself'])
    rows.push([`fresh worker to first echo, ${kind}`, times.first, minify ? `at most ${WORKER_LIMIT}` : ''])
    rows.push([`  loading the library, ${kind}`, times.load, ''])
    rows.push([`  new Workspace and first echo, ${kind}`, times.again, ''])
  }
  return rows
}

const WORKER = `export default {
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/nothing') return new Response('hi\\n')
    const { answer } = await import('./app.js')
    return new Response(pathname === '/load' ? 'hi\\n' : await answer())
  },
}
`
const WORKER_CONFIG = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .main) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ]
);

const main :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js"), (name = "app.js", esModule = embed "app.js") ],
  compatibilityDate = "2026-04-01"
);
`

/** A fresh workerd; `ask` gives the milliseconds from a request to the whole of its answer, on a connection that stands already. */
async function inWorkerd(place, use) {
  const args = ['serve', '--control-fd=3', join(place, 'worker.capnp')]
  const child = spawn(join(bin, 'workerd'), args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'], detached: true })
  try {
    const port = await new Promise((done, fail) => {
      child.on('error', fail)
      child.on('exit', () => fail(new Error('workerd ended before it listened')))
      child.stdio[3].setEncoding('utf8').on('data', (text) => {
        const found = /"port":(\d+)/.exec(text)
        if (found !== null) done(Number(found[1]))
      })
    })
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    await new Promise((done, fail) => socket.once('connect', done).once('error', fail))
    await use((path) => ask(socket, path))
    socket.destroy()
  } finally {
    child.removeAllListeners('exit')
    const ended = new Promise((done) => child.once('exit', done))
    killGroup(child.pid)
    await ended
  }
}

function ask(socket, path) {
  return new Promise((done, fail) => {
    let text = ''
    const started = performance.now()
    const read = (bytes) => {
      text += bytes
      if (!text.endsWith('hi\n')) return
      socket.off('data', read)
      done(performance.now() - started)
    }
    socket.on('data', read)
    socket.once('close', () => fail(new Error(`the worker answered ${JSON.stringify(text)}`)))
    socket.write(`GET ${path} HTTP/1.1\r\nhost: worker\r\n\r\n`)
  })
}

/** A page in a browser context of its own, so that nothing is cached; the bundle is Vite's, in chunks. */
async function startChromium(runs) {
  const place = await bundle('chromium', {
    entry: `import { Workspace } from 'mirage-runtime'
const evaluated = performance.now()
async function report() {
  const ws = new Workspace()
  const { stdoutText } = await ws.shell('echo hi')
  const answered = performance.now()
  await ws.shell('for i in a b; do [ $i = a ] || echo $i; done | cat')
  globalThis.report = { stdoutText, begun: globalThis.begun, evaluated, answered, more: performance.now() }
}
report()
`,
    conditions: ['browser'],
    minify: true,
    split: true,
  })
  const server = await serveFolder(place)
  const { browser, close } = await launchBrowser('chromium', join(folder, 'profile'))
  const times = { load: [], evaluate: [], echo: [], more: [], whole: [] }
  try {
    for (let run = 0; run < runs; run++) {
      const context = await browser.createBrowserContext()
      const page = await context.newPage()
      await page.goto(server.url)
      const handle = await page.waitForFunction('globalThis.report')
      const { stdoutText, begun, evaluated, answered, more } = await handle.jsonValue()
      if (stdoutText !== 'hi\n') throw new Error(`the page's echo gave ${JSON.stringify(stdoutText)}`)
      times.load.push(begun)
      times.evaluate.push(evaluated - begun)
      times.echo.push(answered - evaluated)
      times.whole.push(answered - begun)
      times.more.push(more - answered)
      await context.close()
    }
  } finally {
    await close()
    server.close()
  }
  return [
    ['navigation to scripts loaded', times.load, 'from this machine'],
    ['scripts loaded to first echo', times.whole, `at most ${PAGE_LIMIT}`],
    ['  evaluating the library', times.evaluate, ''],
    ['  new Workspace and first echo', times.echo, ''],
    ['a loop with [, a pipe and cat, each loaded', times.more, ''],
  ]
}

/** The clock is evaluated first, when all that the page imports has come. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>start</title>
<script type="module">import '/clock.js'; import '/app.js'</script>
`
const PROGRAM = `const started = performance.now()
const { Workspace } = await import(${JSON.stringify(join(root, 'dist/platforms/node/index.js'))})
const imported = performance.now()
const ws = new Workspace()
const { stdoutText } = await ws.shell('echo hi')
if (stdoutText !== 'hi\\n') throw new Error('no echo')
console.log(JSON.stringify({ load: imported - started, echo: performance.now() - imported }))
`

function startNode(runs) {
  return startProgram([process.execPath], runs)
}

function startDeno(runs) {
  return startProgram([join(bin, 'deno'), 'run', '--no-prompt', '--allow-read', '--no-check'], runs)
}

function startBun(runs) {
  return startProgram([join(bin, 'bun'), 'run'], runs)
}

/** The package as it is installed, not bundled; the process is there already. */
async function startProgram([program, ...args], runs) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'program.mjs')
  writeFileSync(file, PROGRAM)
  const times = { load: [], echo: [], whole: [] }
  // The first one fills the caches of the file system, and of Deno.
  for (let run = -1; run < runs; run++) {
    const { load, echo } = JSON.parse(await output(program, [...args, file]))
    if (run < 0) continue
    times.load.push(load)
    times.echo.push(echo)
    times.whole.push(load + echo)
  }
  return [
    ['import to first echo', times.whole, ''],
    ['  import', times.load, ''],
    ['  new Workspace and first echo', times.echo, ''],
  ]
}

function output(program, args) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more
    })
    child.on('error', fail)
    child.on('close', (code) => (code === 0 ? done(text) : fail(new Error(`${program} ended with ${code}`))))
  })
}

/** Bundles an entry as a user of the package does; gives the folder with `app.js`, and `index.html` for a page. */
async function bundle(name, { entry, conditions, minify, split }) {
  const place = join(folder, name)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(join(place, 'source'), { recursive: true })
  writeFileSync(join(place, 'source/app.js'), entry)
  const platform = conditions.includes('browser') ? 'browser' : 'worker'
  await build({
    configFile: false,
    root: join(place, 'source'),
    logLevel: 'error',
    resolve: {
      conditions: [...conditions, 'import', 'module'],
      alias: { 'mirage-runtime': join(root, 'dist/platforms', platform, 'index.js') },
    },
    build: {
      outDir: place,
      emptyOutDir: false,
      target: 'es2023',
      minify,
      modulePreload: false,
      rolldownOptions: {
        input: join(place, 'source/app.js'),
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: split, entryFileNames: 'app.js' },
      },
    },
  })
  writeFileSync(join(place, 'index.html'), PAGE)
  writeFileSync(join(place, 'clock.js'), 'globalThis.begun = performance.now()\n')
  return place
}

/** Measures and prints: all runtimes where none is named. */
export async function printStarts(runs, names = Object.keys(starts)) {
  for (const name of names) {
    process.stdout.write(`\n${`${name}: to the first echo`.padEnd(48)}${'median ms'.padStart(10)}${'best'.padStart(10)}\n`)
    try {
      for (const [title, times, remark] of await starts[name](runs)) {
        const sorted = times.toSorted((a, b) => a - b)
        const cells = [sorted[sorted.length >> 1], sorted[0]].map((ms) => ms.toFixed(1).padStart(10)).join('')
        process.stdout.write(`${title.padEnd(48)}${cells}  ${remark}\n`)
      }
    } catch (error) {
      process.stdout.write(`can not be measured: ${error.message.split('\n')[0]}\n`)
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { runs: { type: 'string', default: '7' } }, allowPositionals: true })
  await printStarts(Number(values.runs), positionals.length > 0 ? positionals : undefined)
}
