import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { randomId } from '../host.ts'
import { accessRule } from './access.ts'
import type { RunningJob } from './active-job.ts'
import { launch, stagedOf } from './active-job.ts'
import { CapturedOutput } from './captured-output.ts'
import type { Executor } from './executor.ts'
import type { JobCore, JobsContext } from './job-core.ts'
import { holdJob, RUN, readDocument } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import { checkJobOptions } from './job-options.ts'
import { newMounts } from './job-stage.ts'
import { LAUNCH_POLICY, launchPolicyOf } from './launch-policy.ts'
import type { JobMount } from './stage.ts'

/** Where a Job comes from that begins with what another one has. */
export interface JobOrigin {
  readonly lineage: NonNullable<RunRecord['lineage']>
  /** Documents that are written with its first ones. */
  readonly documents: Readonly<Record<string, unknown>>
  mounts(core: JobCore): Promise<ReadonlyMap<string, JobMount>>
}

/** Starts a Job: its command runs when this resolves. */
export async function startJob(context: JobsContext, options: JobOptions, origin?: JobOrigin): Promise<RunningJob> {
  checkJobOptions(options)
  const executor = executorOf(context, options.executor ?? 'machine')
  if (options.suspendAfterMs !== undefined) demandExecution(executor, options.id ?? 'with suspendAfterMs')
  const access = (options.access ?? []).map(accessRule)
  const fields = await context.fields(options)
  const id = options.id ?? newJobId(context)
  const core: JobCore = { id, context, place: await context.storage.place(id) }
  // One that runs isn't waited for.
  await demandNew(core)
  const lease = await holdJob(core, options.signal)
  try {
    await demandNew(core)
    const isStaged = options.stage === true
    const mounts = origin === undefined ? await newMounts(core, isStaged) : await origin.mounts(core)
    const record = newRecord(core, options, executor, fields.variables.keys(), mounts, origin?.lineage ?? null)
    return await launch({
      core,
      options,
      executor,
      access,
      lease,
      record,
      mounts,
      fields,
      isStaged,
      documents: { [LAUNCH_POLICY]: launchPolicyOf(options), ...origin?.documents },
      execution: null,
      earlier: new CapturedOutput(),
      elapsedMs: 0,
    })
  } catch (error) {
    lease.end()
    throw error
  }
}

/** EEXIST where there is such a Job. */
export async function demandNew(core: JobCore): Promise<void> {
  if ((await readDocument(core, RUN)) !== null) throw new WorkspaceError('EEXIST', `there is a Job ${core.id} already`)
}

/** CAPABILITY_UNSUPPORTED where the workspace has no such executor. */
export function executorOf({ executors }: JobsContext, name: string): Executor {
  const executor = executors.get(name)
  if (executor !== undefined) return executor
  throw new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    `this workspace has no executor "${name}": use "machine", or give the workspace one on Node, Deno or Bun: executors: { host: hostExecutor() }`,
  )
}

/** CAPABILITY_UNSUPPORTED where execution can't be saved. */
export function demandExecution(executor: Executor, job: string): void {
  if (executor.executionBlocker === null) return
  throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `CAPABILITY_UNSUPPORTED: Job ${job}: ${executor.executionBlocker}`)
}

function newRecord(
  { id, context, place }: JobCore,
  options: JobOptions,
  executor: Executor,
  variables: Iterable<string>,
  mounts: ReadonlyMap<string, JobMount>,
  lineage: RunRecord['lineage'],
): RunRecord {
  const staged = Array.from(stagedOf(mounts).keys())
  const { command } = options
  return {
    schema_version: 1,
    run_id: id,
    attempt_id: `attempt-${uuid(context.host)}`,
    parent_run_id: lineage?.parent_run_id ?? null,
    task_id: null,
    session_id: null,
    name: options.name ?? null,
    agent: context.agentId,
    pid: null,
    command: typeof command === 'string' ? [command] : command,
    command_line: typeof command === 'string',
    executor: { name: executor.name, kind: executor.name, isolation: executor.isolation },
    state: 'running',
    started_at_unix_ms: Math.round(context.host.now()),
    finished_at_unix_ms: null,
    storage: place.location ?? id,
    workspace: context.workspace,
    network: null,
    network_policy: null,
    environment: {
      inherits_host: executor.name === 'host',
      projected_keys: [...variables],
      runtime_injected_keys: executor.name === 'host' ? ['MIRAGE_JOB_ID'] : [],
    },
    resource_limits: { timeout_ms: options.timeoutMs ?? null },
    overlay: options.stage === true ? { target: context.workspace, mounts: staged } : null,
    overlay_lowers: options.stage === true ? staged : [],
    lineage,
    orchestration: null,
  }
}

export function newJobId({ host }: Pick<JobsContext, 'host'>): string {
  return `run-${uuid(host)}`
}

/** A random UUID (RFC 9562, version 4). */
export function uuid(host: Pick<Host, 'random'>): string {
  const digits = randomId(host, 16)
  const variant = '89ab'[Number.parseInt(digits[16] as string, 16) & 3]
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
}
