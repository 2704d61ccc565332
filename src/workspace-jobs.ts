import type { CommandTable } from './commands/registry.ts'
import type { MountTable } from './fs/mount-table.ts'
import type { Host } from './host.ts'
import type { Executor } from './job/executor.ts'
import type { JobOptions } from './job/job-options.ts'
import { Jobs } from './job/jobs.ts'
import { storedJobs } from './job/stored-jobs.ts'
import { machineExecutor } from './machine-executor.ts'
import { entriesOf } from './option-checks.ts'
import type { MachineLimits } from './shell/machine/machine.ts'
import type { SessionFields } from './state/session-fields.ts'
import type { Store } from './store/store.ts'

/** What a workspace gives its Jobs. */
export interface JobsOfWorkspace {
  readonly id: string
  readonly host: Host
  /** Where they are kept. */
  readonly objects: Store
  readonly agentId: string | null
  readonly mounts: MountTable
  /** Prefixes of the mounts that every workspace has: devices and programs. */
  readonly builtIn: ReadonlySet<string>
  readonly commands: CommandTable
  readonly limits: MachineLimits
  readonly executors: Readonly<Record<string, Executor>> | undefined
  fields(options: Pick<JobOptions, 'cwd' | 'env' | 'profile'>): Promise<SessionFields>
}

/** The Jobs of a workspace, kept where its sessions are. */
export function jobsOfWorkspace(workspace: JobsOfWorkspace): Jobs {
  const { id, host, objects, agentId, mounts, builtIn, commands, limits } = workspace
  const machine = machineExecutor({
    host,
    commands,
    limits,
    builtIn: () => new Map(mounts.mounts().flatMap(({ prefix, ...mount }) => (builtIn.has(prefix) ? [[prefix, mount]] : []))),
  })
  return new Jobs({
    host,
    storage: storedJobs(objects),
    workspace: id,
    agentId,
    executors: new Map([['machine', machine], ...entriesOf(workspace.executors)]),
    mounts: () => mounts.mounts().filter(({ prefix }) => !builtIn.has(prefix)),
    fields: workspace.fields,
  })
}
