import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonValue } from '../json.ts'
import { arrayAt, isArray, isObject } from '../json.ts'
import { demandVersion } from '../pinned-version.ts'
import type { TrajectorySource } from '../source.ts'
import { openHandsTools, ranSeveral } from '../tools/openhands.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, LivePhase, NativeFile, Trajectory } from '../trajectory.ts'
import { actionCall } from './openhands-actions.ts'
import type { OpenHandsEvent } from './openhands-events.ts'
import { eventsOf, MAIN_ACTIONS, SILENT_ACTIONS } from './openhands-events.ts'
import { liveEvents } from './openhands-live.ts'
import { recordedIn, withOutcome } from './openhands-observations.ts'

/** Where OpenHands puts what it works on. */
const WORKSPACE = '/workspace'

/** OpenHands 0.x: an array of events, in which an observation names the action that caused it. */
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
    return isArray(events) && events.length > 0 && events.every(isEvent)
  },
  read(source, options) {
    const events = eventsOf(arrayAt(source.json(), 'the trajectory'))
    // Newer ones say in the system message which version wrote them.
    const said = events.find(({ action, args }) => action === 'system' && typeof args.openhands_version === 'string')
    const version = said === undefined ? '0.53.0' : String(said.args.openhands_version)
    if (said !== undefined) demandVersion(openHands, version, `${said.where}.args.openhands_version`, options)
    return new OpenHandsTrajectory(source, events, version)
  },
}

function isEvent(event: JsonValue): boolean {
  return (
    isObject(event) &&
    Number.isSafeInteger(event.id) &&
    typeof event.source === 'string' &&
    (typeof event.action === 'string' || typeof event.observation === 'string')
  )
}

/** An action and what was observed of it: indices of events. */
interface Turn {
  readonly action: number
  readonly observation: number
  readonly batch: Batch
}

class OpenHandsTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset']
  readonly directory: string
  readonly callTimeoutMs?: number
  readonly #source: TrajectorySource
  readonly #events: readonly OpenHandsEvent[]
  readonly #turns: readonly Turn[]

  constructor(source: TrajectorySource, events: readonly OpenHandsEvent[], version: string) {
    this.#source = source
    this.#events = events
    this.version = version
    const { turns, steps } = read(events)
    this.#turns = turns
    this.batches = turns.map(({ batch }) => batch)
    this.atif = { schema_version: 'ATIF-v1.6', session_id: 'openhands', agent: { name: 'openhands', version, ...modelOf(events) }, steps }
    this.directory = directoryOf(events)
    this.toolset = openHandsTools({
      refusesSeveral: !this.batches.some(({ calls }) => calls.some(ranSeveral)),
      directory: this.directory,
    })
    const longest = turns.reduce((most, { action }) => Math.max(most, events[action]?.timeout ?? 0), 0)
    if (longest > 0) this.callTimeoutMs = longest * 1000
  }

  checkPrefix(batches: number): void {
    const boundary = this.#turns[batches - 1]?.action ?? -1
    const prefix = this.#events.slice(0, boundary + 1)
    for (const { source, action, where, id } of prefix)
      if (source === 'agent' && action !== null && !MAIN_ACTIONS.has(action) && !SILENT_ACTIONS.has(action))
        throw versionFault(
          `${where} (id ${id}) is the action ${JSON.stringify(action)}: only ${[...MAIN_ACTIONS, ...SILENT_ACTIONS].join(', ')} can be in a prefix`,
        )
    if (!prefix.some(({ source, action }) => source === 'user' && action === 'message'))
      throw trajectoryFault(`there is no message of the user before ${this.#turns[batches - 1]?.batch.locator}`)
  }

  prepared(batches: number): NativeFile {
    const { action } = this.#turns[batches - 1] as Turn
    return this.#source.withElements([], action + 1, new Map(), [])
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): NativeFile {
    const replaced = new Map<number, JsonValue>()
    let keep = 0
    fresh.forEach(([outcome], ordinal) => {
      const { action, observation } = this.#turns[ordinal] as Turn
      if (outcome === undefined) return
      replaced.set(observation, withOutcome(this.#events[observation] as OpenHandsEvent, this.#events[action] as OpenHandsEvent, outcome))
      keep = Math.max(keep, observation + 1)
    })
    const last = this.#events.reduce((most, { id }) => Math.max(most, id), 0)
    return this.#source.withElements(
      [],
      keep,
      new Map([...replaced].sort(([a], [b]) => a - b)),
      live === undefined ? [] : liveEvents(live, last + 1),
    )
  }
}

/** Pairs actions with what they caused; an action of which nothing was observed ends the list of turns. */
function read(events: readonly OpenHandsEvent[]): { readonly turns: readonly Turn[]; readonly steps: readonly AtifStep[] } {
  const caused = new Map<number, number>()
  events.forEach(({ cause, observation }, at) => {
    if (cause !== null && observation !== null && observation !== 'agent_state_changed' && !caused.has(cause)) caused.set(cause, at)
  })
  const turns: Turn[] = []
  const steps: AtifStep[] = []
  const add = (step: Omit<AtifStep, 'step_id'>): void => {
    steps.push({ step_id: steps.length + 1, ...step })
  }
  let isWhole = true
  events.forEach((event, at) => {
    const { action, source, args } = event
    if (source !== 'agent' || action === null || !MAIN_ACTIONS.has(action)) {
      const text =
        action === 'message' || action === 'system'
          ? args.content
          : event.observation === 'error' && event.cause === null
            ? event.content
            : null
      if (typeof text !== 'string' || text === '') return
      add({ source: action === 'system' ? 'system' : action === 'message' && source === 'agent' ? 'agent' : 'user', message: text })
      return
    }
    const call = actionCall(event, action)
    const observation = caused.get(event.id)
    const seen = observation === undefined || observation < at ? undefined : events[observation]
    if (seen === undefined) isWhole = false
    const reasoning = event.reply.reasoning_content
    const step: Omit<AtifStep, 'step_id'> = {
      source: 'agent',
      message: typeof args.thought === 'string' && action !== 'think' ? args.thought : '',
      ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
      tool_calls: [{ tool_call_id: call.id, function_name: call.name, arguments: call.arguments }],
    }
    if (!isWhole || seen === undefined || observation === undefined) {
      add(step)
      return
    }
    const recorded = recordedIn(seen)
    const batch = { step: steps.length, locator: `event:${event.id}`, modelTurns: turns.length + 1, calls: [{ ...call, recorded }] }
    turns.push({ action: at, observation, batch })
    add({ ...step, observation: { results: [{ source_call_id: call.id, content: recorded.value }] } })
  })
  return { turns, steps }
}

function modelOf(events: readonly OpenHandsEvent[]): { readonly model_name?: string } {
  const model = events.find((event) => event.model !== null)?.model
  return typeof model === 'string' ? { model_name: model } : {}
}

/** Where the shell of the agent began: where its first command was, if that didn't go elsewhere; what the agent was told; or what is usual. */
function directoryOf(events: readonly OpenHandsEvent[]): string {
  const first = events.find(({ observation }) => observation === 'run')
  const metadata = isObject(first?.extras.metadata) ? first.extras.metadata : {}
  if (isAbsolute(metadata.working_dir) && !/\b(?:cd|pushd|popd)\b/.test(String(first?.extras.command))) return metadata.working_dir
  const told = events.find(({ observation, extras }) => observation === 'recall' && isAbsolute(extras.working_dir))?.extras.working_dir
  return isAbsolute(told) ? told : WORKSPACE
}

function isAbsolute(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.startsWith('/')
}
