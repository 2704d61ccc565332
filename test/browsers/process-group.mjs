import { spawn, spawnSync } from 'node:child_process'

/** Groups that haven't been ended. However this process ends, they do, too. */
const running = new Set()
process.on('exit', () => {
  for (const pid of running) killGroup(pid)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

/** Starts a program in a group of its own, with whatever it starts in turn. */
export function spawnGroup(program, args, options) {
  const child = spawn(program, args, { ...options, detached: true })
  running.add(child.pid)
  return child
}

/** As {@link spawnGroup}. `kill` ends all of it; `died` rejects when it ends by itself. */
export function processGroup(program, args, { env, stdout = 'ignore' }) {
  const child = spawnGroup(program, args, { env, stdio: ['ignore', stdout, 'pipe'] })
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
  running.delete(pid)
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Resolves when nothing of a group runs any more: what was killed may hold files for a moment. */
export async function groupGone(pid) {
  for (let tries = 0; tries < 200 && livesIn(pid); tries++) await new Promise((done) => setTimeout(done, 25))
}

/** What has only to be asked about how it ended doesn't run. */
function livesIn(group) {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pgid=,stat='], { encoding: 'utf8' })
  return stdout.split('\n').some((row) => {
    const [pgid, state = 'Z'] = row.trim().split(/\s+/)
    return Number(pgid) === group && !state.startsWith('Z')
  })
}
