import { spawn } from 'node:child_process'

/** Starts a program with whatever it starts in turn in a group of its own. `kill` ends all of it; `died` rejects when it ends by itself. */
export function processGroup(program, args, { env, stdout = 'ignore' }) {
  const child = spawn(program, args, { env, stdio: ['ignore', stdout, 'pipe'], detached: true })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2000)
  })
  const died = new Promise((_, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => reject(new Error(`${program} ended by ${signal ?? `status ${code}`}\n${said}`)))
  })
  died.catch(() => undefined)
  return { child, died, kill: () => killGroup(child.pid) }
}

/** Ends a group of processes at once; none is left to be waited for. */
export function killGroup(pid) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
