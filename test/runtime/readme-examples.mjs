import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf, tidy } from '../readme/blocks.mjs'
import { openChromium } from './browsers/puppeteer.mjs'
import { runInPage } from './browsers/run-in-page.mjs'
import { bundle } from './bundle.mjs'
import { program } from './program.mjs'
import { serveWorker } from './workerd.mjs'

/** Milliseconds that one example may take. */
const LIMIT = 60_000

/** The README's examples for one runtime each: the column that each belongs to, its name, and what runs it and gives its output. */
export function readmeExamples(project, root) {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
  return blocks.flatMap((block, index) => {
    const [, kind, flags] = /^ts run (\w+) ?(.*)$/.exec(block.kind) ?? []
    if (kind === undefined) return []
    const { column, run } = KINDS[kind]
    const folder = join(project, 'readme', `line-${block.line}`)
    const commands = blocks[index + 1]
    const output = (kind === 'worker' ? commands : block).output
    return [
      {
        column,
        name: `the ${kind} program in line ${block.line}`,
        output,
        run: () => run({ project, folder, text: block.text, flags, commands }),
      },
    ]
  })
}

/** How one example ended. */
export async function runExample({ name, output, run }) {
  const started = performance.now()
  let detail = ''
  try {
    const printed = await run()
    if (tidy(printed) !== tidy(output ?? '')) detail = `printed\n${printed}\nand not\n${output}`
  } catch (error) {
    detail = error.message
  }
  return { suite: 'README', name, outcome: detail === '' ? 'passed' : 'failed', detail, ms: Math.round(performance.now() - started) }
}

const KINDS = {
  page: { column: 'chromium', run: runPage },
  worker: { column: 'durable-object', run: runWorker },
  deno: {
    column: 'deno-disk',
    run: ({ flags, ...example }) => runFile([program('deno'), 'run', '--no-prompt', ...flags.split(' ')], example),
  },
  bun: { column: 'bun', run: (example) => runFile([program('bun'), 'run'], example) },
}

/** As it is, in TypeScript, in a folder of its own below the project in which the package is installed. */
function runFile(command, { folder, text }) {
  write(folder, 'example.ts', text)
  return output([...command, 'example.ts'], folder)
}

/** What it prints on the console of a page, which another module takes down. */
async function runPage({ project, folder, text }) {
  write(folder, 'example.ts', text)
  write(
    folder,
    'entry.ts',
    `const printed = []
console.log = (...values) => void printed.push(values.join(' '))
const post = (made, end) => fetch('/results', { method: 'POST', body: JSON.stringify({ results: [{ made }], end }) })
import('./example.ts').then(() => post(printed.join('\\n'), ''), (error) => post('', String(error)))
`,
  )
  const bundled = join(folder, 'dist')
  await bundle(project, bundled, { entry: join(folder, 'entry.ts'), conditions: ['browser'], split: true })
  let printed = ''
  const report = ({ made }) => {
    printed = made
  }
  await runInPage(openChromium, 'page', {
    bundle: bundled,
    column: { folder: join(folder, 'profile'), servers: null },
    report,
    signal: AbortSignal.timeout(LIMIT),
  })
  return printed
}

/** What the commands say that follow, sent to it over HTTP. */
async function runWorker({ project, folder, text, commands }) {
  write(folder, 'example.ts', text)
  const bundled = join(folder, 'dist')
  await bundle(project, bundled, { entry: join(folder, 'example.ts'), conditions: ['workerd', 'worker'], split: false })
  const worker = await serveWorker(bundled, 'Agent', 'AGENT')
  try {
    return await output(['bash', '-c', commands.text.replaceAll('http://localhost:8787', worker.origin)], folder)
  } finally {
    worker.kill()
  }
}

function write(folder, name, text) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** All that a command prints. */
function output([program, ...args], cwd) {
  return new Promise((done) => {
    execFile(program, args, { cwd, timeout: LIMIT, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) => {
      done(stdout + stderr + (error?.killed ? 'it took too long\n' : ''))
    })
  })
}
