import { copiedReads } from '../fs/copied-reads.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { followLinks } from '../fs/follow-links.ts'
import { MountTable } from '../fs/mount-table.ts'
import { readOnly } from '../fs/read-only.ts'
import { changeDocument, netChanges } from './changes.ts'
import type { JobCore } from './job-core.ts'
import { withStoppedJob } from './job-core.ts'
import type { StagedChange } from './job-documents.ts'
import { stageAt } from './stored-checkpoints.ts'

/** Which state of a stage is meant. */
export interface StageAt {
  /** As it was at this checkpoint: its id, or the beginning of that. As it is when left out. */
  readonly checkpoint?: string
}

/** The workspace's files with what waits on the stage of a Job, by the paths of the workspace. Nothing can be changed there. */
export function jobFiles(core: JobCore, { checkpoint }: StageAt = {}): Promise<FileSystem> {
  return withStoppedJob(core, async () => {
    const stage = await stageAt(core, checkpoint)
    const points = core.context.mounts().map(({ prefix, fs, mode }) => [prefix, { fs: stage.get(prefix)?.overlay ?? fs, mode }] as const)
    return copiedReads(readOnly(followLinks(new MountTable(points))))
  })
}

/** What waits on the stage of a Job; nothing where nothing was staged. */
export function jobChanges(core: JobCore, { checkpoint }: StageAt = {}): Promise<readonly StagedChange[]> {
  return withStoppedJob(core, async () => (await netChanges(await stageAt(core, checkpoint))).map(changeDocument))
}
