import type { JobArguments } from './job-arguments.ts'
import { statusText } from './job-text.ts'
import { openJob } from './opened-job.ts'
import { reviewWord } from './review-word.ts'

/** `mirage status`. */
export async function statusWord(given: JobArguments, write: (text: string | Uint8Array) => void): Promise<number> {
  if (given.flag('review')) return reviewWord(given, write)
  const { job, found } = await openJob(given)
  const status = await job.status()
  write(given.flag('json') ? `${JSON.stringify(status, null, 2)}\n` : statusText(status, found.folder))
  return 0
}
