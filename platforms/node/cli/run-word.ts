import { encode } from '../../../src/bytes.ts'
import { webHost } from '../../../src/host.ts'
import { newJobId } from '../../../src/job/run-job.ts'
import { attend } from './attend.ts'
import type { JobArguments } from './job-arguments.ts'
import type { JobFolders } from './job-folders.ts'
import { defaultRunHome, jobFolders } from './job-folders.ts'
import type { JobWorkspace } from './job-workspace.ts'
import { jobsOfFolder, WORKSPACE_DOCUMENT } from './job-workspace.ts'
import { runRequest } from './run-request.ts'
import { runScratch } from './scratch.ts'

/** `mirage run`: its exit status. */
export async function runWord(given: JobArguments): Promise<number> {
  const { workspace, executor, stage, stdio, command, access, ...rest } = await runRequest(given)
  const folders = jobFolders(given.text('output-dir') ?? defaultRunHome())
  const id = newJobId({ host: webHost })
  if (stage !== null) folders.assign(id, stage)
  const scratch = runScratch(folders.folder(id), executor, stdio)
  const jobs = await jobsOfFolder(workspace, folders, executor, scratch)
  return attend(stdio, folders, scratch, (attended) =>
    inNewFolder(folders, id, workspace, () => jobs.start({ id, command, executor, access, stage: stage !== null, ...rest, ...attended })),
  )
}

/** Says in the folder of a new Job what the Job works on, and starts it. Where that fails, nothing is left. */
export async function inNewFolder<T>(folders: JobFolders, id: string, workspace: JobWorkspace, start: () => Promise<T>): Promise<T> {
  try {
    const { store } = await folders.place(id)
    await store.put(WORKSPACE_DOCUMENT, encode(`${JSON.stringify(workspace, null, 2)}\n`))
    folders.publish(id)
    return await start()
  } catch (error) {
    folders.forget(id)
    throw error
  }
}
