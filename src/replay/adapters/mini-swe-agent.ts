import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { argumentsAt, arrayAt, isArray, isObject, objectAt, textAt } from '../json.ts'
import { contentText } from '../message-content.ts'
import { demandVersion } from '../pinned-version.ts'
import type { TrajectorySource } from '../source.ts'
import { isSubmission, miniTools } from '../tools/mini-swe-agent.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, Call, LivePhase, Trajectory } from '../trajectory.ts'

const FORMAT = 'mini-swe-agent-1.1'
const MESSAGES = ['messages']

/** mini-swe-agent 2: one JSON document whose messages are the model's own, with what was done in `extra`. */
export const miniSweAgent: Adapter = {
  agent: 'mini-swe-agent',
  pinned: '2.4.6',
  profile: 'mini-swe-agent/2.4.6/native-messages-v1',
  nativeFormat: 'mini-swe-agent/native-json-2.4.6',
  files: {
    prepared: 'prepared-prefix.json',
    reconstructed: 'reconstructed-trajectory.json',
    continued: 'continued-trajectory.json',
  },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    return isObject(document) && document.trajectory_format === FORMAT
  },
  read(source, options) {
    const document = objectAt(source.json(), 'the trajectory')
    const format = textAt(document.trajectory_format, 'trajectory_format')
    if (format !== FORMAT) throw trajectoryFault(`trajectory_format is ${JSON.stringify(format)}: it has to be "${FORMAT}"`)
    const info = objectAt(document.info, 'info')
    const version = textAt(info.mini_version, 'info.mini_version')
    demandVersion(miniSweAgent, version, 'info.mini_version', options)
    const messages = arrayAt(document.messages, 'messages').map((message, i) => objectAt(message, `messages[${i}]`))
    return new MiniTrajectory(source, messages, version, info)
  },
}

/** Calls with the places of their observations. */
interface Turn {
  readonly message: number
  readonly observations: readonly number[]
  readonly batch: Batch
}

class MiniTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset']
  readonly directory: string | null
  readonly callTimeoutMs?: number
  readonly #source: TrajectorySource
  readonly #messages: readonly JsonObject[]
  readonly #turns: readonly Turn[]

  constructor(source: TrajectorySource, messages: readonly JsonObject[], version: string, info: JsonObject) {
    this.#source = source
    this.#messages = messages
    this.version = version
    const calls = messages.map(callsOf)
    this.#turns = turnsOf(messages, calls)
    this.batches = this.#turns.map(({ batch }) => batch)
    const config = isObject(info.config) ? info.config : {}
    const environment = isObject(config.environment) ? config.environment : {}
    const { cwd, timeout, env } = environment
    this.directory = typeof cwd === 'string' && cwd.startsWith('/') ? cwd : null
    if (typeof timeout === 'number' && timeout > 0) this.callTimeoutMs = timeout * 1000
    this.toolset = miniTools(isObject(env) ? env : {})
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: 'mini-swe-agent',
      agent: { name: 'mini-swe-agent', version, ...modelOf(config) },
      steps: stepsOf(messages, calls, this.#turns),
    }
  }

  checkPrefix(batches: number): void {
    for (const { calls, locator } of this.batches.slice(0, batches))
      for (const { arguments: given } of calls)
        if (isSubmission(given.command))
          throw versionFault(
            `${locator} submits the work (${JSON.stringify(given.command)}): a prefix can't go beyond that; choose an earlier step`,
          )
  }

  prepared(batches: number): Uint8Array[] {
    const { message } = this.#turns[batches - 1] as Turn
    return [...this.#source.withElements(MESSAGES, message + 1, new Map(), [])]
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): Uint8Array[] {
    const replaced = new Map<number, JsonValue>()
    let keep = 0
    fresh.forEach((outcomes, ordinal) => {
      const { observations } = this.#turns[ordinal] as Turn
      outcomes.forEach((outcome, i) => {
        const at = observations[i] as number
        replaced.set(at, withOutcome(this.#messages[at] as JsonObject, outcome))
        keep = at + 1
      })
    })
    return [...this.#source.withElements(MESSAGES, keep, replaced, live === undefined ? [] : liveMessages(live))]
  }
}

/** The calls of a message; null where it has none. */
function callsOf(message: JsonObject, index: number): readonly Omit<Call, 'recorded'>[] | null {
  const where = `messages[${index}]`
  const native = message.tool_calls
  const actions = isObject(message.extra) ? message.extra.actions : undefined
  if (isArray(actions)) {
    if (actions.length === 0) return null
    return actions.map((action, i) => {
      const { command, tool_call_id } = objectAt(action, `${where}.extra.actions[${i}]`)
      const given = { command: textAt(command, `${where}.extra.actions[${i}].command`) }
      return { id: callId(tool_call_id, isArray(native) ? native[i] : undefined, index, i), name: 'bash', arguments: given }
    })
  }
  if (!isArray(native) || native.length === 0) return null
  return native.map((call, i) => {
    const at = `${where}.tool_calls[${i}]`
    const { function: called } = objectAt(call, at)
    const { name, arguments: given } = objectAt(called, `${at}.function`)
    if (textAt(name, `${at}.function.name`) !== 'bash')
      throw versionFault(`${at}.function.name is ${JSON.stringify(name)}: this agent has no tool but bash`)
    const { command } = argumentsAt(given, `${at}.function.arguments`)
    return {
      id: callId(undefined, call, index, i),
      name: 'bash',
      arguments: { command: textAt(command, `${at}.function.arguments.command`) },
    }
  })
}

function callId(own: JsonValue | undefined, native: JsonValue | undefined, message: number, call: number): string {
  if (typeof own === 'string' && own !== '') return own
  if (isObject(native) && typeof native.id === 'string' && native.id !== '') return native.id
  return `mini-${message}-${call + 1}`
}

/** Pairs calls with observations by position; a turn that lacks one ends the list. */
function turnsOf(messages: readonly JsonObject[], calls: readonly ReturnType<typeof callsOf>[]): readonly Turn[] {
  const turns: Turn[] = []
  let modelTurns = 0
  for (let at = 0; at < messages.length; at++) {
    if (hasResponse(messages[at] as JsonObject)) modelTurns += 1
    const made = calls[at]
    if (made === null || made === undefined) continue
    const observations: number[] = []
    for (let next = at + 1; next < messages.length && calls[next] === null && observations.length < made.length; next++)
      if (isObservation(messages[next] as JsonObject)) observations.push(next)
    if (observations.length < made.length) break
    const paired = made.map((call, i) => ({ ...call, recorded: recordedOf(messages[observations[i] as number] as JsonObject) }))
    turns.push({ message: at, observations, batch: { step: 0, locator: `messages:${at}`, modelTurns, calls: paired } })
  }
  // The step of each is known when the steps are made: a message that is an observation is no step of its own.
  const folded = new Set(turns.flatMap(({ observations }) => observations))
  let step = 0
  const stepOf = messages.map((_, at) => (folded.has(at) ? -1 : step++))
  return turns.map((turn) => ({ ...turn, batch: { ...turn.batch, step: stepOf[turn.message] as number } }))
}

function isObservation({ role, type }: JsonObject): boolean {
  return role === 'tool' || role === 'user' || type === 'function_call_output'
}

function hasResponse({ extra }: JsonObject): boolean {
  return isObject(extra) && isObject(extra.response)
}

function recordedOf(message: JsonObject): Call['recorded'] {
  const extra = isObject(message.extra) ? message.extra : {}
  const value = extra.raw_output ?? message.output ?? message.content ?? ''
  const { returncode } = extra
  return { value, isError: returncode !== undefined && returncode !== null && returncode !== 0 }
}

/** A recorded observation with what was observed now. */
function withOutcome(message: JsonObject, { value, text, status }: ToolOutcome): JsonObject {
  const { timestamp: _, ...extra } = isObject(message.extra) ? message.extra : {}
  const shown: JsonObject = message.type === 'function_call_output' ? { output: text } : { content: text }
  return { ...message, ...shown, extra: { ...extra, raw_output: value, returncode: status ?? -1, exception_info: '' } }
}

function stepsOf(
  messages: readonly JsonObject[],
  calls: readonly ReturnType<typeof callsOf>[],
  turns: readonly Turn[],
): readonly AtifStep[] {
  const turnAt = new Map(turns.map((turn) => [turn.message, turn]))
  const folded = new Set(turns.flatMap(({ observations }) => observations))
  const steps: AtifStep[] = []
  messages.forEach((message, at) => {
    if (folded.has(at)) return
    const made = calls[at]
    const turn = turnAt.get(at)
    const reasoning = reasoningOf(message)
    steps.push({
      step_id: steps.length + 1,
      source:
        made != null || message.role === 'assistant' || message.object === 'response'
          ? 'agent'
          : message.role === 'user'
            ? 'user'
            : 'system',
      message: textOf(message),
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(made == null
        ? {}
        : { tool_calls: made.map(({ id, name, arguments: given }) => ({ tool_call_id: id, function_name: name, arguments: given })) }),
      ...(turn === undefined
        ? {}
        : { observation: { results: turn.batch.calls.map(({ id, recorded }) => ({ source_call_id: id, content: recorded.value })) } }),
    })
  })
  return steps
}

function textOf(message: JsonObject): string {
  if (!isArray(message.output)) return contentText(message.content)
  return message.output.map((item) => (isObject(item) && item.type === 'message' ? contentText(item.content) : '')).join('')
}

function reasoningOf(message: JsonObject): string | null {
  if (typeof message.reasoning_content === 'string') return message.reasoning_content
  const response = isObject(message.extra) && isObject(message.extra.response) ? message.extra.response : {}
  const choice = isArray(response.choices) ? response.choices[0] : undefined
  const inner = isObject(choice) && isObject(choice.message) ? choice.message.reasoning_content : undefined
  return typeof inner === 'string' ? inner : null
}

function modelOf({ model }: JsonObject): { readonly model_name?: string } {
  return isObject(model) && typeof model.model_name === 'string' ? { model_name: model.model_name } : {}
}

function liveMessages({ boundaryPrompt, turns }: LivePhase): readonly JsonValue[] {
  const messages: JsonValue[] = boundaryPrompt === null ? [] : [{ role: 'user', content: boundaryPrompt, extra: {} }]
  for (const { text, reasoning, calls, outcomes } of turns) {
    messages.push({
      role: 'assistant',
      content: text,
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(given) },
      })),
      extra: { actions: calls.map(({ id, arguments: given }) => ({ command: given.command ?? '', tool_call_id: id })), response: {} },
    })
    outcomes.forEach((outcome, i) => {
      messages.push(withOutcome({ role: 'tool', tool_call_id: calls[i]?.id ?? '' }, outcome))
    })
  }
  return messages
}
