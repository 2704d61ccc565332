import type { JobArguments } from './job-arguments.ts'
import { openJob } from './opened-job.ts'
import { clearScratch } from './scratch.ts'

/** `mirage kill`. */
export async function killWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const { job, found } = await openJob(given)
  const answer = await job.kill()
  if (answer.state === 'terminated' && answer.already_stopped !== true) clearScratch(found.folder)
  if (given.flag('json')) write(`${JSON.stringify(answer, null, 2)}\n`)
  else if (answer.already_stopped === true) write(`Job ${job.id} has stopped already: ${answer.state}\n`)
  else if (answer.state === 'stopping') write(`Job ${job.id} was asked to stop\n`)
  else write(`Job ${job.id} is over: ${answer.state}\n`)
  return 0
}
