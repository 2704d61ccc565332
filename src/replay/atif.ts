import type { JsonObject, JsonValue } from './json.ts'

/** A trajectory in the Agent Trajectory Interchange Format: what every adapter gives, whatever it reads. Names are the format's own. */
export interface AtifTrajectory {
  readonly schema_version: 'ATIF-v1.6'
  readonly session_id: string
  readonly agent: { readonly name: string; readonly version: string; readonly model_name?: string; readonly extra?: JsonObject }
  readonly steps: readonly AtifStep[]
}

export interface AtifStep {
  /** 1, 2, 3 … */
  readonly step_id: number
  readonly source: 'system' | 'user' | 'agent'
  readonly message: string
  readonly timestamp?: string
  readonly model_name?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly AtifToolCall[]
  readonly observation?: { readonly results: readonly AtifResult[] }
  readonly extra?: JsonObject
}

export interface AtifToolCall {
  readonly tool_call_id: string
  readonly function_name: string
  readonly arguments: JsonObject
}

export interface AtifResult {
  readonly source_call_id: string | null
  readonly content: JsonValue
}
