import type { Jobs } from './job/jobs.ts'
import type { WorkspaceParts } from './job/workspace-parts.ts'
import { storedReplay } from './replay/place.ts'
import { replay } from './replay/replay.ts'
import type { Replayed, ReplayRequest } from './replay/request.ts'

/** A replay on the files of a workspace, kept where its Jobs are. */
export function replayIn(
  { host, objects }: Pick<WorkspaceParts, 'host' | 'objects'>,
  jobs: Jobs,
  request: ReplayRequest,
  ending: AbortSignal,
): Promise<Replayed> {
  const signal = request.signal === undefined ? ending : AbortSignal.any([request.signal, ending])
  return replay({ host, place: (runId) => storedReplay(objects, runId), jobs: () => jobs.context }, { ...request, signal })
}
