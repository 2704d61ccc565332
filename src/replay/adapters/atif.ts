import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, integerAt, isArray, isObject, objectAt, optionalObject, optionalText, textAt } from '../json.ts'
import { contentText } from '../message-content.ts'
import type { TrajectorySource } from '../source.ts'
import { genericTools } from '../tools/generic.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, Call, LivePhase, NativeFile, Trajectory } from '../trajectory.ts'

const VERSION = /^ATIF-v1\.[0-7]$/
const STEPS = ['steps']

/** The Agent Trajectory Interchange Format, 1.0 to 1.7: a step has its calls and what was observed. */
export const atif: Adapter = {
  agent: 'atif',
  pinned: null,
  profile: 'atif/1/native-steps-v1',
  nativeFormat: 'atif/native-json-1',
  files: { prepared: 'prepared-prefix.json', reconstructed: 'reconstructed-trajectory.json', continued: 'continued-trajectory.json' },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    return isObject(document) && typeof document.schema_version === 'string' && document.schema_version.startsWith('ATIF-')
  },
  read(source) {
    const document = objectAt(source.json(), 'the trajectory')
    const version = textAt(document.schema_version, 'schema_version')
    if (!version.startsWith('ATIF-'))
      throw trajectoryFault(`schema_version is ${JSON.stringify(version)}: it has to be "ATIF-v1.0" to "ATIF-v1.7"`)
    if (!VERSION.test(version)) throw versionFault(`schema_version is ${JSON.stringify(version)}: ATIF-v1.0 to ATIF-v1.7 can be read`)
    const steps = arrayAt(document.steps, 'steps').map((step, i) => objectAt(step, `steps[${i}]`))
    return new AtifDocument(source, document, steps)
  },
}

class AtifDocument implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset'] = genericTools({ tellsErrors: false })
  readonly directory: null = null
  readonly #source: TrajectorySource
  readonly #steps: readonly JsonObject[]

  constructor(source: TrajectorySource, document: JsonObject, steps: readonly JsonObject[]) {
    this.#source = source
    this.#steps = steps
    const agent = objectAt(document.agent, 'agent')
    const model = optionalText(agent.model_name, 'agent.model_name')
    this.version = textAt(agent.version, 'agent.version')
    const read = steps.map(readStep)
    this.batches = batchesOf(read)
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: optionalText(document.session_id, 'session_id') ?? optionalText(document.trajectory_id, 'trajectory_id') ?? 'atif',
      agent: { name: textAt(agent.name, 'agent.name'), version: this.version, ...(model === undefined ? {} : { model_name: model }) },
      steps: read.map(({ step }) => step),
    }
  }

  checkPrefix(): void {
    // Which tools can be replayed is the toolset's to say.
  }

  prepared(batches: number): NativeFile {
    const { step } = this.batches[batches - 1] as Batch
    const { observation: _, ...last } = this.#steps[step] as JsonObject
    return this.#source.withElements(STEPS, step + 1, new Map([[step, last]]), [])
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): NativeFile {
    const replaced = new Map<number, JsonValue>()
    let keep = 0
    fresh.forEach((outcomes, ordinal) => {
      const { step, calls } = this.batches[ordinal] as Batch
      const results = calls.map(({ id }, i) => ({ source_call_id: id, content: outcomes[i]?.text ?? '' }))
      replaced.set(step, { ...(this.#steps[step] as JsonObject), observation: { results } })
      keep = step + 1
    })
    return this.#source.withElements(STEPS, keep, replaced, live === undefined ? [] : liveSteps(live, keep))
  }
}

interface ReadStep {
  readonly step: AtifStep
  /** Null where it has no call, or not all that was observed. */
  readonly calls: readonly Call[] | null
}

function readStep(step: JsonObject, index: number): ReadStep {
  const where = `steps[${index}]`
  const id = integerAt(step.step_id, `${where}.step_id`)
  if (id !== index + 1) throw trajectoryFault(`${where}.step_id is ${id}: steps are counted from 1, so that it has to be ${index + 1}`)
  const source = textAt(step.source, `${where}.source`)
  if (source !== 'system' && source !== 'user' && source !== 'agent')
    throw trajectoryFault(`${where}.source is ${JSON.stringify(source)}: it has to be "system", "user" or "agent"`)
  if (typeof step.message !== 'string' && !isArray(step.message))
    throw trajectoryFault(`${where}.message has to be a text or an array of parts`)
  const reasoning = optionalText(step.reasoning_content, `${where}.reasoning_content`)
  const calls =
    step.tool_calls === undefined || step.tool_calls === null
      ? []
      : arrayAt(step.tool_calls, `${where}.tool_calls`).map((call, i) => callOf(call, `${where}.tool_calls[${i}]`))
  const observation = optionalObject(step.observation, `${where}.observation`)
  const results =
    observation === undefined
      ? []
      : arrayAt(observation.results, `${where}.observation.results`).map((result, i) =>
          objectAt(result, `${where}.observation.results[${i}]`),
        )
  const recorded = recordedOf(calls, results, where)
  return {
    step: {
      step_id: id,
      source,
      message: contentText(step.message),
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map((call) => ({ tool_call_id: call.id, function_name: call.name, arguments: call.arguments })) }),
      ...(recorded === null
        ? {}
        : { observation: { results: recorded.map((value, i) => ({ source_call_id: calls[i]?.id ?? null, content: value })) } }),
    },
    calls:
      calls.length === 0 || recorded === null || source !== 'agent'
        ? null
        : calls.map((call, i) => ({ ...call, recorded: { value: recorded[i] ?? '', isError: false } })),
  }
}

function callOf(call: JsonValue, where: string): Omit<Call, 'recorded'> {
  const { tool_call_id: id, function_name: name, arguments: given } = objectAt(call, where)
  return {
    id: textAt(id, `${where}.tool_call_id`),
    name: textAt(name, `${where}.function_name`),
    arguments: objectAt(given, `${where}.arguments`),
  }
}

/** What was observed of each call; null where that of one is missing. Results without a call's id are those of the calls in order. */
function recordedOf(calls: readonly Omit<Call, 'recorded'>[], results: readonly JsonObject[], where: string): readonly JsonValue[] | null {
  if (calls.length === 0) return null
  const named = new Map<string, JsonObject>()
  results.forEach((result, i) => {
    const id = optionalText(result.source_call_id, `${where}.observation.results[${i}].source_call_id`)
    if (id === undefined) return
    if (!calls.some((call) => call.id === id))
      throw trajectoryFault(`${where}.observation.results[${i}].source_call_id is ${JSON.stringify(id)}: the step has no such call`)
    if (named.has(id)) throw trajectoryFault(`${where}.observation.results[${i}]: there is a result of ${JSON.stringify(id)} already`)
    named.set(id, result)
  })
  const inOrder = results.filter(({ source_call_id: id }) => id === undefined || id === null)
  const found = calls.map(({ id }) => named.get(id) ?? inOrder.shift())
  if (found.some((result) => result === undefined)) return null
  return found.map((result) => (isArray(result?.content) ? contentText(result.content) : (result?.content ?? '')))
}

function batchesOf(steps: readonly ReadStep[]): readonly Batch[] {
  const batches: Batch[] = []
  const ids = new Map<string, number>()
  let modelTurns = 0
  for (const [i, { step, calls }] of steps.entries()) {
    if (step.source !== 'agent') continue
    modelTurns += 1
    if ((step.tool_calls ?? []).length > 0 && calls === null) break
    if (calls === null) continue
    for (const { id } of calls) {
      const before = ids.get(id)
      if (before !== undefined)
        throw trajectoryFault(`steps[${i}]: the call id ${JSON.stringify(id)} is that of a call of steps[${before}], too`)
      ids.set(id, i)
    }
    batches.push({ step: i, locator: `steps:${i}`, modelTurns, calls })
  }
  return batches
}

function liveSteps({ boundaryPrompt, turns }: LivePhase, before: number): readonly JsonValue[] {
  const steps: JsonObject[] = []
  if (boundaryPrompt !== null) steps.push({ step_id: before + 1, source: 'user', message: boundaryPrompt })
  for (const { text, reasoning, calls, outcomes } of turns)
    steps.push({
      step_id: before + steps.length + 1,
      source: 'agent',
      message: text,
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, arguments: given }) => ({ tool_call_id: id, function_name: name, arguments: given })),
            observation: { results: outcomes.map(({ text: content }, i) => ({ source_call_id: calls[i]?.id ?? null, content })) },
          }),
    })
  return steps
}
