import { WorkspaceError } from '../errors.ts'
import { checkNames } from '../option-checks.ts'
import { accessRule } from './access.ts'
import type { RunningJob } from './active-job.ts'
import { launch } from './active-job.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { commandOf, seedsOf } from './checkpoint-seeds.ts'
import { capturedBefore, executionOf, headOf } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { runRecord, tryHoldJob } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import { checkJobOptions } from './job-options.ts'
import { newMounts } from './job-stage.ts'
import { demandKeepable } from './keep-execution.ts'
import { launchPolicy } from './launch-policy.ts'
import { executorOf, uuid } from './run-job.ts'

/** How a suspended Job goes on. */
export type ResumeOptions = Pick<JobOptions, 'suspendAfterMs' | 'stdin' | 'onOutput' | 'signal'>

const KEYS: readonly string[] = ['suspendAfterMs', 'stdin', 'onOutput', 'signal']

/**
 * Goes on with a Job where it was suspended; resolves when it runs. One that nobody runs any more, since its runner died, goes on from where it was suspended last: what it
 * staged since is gone; what it wrote without a stage stays, and is written again. CAPABILITY_UNSUPPORTED, before anything is touched, where its executor can't; EBUSY
 * (`JOB_BUSY`) while somebody runs it; CONFLICT where it ended.
 */
export async function resumeJob(core: JobCore, options: ResumeOptions): Promise<RunningJob> {
  checkNames(options, KEYS, 'resume options')
  await demandKeepable(core)
  const lease = await tryHoldJob(core)
  if (lease === null) throw new WorkspaceError('EBUSY', `JOB_BUSY: Job ${core.id} is running`)
  try {
    const record = await runRecord(core)
    if (record.state !== 'suspended' && record.state !== 'running')
      throw new WorkspaceError('CONFLICT', `Job ${core.id} is ${record.state}: only a suspended one can go on`)
    const head = await headOf(core)
    if (head === null)
      throw new WorkspaceError(
        'EIO',
        `EXECUTION_UNKNOWN: nobody runs Job ${core.id} any more, and it never was suspended: kill it to settle that`,
      )
    const again: RunRecord = { ...record, state: 'running', attempt_id: `attempt-${uuid(core.context.host)}`, pid: null }
    return await goOnFrom(core, head, core, again, lease, options, {})
  } catch (error) {
    lease.end()
    throw error
  }
}

/** Runs the command of a checkpoint of `source` as the Job `core`, from where it was. */
export async function goOnFrom(
  source: JobCore,
  manifest: CheckpointManifest,
  core: JobCore,
  record: RunRecord,
  lease: Parameters<typeof launch>[0]['lease'],
  given: Omit<JobOptions, 'command'>,
  documents: Readonly<Record<string, unknown>>,
): Promise<RunningJob> {
  const { context } = core
  const saved = await executionOf(source, manifest)
  const policy = await launchPolicy(source)
  const timeout = policy?.timeout_ms ?? null
  const options: JobOptions = {
    command: commandOf(record),
    ...given,
    captureOutput: given.captureOutput ?? saved.captures,
    ...(timeout === null ? {} : { timeoutMs: Math.max(0, timeout - saved.elapsed_ms) }),
  }
  checkJobOptions(options)
  const isStaged = record.overlay !== null
  return launch({
    core,
    options,
    executor: executorOf(context, record.executor.name),
    access: (policy?.access ?? []).map(accessRule),
    lease,
    record,
    mounts: await newMounts(core, isStaged, isStaged ? await seedsOf(source, manifest, core === source) : undefined),
    fields: await context.fields(policy?.profile == null ? {} : { profile: policy.profile }),
    isStaged,
    documents,
    execution: saved.execution,
    earlier: capturedBefore(saved),
    elapsedMs: saved.elapsed_ms,
  })
}
