import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { launchBrowser } from '../browsers/launch.mjs'
import { killGroup, spawnGroup } from '../browsers/process-group.mjs'
import { serveFolder } from '../browsers/serve-folder.mjs'
import { program } from '../runtime/program.mjs'
import { serveWorker } from '../runtime/workerd.mjs'
import { bundled } from './bundles.mjs'

/**
 * A workspace somewhere, which runs lines. `ask` gives null once it is killed.
 * @typedef {object} Running
 * @property {(request: Record<string, unknown>) => Promise<any>} ask
 * @property {() => Promise<void>} kill ends it as a crash does
 */

/**
 * One that is a process, which can stand still for a while.
 * @typedef {Running & { stop: () => void, resume: () => void }} RunningProcess
 */

/**
 * How an instance is started, by runtime.
 * @type {Record<'node' | 'deno' | 'bun', (place: Record<string, unknown>) => Promise<RunningProcess>>
 *   & Record<'workerd' | 'chromium' | 'firefox', (place: Record<string, unknown>) => Promise<Running>>}
 */
export const runtimes = {
  node: (place) => startProcess([process.execPath], place),
  deno: (place) => startProcess([program('deno'), 'run', '--no-prompt', '--allow-all'], place),
  bun: (place) => startProcess([program('bun'), 'run'], place),
  workerd: startWorker,
  chromium: (place) => startPage('chromium', place),
  firefox: (place) => startPage('firefox', place),
}

async function startProcess([name, ...args], place) {
  const script = join(await bundled('process'), 'cases.js')
  const child = spawnGroup(name, [...args, script, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  const gone = new Promise((done) => child.once('exit', done))
  /** @type {Map<number, (answer: unknown) => void>} */
  const asked = new Map()
  let last = 0
  let isGone = false
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, answer } = JSON.parse(line)
    asked.get(id)?.(answer)
    asked.delete(id)
  })
  child.stdin.on('error', () => undefined)
  void gone.then(() => {
    isGone = true
    for (const answered of asked.values()) answered(null)
  })
  return {
    ask: (request) =>
      new Promise((done) => {
        if (isGone) return done(null)
        asked.set(++last, done)
        child.stdin.write(`${JSON.stringify({ id: last, ...request })}\n`)
      }),
    kill: async () => {
      killGroup(child.pid)
      await gone
    },
    stop: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

async function startWorker(place) {
  const folder = temporary('worker-')
  copyFileSync(join(await bundled('worker'), 'cases.js'), join(folder, 'cases.js'))
  const { origin, kill, died } = await serveWorker(folder, { INSTANCE: 'InstanceObject' })
  return {
    ask: async (asked) => {
      try {
        const response = await fetch(origin, { method: 'POST', body: JSON.stringify({ place, asked }) })
        return await response.json()
      } catch {
        return null
      }
    },
    kill: async () => {
      kill()
      await died.catch(() => undefined)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A browser of its own, of which `kill` ends all processes. */
async function startPage(name, place) {
  const folder = await bundled('page')
  writeFileSync(join(folder, 'index.html'), '<!doctype html><script type="module" src="cases.js"></script>')
  const server = await serveFolder(folder)
  const profile = temporary(`${name}-`)
  const { browser, kill } = await launchBrowser(name, profile)
  const page = await browser.newPage()
  await page.goto(server.url)
  await page.waitForFunction('globalThis.openInstance')
  await page.evaluate((given) => globalThis.openInstance(given), place)
  return {
    ask: (request) => page.evaluate((asked) => globalThis.answer(asked), request).catch(() => null),
    kill: async () => {
      await kill()
      server.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function temporary(prefix) {
  return mkdtempSync(join(tmpdir(), prefix))
}
