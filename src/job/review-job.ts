import type { RunBundle } from './bundle.ts'
import { bundleFiles, bundleOf } from './bundle.ts'
import { CapturedOutput } from './captured-output.ts'
import { netChanges } from './changes.ts'
import { capturedBefore, executionOf, headOf } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { readDocument, stageRecord, withStoppedJob } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import type { StageAt } from './job-files.ts'
import { openStage } from './job-stage.ts'
import { executorOf } from './run-job.ts'
import type { DiffLimits } from './stage-diff.ts'
import { stageDiff } from './stage-diff.ts'
import { checkpointStage, findCheckpoint, stageAt } from './stored-checkpoints.ts'

/** `review --json`: what was run and how it ended, as it was written down then, and what waits on the stage now. */
export interface Review extends RunBundle {
  readonly review_context: {
    readonly job_id: string
    readonly attempt_id: string
    /** Whose files these are; null for those that are staged now. */
    readonly checkpoint_id: string | null
    readonly workspace_generation: number | null
    readonly file_view: 'staged_upper_with_external_lowers'
    readonly execution_evidence: 'historical_bundle'
  }
}

/** What a Job did, and proposes, or proposed at a checkpoint. EBUSY (`JOB_BUSY`) while it runs. */
export function reviewJob(core: JobCore, { checkpoint }: StageAt = {}): Promise<Review> {
  return withStoppedJob(core, async (record) => {
    const bundle = (await readDocument<RunBundle>(core, 'run-bundle.json')) ?? (await bundleWithoutEnd(core, record))
    const stage = await stageRecord(core)
    const manifest = checkpoint === undefined ? null : await findCheckpoint(core, checkpoint)
    const files = manifest === null ? await openStage(core) : await checkpointStage(core, manifest)
    const changes = stage === null ? [] : await netChanges(files)
    const state = manifest === null ? stage?.state : 'staged'
    return {
      ...bundle,
      run: { ...bundle.run, state: record.state },
      filesystem:
        stage === null ? null : bundleFiles(core.place, stage.target, state ?? 'staged', changes, bundle.filesystem?.access_policy ?? []),
      review_context: {
        job_id: core.id,
        attempt_id: record.attempt_id,
        checkpoint_id: manifest?.checkpoint_id ?? null,
        workspace_generation: manifest?.workspace_generation ?? stage?.generation ?? null,
        file_view: 'staged_upper_with_external_lowers',
        execution_evidence: 'historical_bundle',
      },
    }
  })
}

/** What a Job proposes, line by line, in the form of `git diff`. EBUSY (`JOB_BUSY`) while it runs. */
export function diffJob(core: JobCore, { checkpoint, ...limits }: DiffLimits & StageAt = {}): Promise<string> {
  return withStoppedJob(core, async () => {
    const stage = await stageAt(core, checkpoint)
    return stageDiff(stage, await netChanges(stage), limits)
  })
}

/** Of a Job that is suspended, with what it has written so far, or whose runner was not there at its end. */
async function bundleWithoutEnd(core: JobCore, record: RunRecord): Promise<RunBundle> {
  const { host } = core.context
  const head = await headOf(core)
  const failure = { kind: 'infrastructure', message: 'whoever ran it was not there at its end' } as const
  return bundleOf({
    record,
    end: { exitCode: null, signal: null, failure: record.state === 'suspended' ? null : failure, warnings: [] },
    captured: head === null ? new CapturedOutput() : capturedBefore(await executionOf(core, head)),
    executor: executorOf(core.context, record.executor.name),
    attempt: { isStaged: record.overlay !== null, access: [] },
    stage: null,
    place: core.place,
    host,
  })
}
