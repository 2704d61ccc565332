import type { ApplyRecord } from './apply-ledger.ts'
import { readLedger } from './apply-ledger.ts'
import type { NetChange } from './changes.ts'
import { netChanges } from './changes.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { headOf } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { runRecord, stageRecord, tryHoldJob } from './job-core.ts'
import type { RunRecord, RunState, StageState } from './job-documents.ts'
import { openStage } from './job-stage.ts'
import { storedCheckpoints } from './stored-checkpoints.ts'

/** How a Job stands, as `status --json` prints it. */
export interface JobStatus {
  readonly run: RunRecord
  /** Somebody runs it. */
  readonly live: boolean
  readonly checkpoint_capability: {
    readonly workspace: boolean
    readonly workspace_capture_requires: 'confirmed_stopped'
    readonly execution: boolean
    readonly execution_blocker: string | null
  }
  /** Null where the execution can't be saved. */
  readonly execution: { readonly state: ExecutionState; readonly head_checkpoint_id: string | null } | null
  readonly checkpoints: readonly CheckpointManifest[]
  readonly workspace_generation: number | null
  readonly apply_history: readonly ApplyRecord[]
  readonly observations: { readonly filesystem: null; readonly network: null }
  readonly filesystem: {
    readonly state: StageState
    readonly changed_files: number
    readonly whiteouts: number
    readonly sample_paths: readonly string[]
  } | null
}

export type ExecutionState = 'running' | 'suspended' | 'terminal'

const SAMPLES = 32

export async function jobStatus(core: JobCore, runsHere: boolean): Promise<JobStatus> {
  const run = await runRecord(core)
  const live = run.state === 'running' && (runsHere || (await isHeld(core)))
  const stage = await stageRecord(core)
  const executor = core.context.executors.get(run.executor.name)
  const blocker = executor === undefined ? `this workspace has no executor "${run.executor.name}"` : executor.executionBlocker
  const changes = stage === null || (stage.state === 'active' && run.state === 'running') ? [] : await netChanges(await openStage(core))
  return {
    run,
    live,
    checkpoint_capability: {
      workspace: stage !== null,
      workspace_capture_requires: 'confirmed_stopped',
      execution: blocker === null,
      execution_blocker: blocker,
    },
    execution:
      executor?.name === 'machine'
        ? { state: executionState(run.state), head_checkpoint_id: (await headOf(core))?.checkpoint_id ?? null }
        : null,
    checkpoints: await storedCheckpoints(core),
    workspace_generation: stage?.generation ?? null,
    apply_history: (await readLedger(core)).records,
    observations: { filesystem: null, network: null },
    filesystem: stage === null ? null : summaryOf(stage.state, changes),
  }
}

function executionState(state: RunState): ExecutionState {
  return state === 'running' || state === 'suspended' ? state : 'terminal'
}

function summaryOf(state: StageState, changes: readonly NetChange[]): JobStatus['filesystem'] {
  const whiteouts = changes.filter(({ kind }) => kind === 'deleted').length
  return { state, changed_files: changes.length - whiteouts, whiteouts, sample_paths: changes.slice(0, SAMPLES).map(({ path }) => path) }
}

async function isHeld(core: JobCore): Promise<boolean> {
  const lease = await tryHoldJob(core)
  lease?.end()
  return lease === null
}
