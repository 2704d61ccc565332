import { WorkspaceError } from '../errors.ts'
import { randomId } from '../host.ts'
import type { RunningJob } from './active-job.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { answered } from './create-checkpoint.ts'
import { headOf } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { runRecord, tryHoldJob } from './job-core.ts'
import { answerOf, askRunner } from './job-requests.ts'
import { demandExecution, executorOf } from './run-job.ts'
import { findCheckpoint } from './stored-checkpoints.ts'

/** How an execution is kept. */
export interface KeepExecutionOptions {
  /** The same request makes one checkpoint, however often it comes. */
  readonly requestId?: string
  /** Milliseconds that commands in flight have to end; 10,000 when left out. */
  readonly limitMs?: number
  /** Milliseconds to wait for whoever runs the Job, where that is another instance; 120,000 when left out. */
  readonly timeoutMs?: number
}

/** A checkpoint of kind `execution`; `reused` where an earlier request made it. */
export interface KeptExecution {
  readonly manifest: CheckpointManifest
  readonly reused: boolean
}

const LIMIT_MS = 10_000
const TIMEOUT_MS = 120_000

/** CAPABILITY_UNSUPPORTED, before anything is touched, where the execution of a Job can't be saved. */
export async function demandKeepable(core: JobCore): Promise<void> {
  const record = await runRecord(core)
  demandExecution(executorOf(core.context, record.executor.name), core.id)
}

/**
 * Keeps the execution of a running Job in a checkpoint, whoever runs it; it goes on, or stops there, where `suspends`. A suspended one has a checkpoint already. CONFLICT
 * for one that ended, EIO (`EXECUTION_UNKNOWN`) for one that nobody runs any more.
 */
export async function keepExecution(
  core: JobCore,
  running: RunningJob | null,
  { requestId, limitMs = LIMIT_MS, timeoutMs = TIMEOUT_MS }: KeepExecutionOptions,
  suspends = false,
): Promise<KeptExecution> {
  await demandKeepable(core)
  const earlier = await answered(core, 'execution', requestId ?? null)
  if (earlier !== null) return { manifest: earlier.checkpoint, reused: true }
  if (running !== null) return { manifest: await running.keep({ suspends, requestId: requestId ?? null, limitMs }), reused: false }
  const lease = await tryHoldJob(core)
  if (lease !== null) {
    lease.end()
    return { manifest: await keptBefore(core), reused: true }
  }
  // A request of its own for each asker, unless it is asked for again.
  const id = await askRunner(core, suspends ? 'suspend' : 'checkpoint', {
    requestId: requestId ?? null,
    limitMs,
    asker: requestId ?? randomId(core.context.host),
  })
  return { manifest: await findCheckpoint(core, await answerOf(core, id, timeoutMs)), reused: false }
}

/** The checkpoint that a Job which doesn't run is suspended at. */
async function keptBefore(core: JobCore): Promise<CheckpointManifest> {
  const { state } = await runRecord(core)
  if (state === 'running')
    throw new WorkspaceError(
      'EIO',
      `EXECUTION_UNKNOWN: nobody runs Job ${core.id} any more; resume it from its last checkpoint, if it has one, or kill it`,
    )
  const head = state === 'suspended' ? await headOf(core) : null
  if (head === null) throw new WorkspaceError('CONFLICT', `Job ${core.id} is ${state}: only one that runs has an execution to keep`)
  return head
}
