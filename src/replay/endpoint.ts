import { type FailureCategory, ReplayFault } from './fault.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { argumentsAt, isArray, isObject } from './json.ts'
import { contentText } from './message-content.ts'
import type { Model, ModelRequest, ModelTurn } from './model.ts'

/** How a model is reached over HTTP. */
export interface EndpointOptions {
  /** URL of the chat completions, or of what `/chat/completions` is added to. */
  readonly endpoint: string
  readonly model: string
  /** Sent as a bearer token. */
  readonly apiKey?: string
  /** Milliseconds for one turn; 10 minutes when left out. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

const TURN_TIMEOUT = 10 * 60_000

/** A model behind an endpoint that is compatible with OpenAI's chat completions. */
export function endpointModel(options: EndpointOptions): Model {
  const url = options.endpoint.replace(/\/+$/, '')
  const address = url.endsWith('/chat/completions') ? url : `${url}/chat/completions`
  return (request) => turnOf(address, options, request)
}

async function turnOf(address: string, options: EndpointOptions, request: ModelRequest): Promise<ModelTurn> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? TURN_TIMEOUT)
  const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit])
  let status: number
  let text: string
  try {
    const response = await (options.fetch ?? fetch)(address, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        'x-session-id': request.sessionId,
        ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      body: JSON.stringify({
        model: options.model,
        messages: request.messages,
        tools: request.tools.map((tool) => ({ type: 'function', function: tool })),
        ...(request.disableThinking ? { chat_template_kwargs: { enable_thinking: false } } : {}),
      }),
    })
    status = response.status
    text = await response.text()
  } catch (cause) {
    if (request.signal?.aborted === true) throw cause
    throw new ReplayFault('model_connection_error', `the model at ${address} can't be reached: ${messageOf(cause)}`, { cause })
  }
  if (status !== 200) throw new ReplayFault(categoryOf(status), `the model at ${address} answers ${status}: ${text.slice(0, 500)}`)
  return parsedTurn(text, address)
}

function categoryOf(status: number): FailureCategory {
  if (status === 429) return 'model_rate_limit'
  return status >= 500 ? 'model_internal_error' : 'continuation_error'
}

function parsedTurn(text: string, address: string): ModelTurn {
  let answer: JsonValue
  try {
    answer = JSON.parse(text) as JsonValue
  } catch {
    throw new ReplayFault('continuation_error', `the model at ${address} answers no JSON: ${text.slice(0, 200)}`)
  }
  const choice = isObject(answer) && isArray(answer.choices) ? answer.choices[0] : undefined
  const message = isObject(choice) ? choice.message : undefined
  if (!isObject(message)) throw new ReplayFault('continuation_error', `the model at ${address} answers without choices[0].message`)
  const { reasoning_content: reasoning, tool_calls: calls } = message
  return {
    text: contentText(message.content),
    reasoning: typeof reasoning === 'string' ? reasoning : null,
    calls: (isArray(calls) ? calls : []).map((call, i) => callOf(call, i, address)),
  }
}

function callOf(call: JsonValue, index: number, address: string): ModelTurn['calls'][number] {
  const called: JsonObject = isObject(call) && isObject(call.function) ? call.function : {}
  const { name } = called
  if (!isObject(call) || typeof name !== 'string')
    throw new ReplayFault('continuation_error', `the model at ${address} makes a call without a function name`)
  try {
    return {
      id: typeof call.id === 'string' ? call.id : `call-${index + 1}`,
      name,
      arguments: argumentsAt(called.arguments ?? {}, `arguments of ${name}`),
    }
  } catch (error) {
    throw new ReplayFault('continuation_error', `the model at ${address} makes a call that can't be read: ${messageOf(error)}`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
