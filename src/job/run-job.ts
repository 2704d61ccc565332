import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { randomId } from '../host.ts'
import type { Lease } from '../store/store.ts'
import type { AccessRule } from './access.ts'
import { accessRule } from './access.ts'
import { bundleOf } from './bundle.ts'
import { CapturedOutput } from './captured-output.ts'
import type { Attempt, CommandEnd, Executor, Running, SavedExecution } from './executor.ts'
import type { JobCore, JobsContext } from './job-core.ts'
import { holdJob, RUN, readDocument, STAGE, writeDocuments } from './job-core.ts'
import type { RunRecord, RunState, StageRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import { checkJobOptions } from './job-options.ts'
import { clearRequest, watchRequests } from './job-requests.ts'
import { newMounts, stageDocuments } from './job-stage.ts'
import { LAUNCH_POLICY, launchPolicyOf } from './launch-policy.ts'
import type { JobMount, StagedMount } from './stage.ts'

/** A Job whose command runs in this instance. */
export interface RunningJob {
  readonly core: JobCore
  readonly record: RunRecord
  /** Resolves with the final record when everything of the Job is written. */
  readonly ended: Promise<RunRecord>
  /** Ends the command; the Job is `cancelled` then. */
  kill(): void
}

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
    })
  } catch (error) {
    lease.end()
    throw error
  }
}

async function demandNew(core: JobCore): Promise<void> {
  if ((await readDocument(core, RUN)) !== null) throw new WorkspaceError('EEXIST', `there is a Job ${core.id} already`)
}

/** What an attempt at a Job's command is made of. */
export interface Launch {
  readonly core: JobCore
  readonly options: JobOptions
  readonly executor: Executor
  readonly access: readonly AccessRule[]
  /** The Job's; ended with the attempt. */
  readonly lease: Lease
  /** Says `running`. */
  readonly record: RunRecord
  readonly mounts: ReadonlyMap<string, JobMount>
  readonly fields: Attempt['fields']
  readonly isStaged: boolean
  /** Other documents of it, written with its first ones. */
  readonly documents: Readonly<Record<string, unknown>>
  readonly execution: SavedExecution | null
  /** Output of earlier attempts. */
  readonly earlier: CapturedOutput
}

/** Runs an attempt: its command runs when this resolves. */
export async function launch(parts: Launch): Promise<RunningJob> {
  const { core, options, executor, isStaged, mounts } = parts
  const { host } = core.context
  const captured = parts.earlier
  const attempt: Attempt = {
    jobId: core.id,
    command: options.command,
    mounts,
    isStaged,
    purpose: 'run',
    fields: parts.fields,
    access: parts.access,
    stdin: inputOf(options.stdin),
    output: (bytes, stream) => {
      if (options.captureOutput !== false) captured.add(bytes, stream)
      return options.onOutput?.(bytes, stream)
    },
    execution: parts.execution,
  }
  const stage = stagedOf(mounts)
  await writeDocuments(core, {
    ...parts.documents,
    ...(isStaged ? { [STAGE]: activeStage(core, stage.keys()) } : {}),
    [RUN]: parts.record,
  })
  const running = await startOrForget(core, executor, attempt, Object.keys(parts.documents))
  const record: RunRecord = { ...parts.record, pid: running.pid }
  let cause: 'killed' | 'timeout' | null = null
  const stop = (why: 'killed' | 'timeout'): void => {
    cause ??= why
    running.kill()
  }
  const kill = (): void => stop('killed')
  const stopRequests = watchRequests(core, ({ kind }) => {
    if (kind === 'kill') kill()
  })
  const stopTimer = options.timeoutMs === undefined ? null : host.timer(options.timeoutMs, () => stop('timeout'))
  options.signal?.addEventListener('abort', kill, { once: true })
  const ended = (async (): Promise<RunRecord> => {
    try {
      const end = await running.ended
      stopRequests()
      stopTimer?.()
      options.signal?.removeEventListener('abort', kill)
      for (const { fs } of mounts.values()) await fs.sync()
      const outcome = outcomeOf(end, cause, options.timeoutMs)
      const final: RunRecord = { ...record, state: outcome.state, pid: null, finished_at_unix_ms: Math.round(host.now()) }
      const staged = isStaged ? await stageDocuments(core, stage, 'staged', 0) : {}
      const bundle = await bundleOf({ record: final, end: outcome.end, captured, executor, attempt, stage: isStaged ? stage : null, host })
      await writeDocuments(core, { ...staged, 'run-bundle.json': bundle, [RUN]: final })
      await clearRequest(core)
      return final
    } finally {
      parts.lease.end()
    }
  })()
  // Whoever waits for the end hears of it; nobody has to.
  ended.catch(() => undefined)
  return { core, record, ended, kill }
}

/** What is known of a stage while its command runs: where the files of upper layers are, should the runner not be there at the end. */
function activeStage({ context, place }: JobCore, prefixes: Iterable<string>): StageRecord {
  const mounts = place.upper === undefined ? [] : Array.from(prefixes, (prefix) => ({ prefix, tree: null }))
  return { schema_version: 1, state: 'active', generation: 0, target: context.workspace, mounts }
}

/** A command that can't be started at all leaves no Job. */
async function startOrForget({ place }: JobCore, executor: Executor, attempt: Attempt, others: readonly string[]): Promise<Running> {
  try {
    return await executor.start(attempt)
  } catch (error) {
    if (attempt.execution === null) for (const name of [RUN, STAGE, ...others]) await place.store.delete(name)
    throw error
  }
}

/** The staged ones of a Job's mounts. */
export function stagedOf(mounts: ReadonlyMap<string, JobMount>): ReadonlyMap<string, StagedMount> {
  const stage = new Map<string, StagedMount>()
  for (const [prefix, { staged }] of mounts) if (staged !== null) stage.set(prefix, staged)
  return stage
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

interface Outcome {
  readonly state: RunState
  readonly end: CommandEnd
}

function outcomeOf(end: CommandEnd, cause: 'killed' | 'timeout' | null, timeoutMs: number | undefined): Outcome {
  if (cause === 'timeout') {
    const failure = { kind: 'deadline_exceeded', message: `still running after ${timeoutMs} ms` } as const
    return { state: 'failed', end: { ...end, exitCode: null, failure } }
  }
  if (cause === 'killed') return { state: 'cancelled', end: { ...end, exitCode: null } }
  if (end.failure !== null) return { state: 'failed', end }
  if (end.exitCode === 0) return { state: 'completed', end }
  const message = end.exitCode === null ? `ended by ${end.signal ?? 'a signal'}` : `exit status ${end.exitCode}`
  return { state: 'failed', end: { ...end, failure: { kind: 'process_exit', message } } }
}

function newRecord(
  { id, context }: JobCore,
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
    storage: id,
    workspace: context.workspace,
    network: null,
    network_policy: null,
    environment: { inherits_host: executor.name === 'host', projected_keys: [...variables], runtime_injected_keys: [] },
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

/** What a command reads, from what it was given. */
export function inputOf(given: JobOptions['stdin']): Attempt['stdin'] {
  if (given === undefined) return new Uint8Array(0)
  if (typeof given === 'string') return encode(given)
  if (given instanceof Uint8Array) return given.slice()
  const chunks = given[Symbol.asyncIterator]()
  return async () => {
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) return null
      if (next.value.length > 0) return next.value.slice()
    }
  }
}
