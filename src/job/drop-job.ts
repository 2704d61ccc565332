import { WorkspaceError } from '../errors.ts'
import { demandStage, finishInterrupted } from './apply-job.ts'
import type { JobCore } from './job-core.ts'
import { withEndedJob, writeDocuments } from './job-core.ts'
import { stageDocuments } from './job-stage.ts'

/** What `drop` did. */
export interface Dropped {
  /** The stage had been dropped before: nothing was done. */
  readonly alreadyDropped: boolean
}

/** Throws away what is still staged; the Job's record and checkpoints stay. EINVAL for a Job without a stage, or one of which everything was applied. */
export function dropJob(core: JobCore): Promise<Dropped> {
  return withEndedJob(core, async () => {
    await finishInterrupted(core)
    const record = await demandStage(core)
    if (record.state === 'discarded') return { alreadyDropped: true }
    if (record.state === 'applied')
      throw new WorkspaceError('EINVAL', `everything that Job ${core.id} staged was applied: there is nothing to drop`)
    await writeDocuments(core, await stageDocuments(core, new Map(), 'discarded', record.generation + 1))
    for (const { prefix } of record.mounts) await core.place.clearUpper?.(prefix)
    return { alreadyDropped: false }
  })
}
