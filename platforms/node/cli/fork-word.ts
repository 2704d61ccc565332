import { webHost } from '../../../src/host.ts'
import { newJobId } from '../../../src/job/run-job.ts'
import { attend } from './attend.ts'
import type { JobArguments } from './job-arguments.ts'
import { openSelected, selectedJob } from './opened-job.ts'
import { stageFolder } from './run-request.ts'
import { inNewFolder } from './run-word.ts'
import { runScratch } from './scratch.ts'
import { UsageError } from './usage-error.ts'

/** `mirage fork`: the exit status of the new Job's command. */
export async function forkWord(given: JobArguments): Promise<number> {
  const state = given.choice('state', ['workspace', 'execution']) ?? 'workspace'
  const stdio = given.choice('stdio', ['inherit', 'capture']) ?? 'inherit'
  if (state === 'execution' && given.command !== null)
    throw new UsageError('fork: a running script goes on with what it does: no command goes with --state execution')
  if (state === 'workspace' && given.text('request-id') !== undefined)
    throw new UsageError('fork: --request-id goes with --state execution only')
  const selected = await selectedJob(given)
  const { folders, workspace, found } = selected
  const id = newJobId({ host: webHost })
  const stage = given.text('stage')
  if (stage !== undefined)
    folders.assign(id, stageFolder(stage, [workspace.root, found.folder, ...workspace.mounts.map(({ folder }) => folder)]))
  const [checkpoint, name] = [given.text('checkpoint'), given.text('name')]
  const scratch = runScratch(folders.folder(id))
  return attend(stdio, folders, scratch, (attended) =>
    inNewFolder(folders, id, workspace, async () => {
      const job = await openSelected(selected, scratch)
      return job.fork({
        id,
        state,
        ...(checkpoint !== undefined && { checkpoint }),
        ...(name !== undefined && { name }),
        ...(given.command !== null && { command: given.command }),
        ...attended,
      })
    }),
  )
}
