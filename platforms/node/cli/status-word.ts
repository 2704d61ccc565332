import type { JobArguments } from './job-arguments.ts'
import { statusText } from './job-text.ts'
import { openJob } from './opened-job.ts'

/** `mirage status`. */
export async function statusWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const { job, found } = await openJob(given)
  const status = await job.status()
  write(given.flag('json') ? `${JSON.stringify(status, null, 2)}\n` : statusText(status, found.folder))
  return 0
}
