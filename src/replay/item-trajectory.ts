import type { AtifStep } from './atif.ts'
import { trajectoryFault } from './fault.ts'
import type { JsonValue } from './json.ts'
import type { ToolOutcome, Toolset } from './toolset.ts'
import type { Batch, Call, LivePhase, NativeFile, Observation, Trajectory } from './trajectory.ts'

/** What a message, item or line of a conversation is, as far as a replay is concerned. */
export type Item =
  | { readonly kind: 'system' | 'user'; readonly text: string }
  | { readonly kind: 'agent'; readonly text: string; readonly reasoning?: string; readonly calls: readonly Omit<Call, 'recorded'>[] }
  | { readonly kind: 'result'; readonly id: string; readonly observation: Observation }
  /** Of no concern. */
  | { readonly kind: 'other' }

/** A format whose conversation is a list of items, with calls and results that name each other by ids. */
export interface ItemFormat {
  readonly agent: string
  readonly version: string
  readonly session: string
  readonly model: string | null
  readonly toolset: Toolset
  readonly directory: string | null
  readonly items: readonly Item[]
  /** Items of the agent that follow one another are one turn of the model; else each is one. */
  readonly mergesItems: boolean
  /** What the places of items are called: `messages`, `items`, `lines`. */
  readonly places: string
  /** What is added to an index to name a place: 1 for lines. */
  readonly firstPlace: 0 | 1
  /** The source up to an item, with some replaced (in order) and others added. */
  write(keep: number, replaced: ReadonlyMap<number, JsonValue>, added: readonly JsonValue[]): NativeFile
  /** The item with a result, with another one. */
  withOutcome(index: number, outcome: ToolOutcome): JsonValue
  /** What a live phase adds. */
  live(phase: LivePhase): readonly JsonValue[]
}

interface Turn {
  /** Index of its last item. */
  readonly last: number
  /** Indices of its results, in the order of the calls. */
  readonly results: readonly number[]
  readonly batch: Batch
}

/** A trajectory of such a format. */
export class ItemTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Toolset
  readonly directory: string | null
  readonly #format: ItemFormat
  readonly #turns: readonly Turn[]

  constructor(format: ItemFormat) {
    const { agent, version, session, model, toolset, directory } = format
    this.#format = format
    this.version = version
    this.toolset = toolset
    this.directory = directory
    const { turns, steps } = read(format)
    this.#turns = turns
    this.batches = turns.map(({ batch }) => batch)
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: session,
      agent: { name: agent, version, ...(model === null ? {} : { model_name: model }) },
      steps,
    }
  }

  checkPrefix(): void {
    // Which tools can be replayed is the toolset's to say.
  }

  prepared(batches: number): NativeFile {
    return this.#format.write((this.#turns[batches - 1] as Turn).last + 1, new Map(), [])
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): NativeFile {
    const changed: (readonly [index: number, item: JsonValue])[] = []
    fresh.forEach((outcomes, ordinal) => {
      const { results } = this.#turns[ordinal] as Turn
      outcomes.forEach((outcome, i) => {
        const index = results[i] as number
        changed.push([index, this.#format.withOutcome(index, outcome)])
      })
    })
    changed.sort(([a], [b]) => a - b)
    const keep = (changed.at(-1)?.[0] ?? -1) + 1
    return this.#format.write(keep, new Map(changed), live === undefined ? [] : this.#format.live(live))
  }
}

function read({ items, mergesItems, places, firstPlace }: ItemFormat): {
  readonly turns: readonly Turn[]
  readonly steps: readonly AtifStep[]
} {
  const name = (index: number): string => `${places}:${index + firstPlace}`
  const results = resultsOf(items, name)
  const turns: Turn[] = []
  const steps: AtifStep[] = []
  const ids = new Map<string, number>()
  let modelTurns = 0
  let isWhole = true
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Item
    if (item.kind === 'system' || item.kind === 'user') steps.push({ step_id: steps.length + 1, source: item.kind, message: item.text })
    if (item.kind !== 'agent') continue
    const first = at
    const parts = [item]
    for (let next = items[at + 1]; mergesItems && (next?.kind === 'agent' || next?.kind === 'other'); next = items[at + 1]) {
      at += 1
      if (next.kind === 'agent') parts.push(next)
    }
    while (items[at]?.kind === 'other') at -= 1
    modelTurns += 1
    const calls = parts.flatMap((part) => part.calls)
    for (const { id } of calls) {
      const before = ids.get(id)
      if (before !== undefined)
        throw trajectoryFault(`${name(first)}: the call id ${JSON.stringify(id)} is that of a call of ${name(before)}, too`)
      ids.set(id, first)
    }
    const found = calls.flatMap(({ id }) => results.get(id) ?? []).filter(({ index }) => index > at)
    isWhole = isWhole && found.length === calls.length
    const reasoning = parts.flatMap((part) => part.reasoning ?? []).join('\n')
    const isTurn = calls.length > 0 && isWhole
    if (isTurn)
      turns.push({
        last: at,
        results: found.map(({ index }) => index),
        batch: {
          step: steps.length,
          locator: first === at ? name(at) : `${name(first)}-${at + firstPlace}`,
          modelTurns,
          calls: calls.map((call, i) => ({ ...call, recorded: found[i]?.observation ?? { value: '', isError: false } })),
        },
      })
    steps.push({
      step_id: steps.length + 1,
      source: 'agent',
      message: parts.map(({ text }) => text).join(''),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name: tool, arguments: given }) => ({ tool_call_id: id, function_name: tool, arguments: given })),
          }),
      ...(isTurn
        ? {
            observation: {
              results: found.map(({ observation }, i) => ({ source_call_id: calls[i]?.id ?? null, content: observation.value })),
            },
          }
        : {}),
    })
  }
  return { turns, steps }
}

function resultsOf(
  items: readonly Item[],
  name: (index: number) => string,
): ReadonlyMap<string, { readonly index: number; readonly observation: Observation }> {
  const results = new Map<string, { readonly index: number; readonly observation: Observation }>()
  items.forEach((item, index) => {
    if (item.kind !== 'result') return
    const before = results.get(item.id)
    if (before !== undefined)
      throw trajectoryFault(`${name(index)}: there is a result of the call ${JSON.stringify(item.id)} already, ${name(before.index)}`)
    results.set(item.id, { index, observation: item.observation })
  })
  return results
}
