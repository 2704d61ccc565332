import { WorkspaceError } from './errors.ts'
import { storedDocument } from './job/job-core.ts'
import type { Jobs } from './job/jobs.ts'
import type { WorkspaceParts } from './job/workspace-parts.ts'
import type { ReplayReport } from './replay/documents.ts'
import { storedReplay } from './replay/place.ts'
import { replay } from './replay/replay.ts'
import type { Replayed, ReplayRequest } from './replay/request.ts'
import { encodeId } from './state/id.ts'

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

/** The report of a replay that was made before. NOT_FOUND where there is none. */
export async function storedReport({ objects }: Pick<WorkspaceParts, 'objects'>, runId: string): Promise<ReplayReport> {
  const place = storedReplay(objects, encodeId(runId))
  const report = await storedDocument<ReplayReport>(place.output, 'replay-report.json', `replay ${runId}`)
  if (report === null) throw new WorkspaceError('NOT_FOUND', `there is no report of a replay "${runId}"`)
  return report
}
