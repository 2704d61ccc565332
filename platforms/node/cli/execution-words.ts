import { WorkspaceError } from '../../../src/errors.ts'
import type { JobArguments } from './job-arguments.ts'
import { openJob } from './opened-job.ts'

/** `mirage suspend` and `mirage resume`: refused before anything of the Job is touched. */
export async function executionWord(given: JobArguments): Promise<number> {
  const { job } = await openJob(given)
  const { execution_blocker: blocker } = await job.checkpoints.list()
  const token = 'CAPABILITY_UNSUPPORTED'
  throw new WorkspaceError(token, `${token}: Job ${job.id}: ${blocker ?? `${given.word.name} can't be had yet`}`)
}
