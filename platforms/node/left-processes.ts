import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { hasHostCode } from './node-file-error.ts'

/** The variable by which the processes of a Job are known, whoever started them. */
export const JOB_VARIABLE = 'MIRAGE_JOB_ID'

/** Milliseconds from asking to end to ending. */
const LAST_WISHES = 2000
const PAUSE = 20

/** Ends the processes of a Job whose runner died, where the system tells which they are, as Linux does: they are asked to, and two seconds later they have to. */
export async function endLeftProcesses(jobId: string): Promise<void> {
  signalAll(jobId, 'SIGTERM')
  const asked = performance.now()
  while (processesOf(jobId).length > 0) {
    if (performance.now() - asked > LAST_WISHES) return signalAll(jobId, 'SIGKILL')
    await setTimeout(PAUSE)
  }
}

function signalAll(jobId: string, signal: NodeJS.Signals): void {
  for (const pid of processesOf(jobId)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      // It ended meanwhile, or became another user's.
      if (!hasHostCode(error, 'ESRCH') && !hasHostCode(error, 'EPERM')) throw error
    }
  }
}

function processesOf(jobId: string): readonly number[] {
  const entry = `\0${JOB_VARIABLE}=${jobId}\0`
  const own = String(process.pid)
  return namesIn('/proc').flatMap((name) =>
    /^\d+$/.test(name) && name !== own && environmentOf(name).includes(entry) ? [Number(name)] : [],
  )
}

/** What a process started with, between zero bytes; '' for one that ended, or is somebody else's. */
function environmentOf(pid: string): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
  } catch {
    return ''
  }
}

/** Empty where there is no such folder: not on every system. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
