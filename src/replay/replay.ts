import type { Host, MaybePromise } from '../host.ts'
import type { JobsContext } from '../job/job-core.ts'
import type { ReplayPlace } from './place.ts'
import type { Replayed, ReplayRequest } from './request.ts'

/** What a replay takes place in. */
export interface ReplayContext {
  readonly host: Host
  /** Where a run keeps its documents. */
  place(runId: string): MaybePromise<ReplayPlace>
  /** What the calls are run on; `directory` is the agent's, where the trajectory tells. Not asked for by `prepare`. */
  jobs(directory: string | null): MaybePromise<JobsContext>
}

/** Prepares, replays or continues. Never rejects: what goes wrong is in the answer. */
export declare function replay(context: ReplayContext, request: ReplayRequest): Promise<Replayed>
