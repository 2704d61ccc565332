import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transformWithOxc } from 'vite'
import { openChromium } from './browsers/puppeteer.mjs'
import { runInPage } from './browsers/run-in-page.mjs'
import { bundle } from './bundle.mjs'
import { program } from './program.mjs'
import { serveWorker } from './workerd.mjs'

/** Milliseconds that one example may take. */
const LIMIT = 60_000

/** Make programs of TypeScript, each in a folder of its own below the project in which the package is installed; what they give runs it and gives what it prints. */
export const programs = {
  async node({ folder, text, env }) {
    write(folder, 'example.mjs', (await transformWithOxc(text, 'example.ts')).code)
    return () => output([process.execPath, 'example.mjs'], folder, env)
  },
  deno({ folder, text, flags, env }) {
    write(folder, 'example.ts', text)
    return () => output([program('deno'), 'run', '--no-prompt', ...flags, 'example.ts'], folder, env)
  },
  bun({ folder, text, env }) {
    write(folder, 'example.ts', text)
    return () => output([program('bun'), 'run', 'example.ts'], folder, env)
  },
  /** What it prints on the console of a page, which another module takes down. */
  async page({ project, folder, text, servers, posts }) {
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
    return async () => {
      let printed = ''
      const report = ({ made }) => {
        printed = made
      }
      await runInPage(openChromium, 'page', {
        bundle: bundled,
        column: { folder: join(folder, 'profile'), servers },
        report,
        posts,
        signal: AbortSignal.timeout(LIMIT),
      })
      return printed
    }
  },
  /** What commands print that follow, sent to it over HTTP. */
  async worker({ project, folder, text, commands, env }) {
    write(folder, 'example.ts', text)
    const bundled = join(folder, 'dist')
    await bundle(project, bundled, { entry: join(folder, 'example.ts'), conditions: ['workerd', 'worker'], split: false })
    return async () => {
      const worker = await serveWorker(bundled, /\bclass Agent\b/.test(text) ? { AGENT: 'Agent' } : {}, env)
      try {
        return await output(['bash', '-c', commands.replaceAll('http://localhost:8787', worker.origin)], folder)
      } finally {
        worker.kill()
      }
    }
  },
}

/** What a program in TypeScript exports, on Node. */
export async function exported(folder, text) {
  write(folder, 'exported.mjs', (await transformWithOxc(text, 'exported.ts')).code)
  return import(pathToFileURL(join(folder, 'exported.mjs')).href)
}

function write(folder, name, text) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

/** All that a command prints. */
function output([program, ...args], cwd, env = {}) {
  return new Promise((done) => {
    execFile(program, args, { cwd, timeout: LIMIT, env: { ...process.env, NO_COLOR: '1', ...env } }, (error, stdout, stderr) => {
      done(stdout + stderr + (error?.killed ? 'it took too long\n' : ''))
    })
  })
}
