import type { MaybePromise } from '../host.ts'
import type { TrajectorySource } from './source.ts'
import type { Trajectory } from './trajectory.ts'

/** Reads the trajectories of one agent in one format. */
export interface Adapter {
  /** What `--agent` calls it. */
  readonly agent: string
  /** The version of the agent it is for; null where its files have none of an agent. */
  readonly pinned: string | null
  /** Name of what it does, as the plan has it: `mini-swe-agent/2.4.6/native-messages-v1`. */
  readonly profile: string
  /** Name of the format of the native files it writes: `mini-swe-agent/native-json-2.4.6`. */
  readonly nativeFormat: string
  /** Names of the files it writes, in `native/`. */
  readonly files: { readonly prepared: string; readonly reconstructed: string; readonly continued: string }
  /** True for a source that is surely meant for it, by its form alone; must not throw for any source. */
  recognises(source: TrajectorySource): boolean
  /** What `sample` may be for a file that holds several; left out where files hold one. Fails as `read`. */
  samples?(source: TrajectorySource): MaybePromise<readonly string[]>
  /** Reads all of it. A ReplayFault: `trajectory_error` for what isn't the format, naming line, index or pointer; `unsupported_version`. */
  read(source: TrajectorySource, options: ReadOptions): Trajectory | Promise<Trajectory>
}

export interface ReadOptions {
  /** Versions other than the pinned one that are taken where the structure is the same: one by its name, or `any`. */
  readonly acceptVersion?: string
  /** Which one, of a file that holds several (an Inspect log: `ID` or `ID/EPOCH`). */
  readonly sample?: string
}
