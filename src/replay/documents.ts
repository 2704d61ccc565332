import type { FailureCategory } from './fault.ts'
import type { JsonObject, JsonValue } from './json.ts'

// What a replay writes and prints. Names are those of the documents.

export type Phase = 'prepared' | 'replayed' | 'continued'
export type AgentStatus = 'not_started' | 'completed' | 'max_steps' | 'failed'

export interface Artifact {
  readonly role: string
  readonly format: string
  readonly path: string
}

export interface Failure {
  readonly category: FailureCategory
  readonly message: string
}

/** `result.json`, and the one line that the program prints. */
export interface ReplayResult {
  readonly schema_version: 'sandbox-playback.result/v3'
  readonly phase: Phase
  readonly quality: 'verified' | 'degraded'
  readonly agent_status: AgentStatus
  readonly run_id: string
  readonly agent: {
    readonly type: string
    readonly version: string
    readonly entrypoint: null
    /** What runs the calls; `prepare_only` where nothing does. */
    readonly launch_source: 'prepare_only' | 'machine' | 'host'
    readonly disallowed_tools: readonly string[]
  }
  readonly after_step: number
  /** Fresh observations that were made by running tools. */
  readonly replayed_tool_calls: number
  readonly prefix_model_turns: number
  readonly continued_steps: number
  readonly state_dir: string
  readonly output_dir: string
  readonly artifacts: readonly Artifact[]
  readonly failure: Failure | null
  readonly retryable: boolean
  readonly metadata: JsonObject
}

/** What is printed of a replay that failed before anything was written. */
export interface EarlyFailure {
  readonly schema_version: 'sandbox-playback.result/v3'
  readonly phase: null
  readonly quality: null
  readonly agent_status: 'not_started'
  readonly run_id: string | null
  readonly state_dir: string | null
  readonly output_dir: string | null
  readonly artifacts: readonly never[]
  readonly failure: Failure
  readonly retryable: boolean
}

/** `manifest.json`: what is to be replayed. */
export interface PlanDocument {
  readonly schema_version: 'sandbox-replay.plan/v1'
  readonly agent: { readonly name: string; readonly version: string; readonly profile: string }
  readonly source: { readonly path: string; readonly sha256: string }
  readonly boundary: {
    readonly after_step: number
    readonly complete_tool_batch: true
    readonly prefix_model_turns: number
    readonly tool_calls: number
  }
  readonly batches: readonly {
    readonly ordinal: number
    readonly native_locator: string
    readonly tool_calls: readonly {
      readonly ordinal: number
      readonly call_id: string
      readonly name: string
      readonly arguments: JsonObject
    }[]
  }[]
}

/**
 * How a fresh observation stands to the recorded one: `exact`; `differs`; `unsupported`: a command was called that the workspace doesn't have, so that nothing can be said;
 * `stale`: the recorded one stands in its place.
 */
export type ObservationClass = 'exact' | 'differs' | 'unsupported' | 'stale'

/** An element of `observation-comparison.json`. */
export interface ComparedObservation {
  readonly call_id: string
  readonly tool: string
  readonly exact: boolean
  readonly original_is_error: boolean
  readonly replayed_is_error: boolean
  readonly class: ObservationClass
  readonly missing_commands: readonly string[]
}

/** How many observations there are of each class, and how many calls wanted which command. */
export interface ObservationCounts {
  readonly exact: number
  readonly differs: number
  readonly unsupported: number
  readonly stale: number
  readonly missing_commands: Readonly<Record<string, number>>
}

/** `replay-summary.json`. */
export interface SummaryDocument {
  readonly schema_version: 'sandbox-playback.summary/v1'
  readonly agent: string
  readonly after_step: number
  readonly replayed_tool_calls: number
  readonly exact_observations: number
  readonly different_observations: number
  readonly unsupported_observations: number
  readonly stale_observations: number
  readonly missing_commands: Readonly<Record<string, number>>
  readonly comparison_is_gating: false
  readonly continuation_status: AgentStatus
  readonly continued_steps: number
  readonly boundary_user_prompt: JsonObject
}

/** `replay-report.json`: the trajectory step by step, with what was recorded and what came of it now, for people to look at. */
export interface ReplayReport {
  readonly schema_version: 'mirage.replay-report/v1'
  readonly run_id: string
  /** The Job that has the changes on its stage, and a checkpoint of it after each step. */
  readonly job_id: string
  readonly agent: { readonly name: string; readonly version: string }
  readonly counts: ObservationCounts
  readonly steps: readonly ReportStep[]
}

export interface ReportStep {
  /** From 1; live steps go on counting. */
  readonly ordinal: number
  readonly is_live: boolean
  /** Where the turn is in the native file; null for a live one. */
  readonly locator: string | null
  readonly text: string
  readonly reasoning: string | null
  readonly calls: readonly ReportCall[]
  /** The files of the Job as they were after it; null where none was kept. */
  readonly checkpoint_id: string | null
}

export interface ReportCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** Null in a live step. */
  readonly recorded: { readonly value: JsonValue; readonly is_error: boolean } | null
  /** Null where it was not run again. */
  readonly fresh: { readonly value: JsonValue; readonly is_error: boolean; readonly status: number | null; readonly text: string } | null
  readonly class: ObservationClass | null
  readonly missing_commands: readonly string[]
}
