import type { Adapter } from '../adapter.ts'
import { trajectoryFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, integerAt, isArray, isObject, objectAt, textAt } from '../json.ts'
import type { TrajectorySource } from '../source.ts'
import { historyTools } from '../tools/history.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, LivePhase, NativeFile, Trajectory } from '../trajectory.ts'

/** The history of this library's own sessions, as `ws.history()` gives it: an array, or a line an entry. It keeps of each line how it ended, not what it wrote. */
export const mirage: Adapter = {
  agent: 'mirage',
  pinned: null,
  profile: 'mirage/1/history-v1',
  nativeFormat: 'mirage/history-1',
  files: { prepared: 'prepared-history.json', reconstructed: 'reconstructed-history.json', continued: 'continued-history.json' },
  recognises(source) {
    if (source.form === 'zip') return false
    const document = source.form === 'json' ? source.json() : source.head()
    const entries = isArray(document) ? document : [document]
    return (
      entries.length > 0 &&
      entries.every(
        (entry) =>
          isObject(entry) && typeof entry.command === 'string' && typeof entry.session === 'string' && typeof entry.exitCode === 'number',
      )
    )
  },
  read(source) {
    const isArrayOfThem = source.form === 'json' && isArray(source.json())
    const values = isArrayOfThem ? arrayAt(source.json(), 'the history') : source.lines().map(({ value }) => value)
    const entries = values.map((value, i) => entryOf(value, isArrayOfThem ? `[${i}]` : `line ${i + 1}`))
    if (entries.length === 0) throw trajectoryFault('the history has no entries')
    return new HistoryTrajectory(source, entries, isArrayOfThem)
  },
}

interface Entry {
  readonly id: string
  readonly session: string
  readonly cwd: string
  readonly command: string
  readonly exitCode: number
  readonly value: JsonObject
}

function entryOf(given: JsonValue, where: string): Entry {
  const value = objectAt(given, where)
  return {
    id: textAt(value.id, `${where}.id`),
    session: textAt(value.session, `${where}.session`),
    cwd: textAt(value.cwd, `${where}.cwd`),
    command: textAt(value.command, `${where}.command`),
    exitCode: integerAt(value.exitCode, `${where}.exitCode`),
    value,
  }
}

class HistoryTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string = '1'
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset'] = historyTools
  readonly directory: string
  readonly #source: TrajectorySource
  readonly #entries: readonly Entry[]
  readonly #isArray: boolean

  constructor(source: TrajectorySource, entries: readonly Entry[], isArrayOfThem: boolean) {
    this.#source = source
    this.#entries = entries
    this.#isArray = isArrayOfThem
    this.directory = entries[0]?.cwd ?? '/'
    const ids = new Map<string, number>()
    this.batches = entries.map(({ id, session, cwd, command, exitCode }, i) => {
      const before = ids.get(id)
      if (before !== undefined) throw trajectoryFault(`entry ${i}: the id ${JSON.stringify(id)} is that of entry ${before}, too`)
      ids.set(id, i)
      const recorded = { value: exitCode, isError: exitCode !== 0 }
      return {
        step: i,
        locator: `entries:${i}`,
        modelTurns: i + 1,
        calls: [{ id, name: 'shell', arguments: { command, session, cwd }, recorded }],
      }
    })
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: entries[0]?.session ?? 'mirage',
      agent: { name: 'mirage', version: '1' },
      steps: this.batches.map(({ calls: [call] }, i) => ({
        step_id: i + 1,
        source: 'agent',
        message: '',
        tool_calls: [{ tool_call_id: call?.id ?? '', function_name: 'shell', arguments: call?.arguments ?? {} }],
        observation: { results: [{ source_call_id: call?.id ?? null, content: call?.recorded.value ?? '' }] },
      })),
    }
  }

  checkPrefix(): void {
    // Any line can be run again.
  }

  /** An entry is a call and its end in one: the last one's end is left out. */
  prepared(batches: number): NativeFile {
    const { exitCode: _, durationMs: __, ...last } = (this.#entries[batches - 1] as Entry).value
    return this.#write(batches, new Map([[batches - 1, last]]), [])
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): NativeFile {
    const replaced = new Map<number, JsonValue>()
    fresh.forEach(([outcome], i) => {
      replaced.set(i, { ...(this.#entries[i] as Entry).value, exitCode: outcome?.status ?? -1 })
    })
    const last = this.#entries[fresh.length - 1] as Entry
    const added = (live?.turns ?? []).flatMap(({ calls, outcomes }) =>
      calls.map(({ id, arguments: given }, i) => ({
        ...last.value,
        id,
        command: given.command ?? '',
        exitCode: outcomes[i]?.status ?? -1,
      })),
    )
    return this.#write(fresh.length, replaced, added)
  }

  #write(keep: number, replaced: ReadonlyMap<number, JsonValue>, added: readonly JsonValue[]): NativeFile {
    return this.#isArray ? this.#source.withElements([], keep, replaced, added) : this.#source.withLines(keep, replaced, added)
  }
}
