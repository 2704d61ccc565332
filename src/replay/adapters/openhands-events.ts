import { trajectoryFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isArray, isObject, objectAt, optionalObject, optionalText, shown, textAt } from '../json.ts'

/** Actions of the agent that are steps. */
export const MAIN_ACTIONS: ReadonlySet<string> = new Set(['run', 'read', 'edit', 'run_ipython', 'think'])
/** Actions of the agent that call no tool. */
export const SILENT_ACTIONS: ReadonlySet<string> = new Set([
  'system',
  'message',
  'finish',
  'recall',
  'condensation',
  'condensation_request',
  'change_agent_state',
  'null',
])

/** One event, checked. */
export interface OpenHandsEvent {
  /** `events[3]`, for errors. */
  readonly where: string
  readonly native: JsonObject
  readonly id: number
  readonly source: string
  readonly action: string | null
  readonly args: JsonObject
  readonly observation: string | null
  /** Id of the action that an observation is of. */
  readonly cause: number | null
  readonly content: string | null
  readonly extras: JsonObject
  /** Seconds that the action might take. */
  readonly timeout: number | null
  readonly callId: string | null
  readonly model: string | null
  /** The message of the model that made the call; {} where the file doesn't have it. */
  readonly reply: JsonObject
}

/** The events of a file, in its order. A `trajectory_error` naming the index for what is none, and for an id that is there twice. */
export function eventsOf(values: readonly JsonValue[]): readonly OpenHandsEvent[] {
  if (values.length === 0) throw trajectoryFault('the trajectory is an array without events')
  const seen = new Map<number, string>()
  return values.map((value, i) => {
    const event = eventAt(value, `events[${i}]`)
    const before = seen.get(event.id)
    if (before !== undefined) throw trajectoryFault(`${event.where}.id is ${event.id}, as is that of ${before}: ids have to be unique`)
    seen.set(event.id, event.where)
    return event
  })
}

function eventAt(value: JsonValue, where: string): OpenHandsEvent {
  const native = objectAt(value, where)
  const id = wholeAt(native.id, `${where}.id`)
  const source = textAt(native.source, `${where}.source`)
  const action = optionalText(native.action, `${where}.action`) ?? null
  const observation = optionalText(native.observation, `${where}.observation`) ?? null
  if ((action === null) === (observation === null))
    throw trajectoryFault(`${where} has ${action === null ? 'neither' : 'both'} an action and an observation: it has to have one of them`)
  const { cause, timeout } = native
  const called = optionalObject(native.tool_call_metadata, `${where}.tool_call_metadata`)
  if (called !== undefined) optionalText(called.function_name, `${where}.tool_call_metadata.function_name`)
  const response = called?.model_response
  const choice = isObject(response) && isArray(response.choices) ? response.choices[0] : undefined
  return {
    where,
    native,
    id,
    source,
    action,
    args: optionalObject(native.args, `${where}.args`) ?? {},
    observation,
    cause: cause === undefined || cause === null ? null : wholeAt(cause, `${where}.cause`),
    content: optionalText(native.content, `${where}.content`) ?? null,
    extras: optionalObject(native.extras, `${where}.extras`) ?? {},
    timeout: timeout === undefined || timeout === null ? null : secondsAt(timeout, `${where}.timeout`),
    callId: optionalText(called?.tool_call_id, `${where}.tool_call_metadata.tool_call_id`) ?? null,
    model: isObject(response) && typeof response.model === 'string' ? response.model : null,
    reply: isObject(choice) && isObject(choice.message) ? choice.message : {},
  }
}

function wholeAt(value: JsonValue | undefined, where: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw trajectoryFault(`${where} ${value === undefined ? 'is missing' : `is ${shown(value)}`}: it has to be an integer`)
}

function secondsAt(value: JsonValue, where: string): number {
  if (typeof value === 'number' && value >= 0) return value
  throw trajectoryFault(`${where} is ${shown(value)}: it has to be a number of seconds`)
}
