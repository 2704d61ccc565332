import type { JsonObject } from './json.ts'
import type { ToolDefinition } from './toolset.ts'
import type { LiveCall } from './trajectory.ts'

/**
 * Gives the next turn of an agent. A throw fails the replay as a `continuation_error`, or as what the error's own `category` says: `model_rate_limit`,
 * `model_internal_error` or `model_connection_error`.
 */
export type Model = (request: ModelRequest) => Promise<ModelTurn>

export interface ModelRequest {
  /** In the form of OpenAI's chat completions. */
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  readonly sessionId: string
  readonly disableThinking: boolean
  readonly signal: AbortSignal | undefined
}

export interface ModelTurn {
  readonly text: string
  readonly reasoning?: string | null
  /** None: the agent has done its work. */
  readonly calls: readonly LiveCall[]
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export interface ChatCall extends JsonObject {
  readonly id: string
  readonly type: 'function'
  /** `arguments` is a JSON text. */
  readonly function: { readonly name: string; readonly arguments: string }
}
