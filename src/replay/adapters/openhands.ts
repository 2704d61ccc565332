import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { argumentsAt, arrayAt, integerAt, isArray, isObject, objectAt, optionalObject, optionalText, textAt } from '../json.ts'
import type { TrajectorySource } from '../source.ts'
import { openHandsTools } from '../tools/openhands.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, Call, LivePhase, Observation, Trajectory } from '../trajectory.ts'

/** Tools of actions, where the event doesn't name the call it came of. */
const TOOLS: Readonly<Record<string, string>> = {
  run: 'execute_bash',
  read: 'str_replace_editor',
  edit: 'str_replace_editor',
  run_ipython: 'execute_ipython_cell',
  think: 'think',
}
/** Actions of the agent, and of what is around it, that call no tool. */
const WITHOUT_TOOL: ReadonlySet<string> = new Set([
  'message',
  'system',
  'finish',
  'recall',
  'condensation',
  'condensation_request',
  'change_agent_state',
  'null',
])

/** OpenHands 0.x: an array of events; what was observed names the action that caused it. */
export const openHands: Adapter = {
  agent: 'openhands',
  pinned: '0.53.0',
  profile: 'openhands/0.53.0/native-replay-v1',
  nativeFormat: 'openhands/native-json-0.53.0',
  files: {
    prepared: 'prepared-replay-events.json',
    reconstructed: 'reconstructed-replay-events.json',
    continued: 'continued-replay-events.json',
  },
  recognises(source) {
    if (source.form !== 'json') return false
    const events = source.json()
    return (
      isArray(events) &&
      events.length > 0 &&
      events.every(
        (event) =>
          isObject(event) && typeof event.id === 'number' && (typeof event.action === 'string' || typeof event.observation === 'string'),
      )
    )
  },
  read(source) {
    const events = arrayAt(source.json(), 'the trajectory').map((event, i) => objectAt(event, `[${i}]`))
    if (events.length === 0) throw trajectoryFault('the trajectory has no events')
    return new OpenHandsTrajectory(source, events)
  },
}

interface Turn {
  readonly action: number
  readonly observation: number
  readonly batch: Batch
}

class OpenHandsTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string = openHands.pinned as string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset'] = openHandsTools
  readonly directory: string | null
  readonly #source: TrajectorySource
  readonly #events: readonly JsonObject[]
  readonly #turns: readonly Turn[]

  constructor(source: TrajectorySource, events: readonly JsonObject[]) {
    this.#source = source
    this.#events = events
    const { turns, steps } = read(events)
    this.#turns = turns
    this.batches = turns.map(({ batch }) => batch)
    this.directory = directoryOf(events)
    this.atif = { schema_version: 'ATIF-v1.6', session_id: 'openhands', agent: { name: 'openhands', version: this.version }, steps }
  }

  checkPrefix(batches: number): void {
    const { action: boundary } = this.#turns[batches - 1] as Turn
    const prefix = this.#events.slice(0, boundary + 1)
    prefix.forEach(({ source, action }, i) => {
      if (source === 'agent' && typeof action === 'string' && !Object.hasOwn(TOOLS, action) && !WITHOUT_TOOL.has(action))
        throw versionFault(`[${i}]: the action ${JSON.stringify(action)} can't be replayed`)
    })
    if (!prefix.some(({ source, action }) => source === 'user' && action === 'message'))
      throw trajectoryFault('there is no message of a user before the boundary: the agent was given no task')
  }

  prepared(batches: number): Uint8Array[] {
    return [...this.#source.withElements([], (this.#turns[batches - 1] as Turn).action + 1, new Map(), [])]
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): Uint8Array[] {
    const replaced = new Map<number, JsonValue>()
    const turns = fresh.map(([outcome], ordinal) => ({ outcome, at: (this.#turns[ordinal] as Turn).observation }))
    for (const { outcome, at } of turns.toSorted((a, b) => a.at - b.at)) {
      if (outcome !== undefined) replaced.set(at, withOutcome(this.#events[at] as JsonObject, outcome))
    }
    const keep = Math.max(...turns.map(({ at }) => at)) + 1
    const next = Math.max(...this.#events.slice(0, keep).map(({ id }) => Number(id))) + 1
    return [...this.#source.withElements([], keep, replaced, live === undefined ? [] : liveEvents(live, next))]
  }
}

function read(events: readonly JsonObject[]): { readonly turns: readonly Turn[]; readonly steps: readonly AtifStep[] } {
  const ids = new Map<number, number>()
  const caused = new Map<number, number>()
  events.forEach((event, i) => {
    const id = integerAt(event.id, `[${i}].id`)
    const before = ids.get(id)
    if (before !== undefined) throw trajectoryFault(`[${i}].id is ${id}, as that of [${before}]`)
    ids.set(id, i)
    if (event.observation !== undefined && event.cause !== undefined && event.cause !== null) {
      const cause = integerAt(event.cause, `[${i}].cause`)
      if (!caused.has(cause)) caused.set(cause, i)
    }
  })
  const turns: Turn[] = []
  const steps: AtifStep[] = []
  let isWhole = true
  events.forEach((event, i) => {
    const { action: given, source } = event
    if (given === undefined) return
    const action = textAt(given, `[${i}].action`)
    const args = optionalObject(event.args, `[${i}].args`) ?? {}
    const message = textOf(args.content) ?? textOf(args.thought) ?? textOf(event.message) ?? ''
    if (source !== 'agent' || !Object.hasOwn(TOOLS, action)) {
      if (action === 'message' || action === 'finish' || action === 'system')
        steps.push({ step_id: steps.length + 1, source: action === 'system' ? 'system' : source === 'user' ? 'user' : 'agent', message })
      return
    }
    const call = callOf(event, action, args, i)
    const at = caused.get(Number(event.id))
    isWhole = isWhole && at !== undefined && at > i
    const step = {
      step_id: steps.length + 1,
      source: 'agent' as const,
      message: textOf(args.thought) ?? '',
      tool_calls: [{ tool_call_id: call.id, function_name: call.name, arguments: call.arguments }],
    }
    if (!isWhole || at === undefined) {
      steps.push(step)
      return
    }
    const recorded = observationOf(events[at] as JsonObject, at)
    turns.push({
      action: i,
      observation: at,
      batch: { step: steps.length, locator: `events:${i}-${at}`, modelTurns: turns.length + 1, calls: [{ ...call, recorded }] },
    })
    steps.push({ ...step, observation: { results: [{ source_call_id: call.id, content: recorded.value }] } })
  })
  return { turns, steps }
}

/** The call as the model made it, where the event has that; else as its arguments tell. */
function callOf(event: JsonObject, action: string, args: JsonObject, index: number): Omit<Call, 'recorded'> {
  const where = `[${index}].tool_call_metadata`
  const metadata = optionalObject(event.tool_call_metadata, where)
  const id = optionalText(metadata?.tool_call_id, `${where}.tool_call_id`) ?? `openhands-${Number(event.id)}`
  const name = optionalText(metadata?.function_name, `${where}.function_name`) ?? (TOOLS[action] as string)
  return { id, name, arguments: nativeArguments(metadata, id, where) ?? argumentsOf(action, args) }
}

function nativeArguments(metadata: JsonObject | undefined, id: string, where: string): JsonObject | undefined {
  const response = isObject(metadata?.model_response) ? metadata.model_response : {}
  const choice = isArray(response.choices) ? response.choices[0] : undefined
  const message = isObject(choice) && isObject(choice.message) ? choice.message : {}
  for (const call of isArray(message.tool_calls) ? message.tool_calls : [])
    if (isObject(call) && call.id === id && isObject(call.function))
      return argumentsAt(call.function.arguments, `${where}.model_response: arguments`)
  return undefined
}

function argumentsOf(action: string, args: JsonObject): JsonObject {
  switch (action) {
    case 'run':
      return { command: args.command ?? '' }
    case 'read':
      return { command: 'view', path: args.path ?? '', ...(isArray(args.view_range) ? { view_range: args.view_range } : {}) }
    case 'run_ipython':
      return { code: args.code ?? '' }
    case 'think':
      return { thought: args.thought ?? '' }
    default: {
      const known = ['command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line']
      return Object.fromEntries(known.flatMap((name) => (args[name] === undefined || args[name] === null ? [] : [[name, args[name]]])))
    }
  }
}

function observationOf(event: JsonObject, index: number): Observation {
  const value = textAt(event.content, `[${index}].content`)
  const extras = optionalObject(event.extras, `[${index}].extras`) ?? {}
  const metadata = isObject(extras.metadata) ? extras.metadata : {}
  const status = metadata.exit_code ?? extras.exit_code
  const isError = (typeof status === 'number' && status !== 0) || event.observation === 'error'
  return { value: event.observation === 'run' ? value.replaceAll('\r\n', '\n').trimEnd() : value, isError }
}

function withOutcome(event: JsonObject, { value, status }: ToolOutcome): JsonObject {
  const extras = isObject(event.extras) ? event.extras : {}
  const metadata = isObject(extras.metadata) ? extras.metadata : {}
  const { message: _, ...rest } = event
  return { ...rest, content: value, extras: status === null ? extras : { ...extras, metadata: { ...metadata, exit_code: status } } }
}

function directoryOf(events: readonly JsonObject[]): string | null {
  for (const { extras } of events) {
    const metadata = isObject(extras) && isObject(extras.metadata) ? extras.metadata : {}
    if (typeof metadata.working_dir === 'string' && metadata.working_dir.startsWith('/')) return metadata.working_dir
  }
  return null
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function liveEvents({ boundaryPrompt, turns }: LivePhase, first: number): readonly JsonValue[] {
  const events: JsonObject[] = []
  const add = (event: JsonObject): number => {
    events.push({ id: first + events.length, ...event })
    return first + events.length - 1
  }
  if (boundaryPrompt !== null) add({ source: 'user', action: 'message', message: boundaryPrompt, args: { content: boundaryPrompt } })
  for (const { text, calls, outcomes } of turns) {
    if (calls.length === 0) add({ source: 'agent', action: 'message', message: text, args: { content: text } })
    calls.forEach(({ id, name, arguments: given }, i) => {
      const { value = '', status = null } = outcomes[i] ?? {}
      const action = name === 'execute_bash' ? 'run' : name === 'think' ? 'think' : given.command === 'view' ? 'read' : 'edit'
      const metadata = { function_name: name, tool_call_id: id, total_calls_in_response: calls.length }
      const cause = add({
        source: 'agent',
        action,
        message: '',
        tool_call_metadata: metadata,
        args: { ...given, thought: i === 0 ? text : '' },
      })
      add({
        source: 'agent',
        observation: action,
        cause,
        tool_call_metadata: metadata,
        content: value,
        extras: status === null ? {} : { metadata: { exit_code: status } },
      })
    })
  }
  return events
}
