import { attend } from './attend.ts'
import { duration } from './duration.ts'
import type { JobArguments } from './job-arguments.ts'
import { openJob, openSelected, selectedJob } from './opened-job.ts'
import { runScratch } from './scratch.ts'

/** `mirage suspend`. */
export async function suspendWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const [requestId, timeout] = [given.text('request-id'), given.text('timeout')]
  const timeoutMs = timeout === undefined ? undefined : duration(timeout, 'timeout')
  const { job } = await openJob(given)
  const suspended = await job.suspend({ ...(requestId !== undefined && { requestId }), ...(timeoutMs !== undefined && { timeoutMs }) })
  write(given.flag('json') ? `${JSON.stringify(suspended, null, 2)}\n` : `Job ${job.id} is suspended at ${suspended.checkpoint_id}\n`)
  return 0
}

/** `mirage resume`: the exit status of the command that goes on. */
export async function resumeWord(given: JobArguments): Promise<number> {
  const stdio = given.choice('stdio', ['inherit', 'capture']) ?? 'inherit'
  const suspendAfter = given.text('suspend-after')
  const suspendAfterMs = suspendAfter === undefined ? undefined : duration(suspendAfter, 'suspend-after')
  const selected = await selectedJob(given)
  // Only the machine can go on: for a process of the host, nothing is made before it is refused.
  const scratch = runScratch(selected.found.folder, 'machine', stdio)
  return attend(stdio, selected.folders, scratch, async ({ captureOutput: _as, ...attended }) => {
    const job = await openSelected(selected, scratch)
    return job.resume({ ...attended, ...(suspendAfterMs !== undefined && { suspendAfterMs }) })
  })
}
