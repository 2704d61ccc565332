import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { killGroup, spawnGroup } from '../browsers/process-group.mjs'
import { program } from '../runtime/program.mjs'
import { bundled } from './bundles.mjs'

/**
 * A workspace somewhere, which runs lines. `ask` gives null once it is killed.
 * @typedef {object} Running
 * @property {(request: Record<string, unknown>) => Promise<any>} ask
 * @property {() => Promise<void>} kill ends it as a crash does
 * @property {(() => void) | null} stop makes it stand still, where that can be done
 * @property {(() => void) | null} resume
 */

/**
 * How an instance is started, by runtime.
 * @type {Record<string, (place: Record<string, unknown>) => Promise<Running>>}
 */
export const runtimes = {
  node: (place) => startProcess([process.execPath], place),
  deno: (place) => startProcess([program('deno'), 'run', '--no-prompt', '--allow-all'], place),
  bun: (place) => startProcess([program('bun'), 'run'], place),
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
    stop: () => process.kill(child.pid, 'SIGSTOP'),
    resume: () => process.kill(child.pid, 'SIGCONT'),
  }
}
