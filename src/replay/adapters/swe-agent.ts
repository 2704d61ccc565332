import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, isArray, isObject, objectAt, optionalText, textAt } from '../json.ts'
import { contentText } from '../message-content.ts'
import { demandVersion } from '../pinned-version.ts'
import type { TrajectorySource } from '../source.ts'
import { isSubmit, sweAgentTools } from '../tools/swe-agent.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, LivePhase, Trajectory } from '../trajectory.ts'

/** SWE-agent: one document with a step an action, and the conversation beside them. */
export const sweAgent: Adapter = {
  agent: 'swe-agent',
  pinned: '1.1.0',
  profile: 'swe-agent/1.1.0/replay-then-live-v1',
  nativeFormat: 'swe-agent/native-traj-1.1.0',
  files: { prepared: 'prepared-prefix.traj', reconstructed: 'reconstructed-trajectory.traj', continued: 'continued-trajectory.traj' },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    return isObject(document) && isArray(document.history) && (isArray(document.trajectory) || document.replay_config !== undefined)
  },
  read(source, options) {
    const document = objectAt(source.json(), 'the trajectory')
    const history = arrayAt(document.history, 'history').map((item, i) => objectAt(item, `history[${i}]`))
    if (document.trajectory === undefined)
      throw trajectoryFault('trajectory is missing: a demonstration, which has only its history, has no steps that can be replayed')
    const entries = arrayAt(document.trajectory, 'trajectory').map((entry, i) => objectAt(entry, `trajectory[${i}]`))
    const { replay_config: config } = document
    if (typeof config !== 'string' && !isObject(config))
      throw trajectoryFault(`replay_config ${config === undefined ? 'is missing' : 'is of a wrong type'}: it has to be a text or an object`)
    const info = isObject(document.info) ? document.info : {}
    const version = optionalText(info.swe_agent_version, 'info.swe_agent_version')
    if (version !== undefined) demandVersion(sweAgent, version, 'info.swe_agent_version', options)
    return new SweTrajectory(source, entries, history, version ?? (sweAgent.pinned as string))
  },
}

class SweTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset'] = sweAgentTools
  readonly directory: string | null
  readonly #source: TrajectorySource
  readonly #entries: readonly JsonObject[]
  readonly #history: readonly JsonObject[]
  /** Index in the history of the answer of each step. */
  readonly #answers: readonly number[]

  constructor(source: TrajectorySource, entries: readonly JsonObject[], history: readonly JsonObject[], version: string) {
    this.#source = source
    this.#entries = entries
    this.#history = history
    this.version = version
    // A demonstration that came before the task is no work of the agent.
    this.#answers = history.flatMap(({ role, is_demo }, i) => (role === 'assistant' && is_demo !== true ? [i] : []))
    const count = Math.min(entries.length, this.#answers.length)
    const steps: AtifStep[] = history.slice(0, this.#answers[0] ?? history.length).map((item, i) => ({
      step_id: i + 1,
      source: item.role === 'system' ? 'system' : item.role === 'assistant' ? 'agent' : 'user',
      message: contentText(item.content),
    }))
    const batches: Batch[] = []
    for (const [i, entry] of entries.slice(0, count).entries()) {
      const where = `trajectory[${i}]`
      const action = textAt(entry.action, `${where}.action`)
      if (entry.observation === undefined || entry.observation === null) break
      const value = normal(textAt(entry.observation, `${where}.observation`))
      const id = `swe-${i + 1}`
      batches.push({
        step: steps.length,
        locator: `trajectory:${i}`,
        modelTurns: i + 1,
        calls: [{ id, name: 'bash', arguments: { command: action }, recorded: { value, isError: false } }],
      })
      steps.push({
        step_id: steps.length + 1,
        source: 'agent',
        message: optionalText(entry.response, `${where}.response`) ?? '',
        ...(typeof entry.thought === 'string' && entry.thought !== entry.response ? { reasoning_content: entry.thought } : {}),
        tool_calls: [{ tool_call_id: id, function_name: 'bash', arguments: { command: action } }],
        observation: { results: [{ source_call_id: id, content: value }] },
      })
    }
    this.batches = batches
    this.directory = directoryOf(entries[0])
    this.atif = { schema_version: 'ATIF-v1.6', session_id: 'swe-agent', agent: { name: 'swe-agent', version }, steps }
  }

  checkPrefix(batches: number): void {
    for (const { calls, locator } of this.batches.slice(0, batches))
      if (isSubmit(calls[0]?.arguments.command))
        throw versionFault(`${locator} submits the work: a prefix can't go beyond that; choose an earlier step`)
  }

  prepared(batches: number): Uint8Array[] {
    const { observation: _, ...last } = this.#entries[batches - 1] as JsonObject
    return this.#written(batches, new Map([[batches - 1, last]]), [], (this.#answers[batches - 1] as number) + 1, new Map(), [])
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): Uint8Array[] {
    const entries = new Map<number, JsonValue>()
    const history = new Map<number, JsonValue>()
    let end = 0
    fresh.forEach(([outcome], i) => {
      if (outcome === undefined) return
      entries.set(i, { ...(this.#entries[i] as JsonObject), observation: outcome.value })
      const at = (this.#answers[i] as number) + 1
      const observed = this.#history[at]
      end = at
      if (observed === undefined || observed.role === 'assistant') return
      history.set(at, { ...observed, content: isArray(observed.content) ? [{ type: 'text', text: outcome.text }] : outcome.text })
      end = at + 1
    })
    const turns = live?.turns ?? []
    const addedEntries = turns.flatMap(({ text, calls, outcomes }): JsonValue[] =>
      calls.map(({ arguments: given }, i) => ({
        action: given.command ?? '',
        observation: outcomes[i]?.value ?? '',
        response: text,
        thought: text,
        execution_time: 0,
        state: {},
      })),
    )
    const addedHistory: JsonValue[] =
      live?.boundaryPrompt == null ? [] : [{ role: 'user', content: live.boundaryPrompt, agent: 'main', message_type: 'observation' }]
    for (const { text, calls, outcomes } of turns) {
      addedHistory.push({
        role: 'assistant',
        content: text,
        thought: text,
        action: calls[0]?.arguments.command ?? '',
        agent: 'main',
        message_type: 'action',
      })
      for (const { text: content } of outcomes) addedHistory.push({ role: 'user', content, agent: 'main', message_type: 'observation' })
    }
    return this.#written(fresh.length, entries, addedEntries, end, history, addedHistory)
  }

  #written(
    steps: number,
    entries: ReadonlyMap<number, JsonValue>,
    addedEntries: readonly JsonValue[],
    items: number,
    history: ReadonlyMap<number, JsonValue>,
    addedHistory: readonly JsonValue[],
  ): Uint8Array[] {
    return [
      ...this.#source.withArrays([
        { path: ['trajectory'], keep: steps, replaced: entries, added: addedEntries },
        { path: ['history'], keep: items, replaced: history, added: addedHistory },
      ]),
    ]
  }
}

/** Terminals end lines by two characters; what is at the end of an observation is cut by some versions. */
function normal(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd()
}

/** Where the agent was: the state is an object, or a text that holds one. */
function directoryOf(entry: JsonObject | undefined): string | null {
  let state = entry?.state
  if (typeof state === 'string') {
    try {
      state = JSON.parse(state) as JsonValue
    } catch {
      return null
    }
  }
  const directory = isObject(state) ? state.working_dir : undefined
  return typeof directory === 'string' && directory.startsWith('/') ? directory : null
}
