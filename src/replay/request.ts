import type { ReadOptions } from './adapter.ts'
import type { EarlyFailure, ReplayReport, ReplayResult } from './documents.ts'
import type { ReplayFault } from './fault.ts'
import type { Model } from './model.ts'

export type ReplayMode = 'prepare' | 'replay' | 'continue'

/** What is to be replayed, and how. */
export interface ReplayRequest extends ReadOptions {
  /** Name of an adapter, or `auto`. */
  readonly agent: string
  /** The file. Not changed, and not to be changed meanwhile. */
  readonly trajectory: Uint8Array
  /** What the plan calls the file; `trajectory` when left out. */
  readonly source?: string
  /** How many complete batches are in the prefix: 1 and more. */
  readonly afterStep: number
  /** `prepare`: nothing is run; `replay`: the calls of the prefix are run again; `continue`: then a model goes on. */
  readonly mode: ReplayMode
  /** Most turns of the model, those of the prefix included. */
  readonly maxSteps?: number
  /** One message to the model after the boundary; not sent in the other modes. An empty text is none. */
  readonly boundaryUserPrompt?: string
  /** Recorded observations stand for those that can't be made again; the result is `degraded` then. */
  readonly allowStaleObservations?: boolean
  /** Tools that a live Claude Code may not call. */
  readonly disallowedTools?: readonly string[]
  /** Letters, digits, `-` and `_`; `replay-` and 32 hexadecimal digits when left out. */
  readonly runId?: string
  /** What the model is told of the session; the run id when left out. */
  readonly sessionId?: string
  /** What goes on; needed by `continue`. */
  readonly model?: Model
  readonly disableThinking?: boolean
  /** `machine` when left out. */
  readonly executor?: 'machine' | 'host'
  /** Directory of the workspace that stands for the agent's; what the trajectory says, where there is such a directory, else `/`, when left out. */
  readonly directory?: string
  /** Milliseconds that one call may take; what the trajectory says, else 30 minutes, when left out. */
  readonly callTimeoutMs?: number
  /** Ends the replay. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ReplayProgress) => void
}

/** What a replay is at. */
export interface ReplayProgress {
  readonly step: number
  /** Null while a model goes on. */
  readonly of: number | null
  /** Name of the tool, and what it is given in a few words. */
  readonly call: string
}

/** How a replay ended. */
export interface Replayed {
  readonly result: ReplayResult | EarlyFailure
  /** What the program exits with: 0, or that of the failure's category. */
  readonly exitStatus: number
  readonly fault: ReplayFault | null
  /** Null where no call was run. */
  readonly report: ReplayReport | null
}
