import { realpathSync } from 'node:fs'
import { decode } from '../../../src/bytes.ts'
import { WorkspaceError } from '../../../src/errors.ts'
import type { Job } from '../../../src/job/job.ts'
import type { Jobs } from '../../../src/job/jobs.ts'
import type { JobArguments } from './job-arguments.ts'
import type { FoundJob, JobFolders } from './job-folders.ts'
import { defaultRunHome, jobFolders } from './job-folders.ts'
import { selectJob } from './job-selector.ts'
import type { ExecutorName, JobWorkspace } from './job-workspace.ts'
import { jobsOfFolder, WORKSPACE_DOCUMENT } from './job-workspace.ts'
import type { Scratch } from './scratch.ts'

/** A Job that was selected, and what it belongs to. */
export interface OpenedJob {
  readonly found: FoundJob
  readonly job: Job
  readonly jobs: Jobs
  readonly folders: JobFolders
  readonly workspace: JobWorkspace
  readonly scratch: Scratch | null
}

/** Opens the Job that the first operand selects; `last` where there is none. `scratchIn` is for a command that is to run. NOT_FOUND, CONFLICT, CORRUPT. */
export async function openJob(given: JobArguments, scratchIn?: (folder: string) => Scratch): Promise<OpenedJob> {
  const folders = jobFolders(given.text('output-dir') ?? defaultRunHome())
  const found = selectJob(given.operands[0] ?? 'last', folders.home, realpathSync('.'))
  if (found.elsewhere) folders.assign(found.id, found.folder)
  const workspace = await workspaceOf(found, folders)
  const scratch = scratchIn?.(found.folder) ?? null
  const jobs = jobsOfFolder(workspace, folders, executorOf(found), scratch)
  return { found, job: await jobs.open(found.id), jobs, folders, workspace, scratch }
}

function executorOf({ record }: FoundJob): ExecutorName {
  return record.executor.name === 'machine' ? 'machine' : 'host'
}

async function workspaceOf({ id, folder }: FoundJob, folders: JobFolders): Promise<JobWorkspace> {
  const stored = await (await folders.place(id)).store.get(WORKSPACE_DOCUMENT)
  if (stored === null || stored === 'same')
    throw new WorkspaceError('CORRUPT', `${folder} says nothing of what Job ${id} works on: ${WORKSPACE_DOCUMENT} is missing`)
  const document = JSON.parse(decode(stored.bytes)) as JobWorkspace
  if (document.schema_version !== 1)
    throw new WorkspaceError(
      'VERSION_UNSUPPORTED',
      `${WORKSPACE_DOCUMENT} of Job ${id} has schema ${String(document.schema_version)}; this version reads 1`,
    )
  return document
}
