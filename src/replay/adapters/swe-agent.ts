import type { Adapter } from '../adapter.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, isArray, isObject, objectAt, optionalObject, optionalText, shown } from '../json.ts'
import { demandVersion } from '../pinned-version.ts'
import type { TrajectorySource } from '../source.ts'
import { endsWork, sweAgentTools } from '../tools/swe-agent.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, LivePhase, NativeFile, Trajectory } from '../trajectory.ts'
import { sweConfig } from './swe-agent-config.ts'
import { sweLive } from './swe-agent-live.ts'
import type { SweTurn } from './swe-agent-steps.ts'
import { sweTurns } from './swe-agent-steps.ts'

/** SWE-agent: one document with an entry an action, and the conversation beside them. */
export const sweAgent: Adapter = {
  agent: 'swe-agent',
  pinned: '1.1.0',
  profile: 'swe-agent/1.1.0/replay-then-live-v1',
  nativeFormat: 'swe-agent/native-traj-1.1.0',
  files: { prepared: 'prepared-prefix.traj', reconstructed: 'reconstructed-trajectory.traj', continued: 'continued-trajectory.traj' },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    if (!isObject(document) || !isArray(document.history)) return false
    return isArray(document.trajectory) || document.replay_config !== undefined || document.history.some(isOwn)
  },
  read(source, options) {
    const document = objectAt(source.json(), 'the trajectory')
    if (document.trajectory === undefined && isArray(document.history))
      throw trajectoryFault('trajectory is missing: a demonstration, which has only its history, has no steps that can be replayed')
    const entries = objectsAt(document.trajectory, 'trajectory')
    const history = objectsAt(document.history, 'history')
    const { replay_config: config } = document
    if (typeof config !== 'string' && !isObject(config))
      throw trajectoryFault(
        `replay_config ${config === undefined ? 'is missing' : `is ${shown(config)}`}: it has to be a text or an object`,
      )
    const version = optionalText(optionalObject(document.info, 'info')?.swe_agent_version, 'info.swe_agent_version')
    if (version !== undefined) demandVersion(sweAgent, version, 'info.swe_agent_version', options)
    return new SweTrajectory(source, entries, history, config, version ?? '1.1.0')
  },
}

/** True for an item of a history as no other agent has it. */
function isOwn(item: JsonValue): boolean {
  return isObject(item) && typeof item.role === 'string' && (typeof item.agent === 'string' || typeof item.message_type === 'string')
}

function objectsAt(value: JsonValue | undefined, where: string): readonly JsonObject[] {
  return arrayAt(value, where).map((item, i) => objectAt(item, `${where}[${i}]`))
}

class SweTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset']
  readonly directory: string | null
  readonly callTimeoutMs: number
  readonly #source: TrajectorySource
  readonly #entries: readonly JsonObject[]
  readonly #history: readonly JsonObject[]
  readonly #turns: readonly SweTurn[]

  constructor(
    source: TrajectorySource,
    entries: readonly JsonObject[],
    history: readonly JsonObject[],
    config: JsonValue,
    version: string,
  ) {
    this.#source = source
    this.#entries = entries
    this.#history = history
    this.version = version
    const { turns, steps } = sweTurns(entries, history)
    this.#turns = turns
    this.batches = turns.map(({ batch }) => batch)
    const { settings, directory, model } = sweConfig(config)
    const isTerminal = this.batches.some(({ calls }) => String(calls[0]?.recorded.value).includes('\r\n'))
    this.directory = directory ?? directoryOf(entries[0]?.state)
    this.toolset = sweAgentTools({ ...settings, directory: this.directory, lineEnd: isTerminal ? '\r\n' : '\n' })
    this.callTimeoutMs = settings.timeout * 1000
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: 'swe-agent',
      agent: { name: 'swe-agent', version, ...(model === null ? {} : { model_name: model }) },
      steps,
    }
  }

  checkPrefix(batches: number): void {
    for (const { entry, batch } of this.#turns.slice(0, batches)) {
      const { action } = this.#entries[entry] as JsonObject
      if (endsWork(action))
        throw versionFault(
          `${batch.locator} hands in the work (${JSON.stringify(action)}): a prefix can't go beyond that; choose an earlier step`,
        )
    }
  }

  prepared(batches: number): NativeFile {
    const { entry, answer } = this.#turns[batches - 1] as SweTurn
    // What an entry has of what came after its action.
    const { observation: _, state: __, execution_time: ___, ...last } = this.#entries[entry] as JsonObject
    return this.#source.withArrays([
      { path: ['trajectory'], keep: entry + 1, replaced: new Map([[entry, last]]), added: [] },
      { path: ['history'], keep: answer + 1, replaced: new Map(), added: [] },
    ])
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): NativeFile {
    const entries = new Map<number, JsonValue>()
    const items = new Map<number, JsonValue>()
    let keepEntries = 0
    let keepItems = 0
    fresh.forEach(([outcome], ordinal) => {
      const { entry, answer, shown: at } = this.#turns[ordinal] as SweTurn
      if (outcome === undefined) return
      entries.set(entry, freshEntry(this.#entries[entry] as JsonObject, outcome))
      keepEntries = entry + 1
      keepItems = (at ?? answer) + 1
      if (at !== null) items.set(at, freshItem(this.#history[at] as JsonObject, outcome))
    })
    const added = live === undefined ? { entries: [], items: [] } : sweLive(live)
    return this.#source.withArrays([
      { path: ['trajectory'], keep: keepEntries, replaced: entries, added: added.entries },
      { path: ['history'], keep: keepItems, replaced: items, added: added.items },
    ])
  }
}

function freshEntry({ execution_time: _, ...entry }: JsonObject, { value, native = {} }: ToolOutcome): JsonObject {
  const state = stateOf(entry.state)
  const fresh = { ...state, ...native }
  return {
    ...entry,
    observation: value,
    ...(entry.state === undefined ? {} : { state: typeof entry.state === 'string' ? JSON.stringify(fresh) : fresh }),
  }
}

function freshItem(item: JsonObject, { text }: ToolOutcome): JsonObject {
  return { ...item, content: isArray(item.content) ? [{ type: 'text', text }] : text }
}

/** A state is an object, or a text that holds one. */
function stateOf(value: JsonValue | undefined): JsonObject {
  if (typeof value !== 'string') return isObject(value) ? value : {}
  try {
    const state = JSON.parse(value) as JsonValue
    return isObject(state) ? state : {}
  } catch {
    return {}
  }
}

function directoryOf(state: JsonValue | undefined): string | null {
  const { working_dir: directory } = stateOf(state)
  return typeof directory === 'string' && directory.startsWith('/') ? directory : null
}
