import { copiedReads } from '../fs/copied-reads.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { followLinks } from '../fs/follow-links.ts'
import { MountTable } from '../fs/mount-table.ts'
import { readOnly } from '../fs/read-only.ts'
import { netChanges } from './changes.ts'
import type { JobCore } from './job-core.ts'
import { withStoppedJob } from './job-core.ts'
import type { StagedChange } from './job-documents.ts'
import { openStage } from './job-stage.ts'

/** The workspace's files with what waits on the stage of a Job, by the paths of the workspace. Nothing can be changed there. */
export function jobFiles(core: JobCore): Promise<FileSystem> {
  return withStoppedJob(core, async () => {
    const stage = await openStage(core)
    const points = core.context.mounts().map(({ prefix, fs, mode }) => [prefix, { fs: stage.get(prefix)?.overlay ?? fs, mode }] as const)
    return copiedReads(readOnly(followLinks(new MountTable(points))))
  })
}

/** What waits on the stage of a Job; nothing where nothing was staged. */
export function jobChanges(core: JobCore): Promise<readonly StagedChange[]> {
  return withStoppedJob(core, async () => netChanges(await openStage(core)))
}
