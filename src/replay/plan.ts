import type { Host, MaybePromise } from '../host.ts'
import type { Executor } from '../job/executor.ts'
import type { JobsContext } from '../job/job-core.ts'
import type { Adapter } from './adapter.ts'
import type { ReplayPlace } from './place.ts'
import type { ReplayRequest } from './request.ts'
import type { Batch, Trajectory } from './trajectory.ts'

/** What a replay takes place in. */
export interface ReplayContext {
  readonly host: Host
  /** Where a run keeps its documents. Asked before anything is known to be possible: it makes nothing. */
  place(runId: string): MaybePromise<ReplayPlace>
  /** What the calls are run on; `directory` is the agent's, where the trajectory tells. Not asked for by `prepare`. */
  jobs(directory: string | null): MaybePromise<JobsContext>
}

/** A replay that was found possible. */
export interface ReplayPlan {
  readonly context: ReplayContext
  readonly request: ReplayRequest
  readonly runId: string
  /** Of the source: SHA-256, in hexadecimal digits. */
  readonly sha256: string
  readonly adapter: Adapter
  readonly trajectory: Trajectory
  /** The batches of the prefix; the last one is the boundary. */
  readonly prefix: readonly Batch[]
  readonly boundary: Batch
  /** What the calls are run by; null for `prepare`. */
  readonly runner: ReplayRunner | null
  readonly place: ReplayPlace
}

export interface ReplayRunner {
  readonly jobs: JobsContext
  readonly executor: Executor
}
