import { mkdirSync } from 'node:fs'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { Mount } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import type { Executor } from '../../../src/job/executor.ts'
import type { JobsContext } from '../../../src/job/job-core.ts'
import type { JobStorage } from '../../../src/job/job-storage.ts'
import { Jobs } from '../../../src/job/jobs.ts'
import { OPEN_RULES } from '../../../src/profile.ts'
import type { SessionFields, StoredVariable } from '../../../src/state/session-fields.ts'
import { hostExecutor } from '../host-executor.ts'
import { HostFileSystem } from '../host-file-system.ts'
import type { Scratch } from './scratch.ts'

export type ExecutorName = 'host' | 'machine'

/** What a Job of the command line works on, as `folders.json` beside its record keeps it. */
export interface JobWorkspace {
  readonly schema_version: 1
  /** Absolute path of the folder that it is about. */
  readonly root: string
  /** Where commands see that folder; `/` when left out. Elsewhere, all that is around it is the Job's own, and never a part of what it proposes. */
  readonly root_at?: string
  /** Where its commands start: a path of the workspace. */
  readonly directory: string
  readonly mounts: readonly JobMountFolder[]
  /** Names of variables that the machine is given. */
  readonly pass_env: readonly string[]
  /** The machine has a /tmp of its own: kept with the Job, and never a part of what it proposes. */
  readonly private_tmp: boolean
}

/** Another folder that a Job sees. */
export interface JobMountFolder {
  readonly prefix: string
  readonly folder: string
  /** `write`: changes are made at once, whether the Job is staged or not. */
  readonly mode: 'read' | 'stage' | 'write'
}

export const WORKSPACE_DOCUMENT = 'folders.json'
const TMP = '/tmp'
const SURROUNDED_HOME = '/root'

/** The Jobs that work on a folder, with the executor of the one that is meant. `scratch` is for a command that is to run. */
export async function jobsOfFolder(...given: Parameters<typeof contextOfFolder>): Promise<Jobs> {
  return new Jobs(await contextOfFolder(...given))
}

/** What these Jobs have in common. `files` are those of the folder, where it isn't one of this machine. */
export async function contextOfFolder(
  workspace: JobWorkspace,
  storage: JobStorage,
  executor: ExecutorName,
  scratch: Scratch | null,
  files: FileSystem = new HostFileSystem({ root: workspace.root }),
): Promise<JobsContext> {
  const root: Mount = { fs: files, mode: 'exec' }
  const rootAt = workspace.root_at ?? '/'
  const given = new Map<string, Mount>(rootAt === '/' ? [] : [['/', { fs: surroundings(), mode: 'write' }]])
  given.set(rootAt, root)
  for (const { prefix, folder, mode } of workspace.mounts)
    given.set(prefix, { fs: new HostFileSystem({ root: folder }), mode: mode === 'read' ? 'read' : 'exec' })
  const hasTmp = workspace.private_tmp && scratch?.isForInspection !== true
  if (hasTmp) given.set(TMP, { fs: scratch === null ? new RAMFileSystem() : folderFiles(scratch.temporary), mode: 'write' })
  return {
    host: webHost,
    storage,
    workspace: workspace.root,
    agentId: null,
    executors: new Map([[executor, await executorOf(executor, given, scratch)]]),
    mounts: () => Array.from(given, ([prefix, mount]) => ({ prefix, ...mount })),
    isDirect: (path) => workspace.mounts.some(({ prefix, mode }) => prefix === path && mode === 'write'),
    isPrivate: (prefix) => (hasTmp && prefix === TMP) || (prefix === '/' && rootAt !== '/'),
    fields: async () => fieldsOf(workspace, executor),
  }
}

/** What is around a folder that isn't the root. */
function surroundings(): RAMFileSystem {
  const fs = new RAMFileSystem()
  fs.mkdir(TMP)
  fs.setattr(TMP, { mode: 0o1777 })
  fs.mkdir(SURROUNDED_HOME)
  return fs
}

function folderFiles(root: string): FileSystem {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return new HostFileSystem({ root })
}

/** The machine is large: it is loaded where it is needed. */
async function executorOf(name: ExecutorName, mounts: ReadonlyMap<string, Mount>, scratch: Scratch | null): Promise<Executor> {
  if (name === 'host') return hostExecutor(scratch?.copies == null ? {} : { folder: scratch.copies, ownStreams: scratch.hasTerminal })
  const { folderMachine } = await import('./folder-machine.ts')
  return folderMachine(mounts, scratch === null ? null : () => folderFiles(scratch.temporary))
}

/** What a command starts with. A process of the host has the variables of this one. */
function fieldsOf({ directory, pass_env, root_at = '/' }: JobWorkspace, executor: ExecutorName): SessionFields {
  const variables = new Map<string, StoredVariable>()
  const give = (name: string, value: string | undefined): void => {
    if (value !== undefined) variables.set(name, { attributes: 'x', value })
  }
  if (executor === 'machine') {
    give('HOME', root_at === '/' ? '/' : SURROUNDED_HOME)
    give('PATH', '/usr/bin:/bin')
    give('PWD', directory)
    give('USER', 'user')
    for (const name of pass_env) give(name, process.env[name])
    variables.set('IFS', { attributes: '', value: ' \t\n' })
  }
  return { cwd: directory, variables, functions: new Map(), aliases: new Map(), umask: process.umask(), rules: OPEN_RULES }
}
