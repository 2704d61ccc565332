import type { AtifTrajectory } from './atif.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { ToolOutcome, Toolset } from './toolset.ts'

/** What an agent did, as an adapter read it. Everything is read and checked; nothing is run. */
export interface Trajectory {
  readonly atif: AtifTrajectory
  /** The version of the agent that the file names, or the one that the adapter is for where it names none. */
  readonly version: string
  /** The turns that can be replayed, in order: those with calls and all of their observations. */
  readonly batches: readonly Batch[]
  /** What the calls mean, and how they are run again. */
  readonly toolset: Toolset
  /** Absolute directory that the agent worked in; null where the file doesn't tell. */
  readonly directory: string | null
  /** Milliseconds that a call may take, where the file says. */
  readonly callTimeoutMs?: number
  /**
   * Refuses what a prefix of that many batches may not hold, such as a submission or a tool that can't be replayed, with a ReplayFault (`unsupported_version`). What comes
   * after the prefix is of no concern. `allowsStale`: recorded observations may stand for those that can't be made again.
   */
  checkPrefix(batches: number): void
  /** The native file up to the boundary: its last turn, with the calls, without what was observed. Earlier observations stay as recorded. Byte for byte as in the source. */
  prepared(batches: number): NativeFile
  /** The native file up to and with the observations of the boundary, fresh ones in the place of the recorded; then what the live phase added. */
  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): NativeFile
}

/** Bytes in the order they are to be written. */
export type NativeFile = readonly Uint8Array[]

/** One turn of the agent with all of its observations. */
export interface Batch {
  /** Index of the turn in `atif.steps`, which holds its text and reasoning. */
  readonly step: number
  /** Where it is in the native file: `messages:3`, `events:7-8`, `lines:4-5`, `trajectory:2`. */
  readonly locator: string
  /** Turns of the model up to and with this one. */
  readonly modelTurns: number
  readonly calls: readonly Call[]
}

/** A call as recorded, and what came of it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  readonly recorded: Observation
}

/** What an agent was shown after a call. A fresh one is the same where both values and both flags are equal. */
export interface Observation {
  readonly value: JsonValue
  readonly isError: boolean
}

/** What came after the boundary when a model went on. */
export interface LivePhase {
  /** The one user message that was added after the boundary; null for none. */
  readonly boundaryPrompt: string | null
  readonly turns: readonly LiveTurn[]
}

export interface LiveTurn {
  readonly text: string
  readonly reasoning: string | null
  readonly calls: readonly LiveCall[]
  readonly outcomes: readonly ToolOutcome[]
}

export interface LiveCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
}
