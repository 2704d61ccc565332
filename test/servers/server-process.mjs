import { once } from 'node:events'
import { processGroup } from '../browsers/process-group.mjs'

/**
 * Starts a server that ends with this process, however this process ends. `kill` ends it as a crash does, and waits until it is gone.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 */
export function startServer(program, args, env = {}) {
  // The kernel kills it when its parent is killed, which tells nobody.
  const group = processGroup('setpriv', ['--pdeathsig', 'KILL', program, ...args], { env: { ...process.env, ...env } })
  const { child, died } = group
  const kill = async () => {
    const over = child.exitCode !== null || child.signalCode !== null ? null : once(child, 'exit')
    group.kill()
    await over
  }
  return { pid: child.pid, died, kill }
}

/**
 * Tries until `ask` gives something, or `died` rejects.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {Promise<never>} died
 * @returns {Promise<T>}
 */
export async function untilAnswered(ask, died) {
  const limit = Date.now() + 60_000
  for (;;) {
    try {
      return await Promise.race([ask(), died.catch((error) => Promise.reject(Object.assign(error, { ended: true })))])
    } catch (error) {
      if (error.ended || Date.now() > limit) throw error
      await new Promise((done) => setTimeout(done, 20))
    }
  }
}
