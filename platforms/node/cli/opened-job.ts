import { realpathSync } from 'node:fs'
import { decode } from '../../../src/bytes.ts'
import { WorkspaceError } from '../../../src/errors.ts'
import type { Job } from '../../../src/job/job.ts'
import type { JobArguments } from './job-arguments.ts'
import type { FoundJob, JobFolders } from './job-folders.ts'
import { defaultRunHome, jobFolders } from './job-folders.ts'
import { selectJob } from './job-selector.ts'
import type { ExecutorName, JobWorkspace } from './job-workspace.ts'
import { jobsOfFolder, WORKSPACE_DOCUMENT } from './job-workspace.ts'
import type { Scratch } from './scratch.ts'

/** A Job that was selected. */
export interface SelectedJob {
  readonly found: FoundJob
  readonly folders: JobFolders
  readonly workspace: JobWorkspace
}

/** The Job that the first operand selects; `last` where there is none. NOT_FOUND, CONFLICT, CORRUPT. */
export async function selectedJob(given: JobArguments): Promise<SelectedJob> {
  const folders = jobFolders(given.text('output-dir') ?? defaultRunHome())
  const found = selectJob(given.operands[0] ?? 'last', folders.home, realpathSync('.'))
  if (found.elsewhere) folders.assign(found.id, found.folder)
  return { found, folders, workspace: await workspaceOf(found, folders) }
}

/** Opens a Job. `scratch` is for a command that is to run. */
export async function openSelected({ found, folders, workspace }: SelectedJob, scratch: Scratch | null): Promise<Job> {
  return (await jobsOfFolder(workspace, folders, executorOf(found), scratch)).open(found.id)
}

/** Opens the Job that the first operand selects, to look at it or to change what is staged. */
export async function openJob(given: JobArguments): Promise<{ readonly job: Job; readonly found: FoundJob }> {
  const selected = await selectedJob(given)
  return { job: await openSelected(selected, null), found: selected.found }
}

/** What runs its commands. */
export function executorOf({ record }: FoundJob): ExecutorName {
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
