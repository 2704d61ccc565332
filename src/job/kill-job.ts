import type { RunningJob } from './active-job.ts'
import type { RunBundle } from './bundle.ts'
import { releaseHead } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { RUN, readDocument, runRecord, tryHoldJob, writeDocuments } from './job-core.ts'
import type { RunRecord, RunState } from './job-documents.ts'
import { askRunner, clearRequest } from './job-requests.ts'
import { openStage, stageDocuments } from './job-stage.ts'

/** What `kill` did. */
export interface KillAnswer {
  readonly schema_version: 1
  readonly operation: 'kill'
  readonly job_id: string
  /** `stopping` where another instance was asked to end the command. */
  readonly state: RunState | 'stopping'
  readonly termination_requested?: true
  readonly cooperative?: boolean
  readonly already_stopped?: true
  /** The Job was suspended, and what it was doing is given up. */
  readonly suspended_head_released?: true
}

/** Ends a Job: here at once, elsewhere by asking whoever runs it; settles one that nobody runs any more, or that is suspended. */
export async function killJob(core: JobCore, running: RunningJob | null): Promise<KillAnswer> {
  const answer = { schema_version: 1, operation: 'kill', job_id: core.id } as const
  if (running !== null) {
    running.kill()
    const { state } = await running.ended
    // It may have been suspended just before.
    if (state !== 'suspended') return { ...answer, state, termination_requested: true, cooperative: false }
  }
  const lease = await tryHoldJob(core)
  if (lease === null) {
    await runRecord(core)
    await askRunner(core, 'kill')
    return { ...answer, state: 'stopping', termination_requested: true, cooperative: true }
  }
  try {
    const record = await runRecord(core)
    if (record.state !== 'running' && record.state !== 'suspended') return { ...answer, state: record.state, already_stopped: true }
    await core.context.executors.get(record.executor.name)?.endLeft?.(core.id)
    await settle(core, record)
    await releaseHead(core)
    await clearRequest(core)
    return { ...answer, state: 'terminated', ...(record.state === 'suspended' ? { suspended_head_released: true } : {}) }
  } finally {
    lease.end()
  }
}

/** Writes down that a Job which nobody runs is over; what it staged so far can be looked at. */
async function settle(core: JobCore, record: RunRecord): Promise<void> {
  const stage = await openStage(core)
  // What was there before is known from its runner, or is what is there now.
  for (const { overlay, baseline } of stage.values()) for (const { path } of await overlay.changes()) await baseline.touch(path)
  const staged = record.overlay === null ? {} : await stageDocuments(core, stage, 'staged', 0)
  const over = { state: 'terminated', finished_at_unix_ms: Math.round(core.context.host.now()) } as const
  const bundle = await readDocument<RunBundle>(core, 'run-bundle.json')
  await writeDocuments(core, {
    ...staged,
    ...(bundle === null ? {} : { 'run-bundle.json': { ...bundle, run: { ...bundle.run, ...over } } }),
    [RUN]: { ...record, ...over, pid: null },
  })
}
