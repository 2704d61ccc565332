import { join } from 'node:path'
import { encode } from '../../../src/bytes.ts'
import { webHost } from '../../../src/host.ts'
import { digestOf } from '../../../src/job/digest.ts'
import { newJobId } from '../../../src/job/run-job.ts'
import { attend } from './attend.ts'
import type { JobArguments } from './job-arguments.ts'
import { jobIn } from './job-folders.ts'
import { executorOf, openSelected, selectedJob } from './opened-job.ts'
import { isReplay } from './replay-jobs.ts'
import { stageFolder } from './run-request.ts'
import { inNewFolder } from './run-word.ts'
import { runScratch } from './scratch.ts'
import { UsageError } from './usage-error.ts'

/** `mirage fork`: the exit status of the new Job's command. */
export async function forkWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const state = given.choice('state', ['workspace', 'execution']) ?? 'workspace'
  const stdio = given.choice('stdio', ['inherit', 'capture']) ?? 'inherit'
  const requestId = given.text('request-id')
  if (state === 'execution' && given.command !== null)
    throw new UsageError('fork: a running script goes on with what it does: no command goes with --state execution')
  if (state === 'workspace' && requestId !== undefined) throw new UsageError('fork: --request-id goes with --state execution only')
  const selected = await selectedJob(given)
  const { folders, workspace, found } = selected
  if (state === 'workspace' && given.command === null && isReplay(found))
    throw new UsageError(`fork: Job ${found.id} is a replay, which is no command that could be run again: give one after '--'`)
  const id = requestId === undefined ? newJobId({ host: webHost }) : requestedId(found.id, requestId)
  if (jobIn(join(folders.home, id), false) !== null) {
    write(`Job ${id} was forked by that request before\n`)
    return 0
  }
  const stage = given.text('stage')
  if (stage !== undefined)
    folders.assign(id, stageFolder(stage, [workspace.root, found.folder, ...workspace.mounts.map(({ folder }) => folder)]))
  const [checkpoint, name] = [given.text('checkpoint'), given.text('name')]
  const scratch = runScratch(folders.folder(id), state === 'execution' ? 'machine' : executorOf(found), stdio)
  return attend(stdio, folders, scratch, async (attended) => {
    const job = await openSelected(selected, scratch)
    return inNewFolder(folders, id, workspace, () =>
      job.fork({
        id,
        state,
        ...(checkpoint !== undefined && { checkpoint }),
        ...(name !== undefined && { name }),
        ...(given.command !== null && { command: given.command }),
        ...attended,
      }),
    )
  })
}

/** The same Job for the same request. */
function requestedId(parent: string, requestId: string): string {
  return `run-${digestOf(encode(`${parent} ${requestId}`)).slice(0, 32)}`
}
