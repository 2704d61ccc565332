import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from '../../../src/bytes.ts'
import type { MaybePromise } from '../../../src/host.ts'
import type { CommandSite, Executor, SiteAttempt } from '../../../src/job/executor.ts'
import type { JobsContext } from '../../../src/job/job-core.ts'
import { tryHoldJob } from '../../../src/job/job-core.ts'
import { configurationFault } from '../../../src/replay/fault.ts'
import { hostExecutor } from '../host-executor.ts'
import type { FoundJob } from './job-folders.ts'
import { defaultRunHome, jobFolders, jobIn } from './job-folders.ts'
import type { ExecutorName, JobWorkspace } from './job-workspace.ts'
import { contextOfFolder, WORKSPACE_DOCUMENT } from './job-workspace.ts'
import type { Scratch } from './scratch.ts'
import { runScratch } from './scratch.ts'

/** The one Job of a replay, in the run home under the id of the run, so that every word for Jobs works on it afterwards. */
export interface ReplayJobs {
  readonly context: JobsContext
  /** Removes what was made for a Job that never was. */
  tidy(): void
}

/** Makes nothing before the Job is about to start. */
export async function replayJobs(workspace: JobWorkspace, executor: ExecutorName, runId: string): Promise<ReplayJobs> {
  const folders = jobFolders(defaultRunHome())
  const folder = folders.folder(runId)
  const context = await contextOfFolder(workspace, folders, executor, null)
  let isOurs = false
  const describe = async (): Promise<void> => {
    if (isOurs) return
    const found = jobIn(folder, false)
    if (found !== null && !(await isStillborn(found, context))) return
    if (found !== null) folders.forget(runId)
    isOurs = true
    const { store } = await folders.place(runId)
    await store.put(WORKSPACE_DOCUMENT, encode(`${JSON.stringify(workspace, null, 2)}\n`))
  }
  const storage: JobsContext['storage'] = {
    ...folders,
    place: async (id) => {
      if (id === runId) await describe()
      return folders.place(id)
    },
  }
  let scratch: Scratch | null = null
  const copies = (): string | null => {
    scratch = runScratch(folder, executor, 'capture')
    return scratch.copies
  }
  return {
    context: { ...context, storage, ...(executor === 'host' && { executors: new Map([[executor, hostExecutorIn(copies)]]) }) },
    tidy: () => {
      scratch?.remove(false)
      if (isOurs && jobIn(folder, false) === null) folders.forget(runId)
    },
  }
}

/** Processes of the host that work in a copy in the folder of the Job, where whoever kills the Job finds it. */
function hostExecutorIn(copies: () => string | null): Executor {
  return { ...hostExecutor(), open: (attempt) => openHost(copies(), attempt) }
}

function openHost(folder: string | null, attempt: SiteAttempt): MaybePromise<CommandSite> {
  const { open } = hostExecutor(folder === null ? {} : { folder })
  if (open === undefined) throw configurationFault('processes of the host can not be run one after another')
  return open(attempt)
}

/** True for a Job that replayed a trajectory, as its record says. */
export function isReplay({ record }: FoundJob): boolean {
  return record.command[0] === 'replay' && !record.command_line
}

/** True for the Job of a replay that died before it ran anything: it may be made again. */
async function isStillborn(found: FoundJob, context: JobsContext): Promise<boolean> {
  const { id, folder, record } = found
  if (record.state !== 'running' || !isReplay(found) || existsSync(join(folder, 'checkpoints'))) return false
  const lease = await tryHoldJob({ id, context, place: await context.storage.place(id) })
  lease?.end()
  return lease !== null
}

/** A folder as the calls of an agent see it: where the agent had it, so that its absolute paths mean what they meant. */
export function replayWorkspace(root: string, directory: string | null, executor: ExecutorName): JobWorkspace {
  const at = executor === 'machine' && directory !== null && isMountPoint(directory) ? directory : '/'
  return {
    schema_version: 1,
    root,
    ...(at !== '/' && { root_at: at }),
    directory: at,
    mounts: [],
    pass_env: [],
    private_tmp: executor === 'machine' && at === '/',
  }
}

/** Whether the machine can see a folder there. */
export function isMountPoint(path: string): boolean {
  return path === '/' || (/^(\/(?!\.{1,2}(\/|$))[^/]+)+$/.test(path) && !/^\/(dev|bin|usr\/bin)(\/|$)/.test(path))
}
