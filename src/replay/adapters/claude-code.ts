import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isArray, isObject, objectAt, textAt } from '../json.ts'
import { madeUuid } from '../made-uuid.ts'
import { contentText } from '../message-content.ts'
import { demandVersion } from '../pinned-version.ts'
import type { TrajectorySource } from '../source.ts'
import { claudeTools } from '../tools/claude-code.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, Call, LivePhase, Observation, Trajectory } from '../trajectory.ts'

/** Claude Code: a session as lines, each with the uuid of the one before it. */
export const claudeCode: Adapter = {
  agent: 'claude-code',
  pinned: '2.1.220',
  profile: 'claude-code/2.1.220/native-resume-v1',
  nativeFormat: 'claude-code/native-jsonl-2.1.220',
  files: { prepared: 'prepared-prefix.jsonl', reconstructed: 'reconstructed-prefix.jsonl', continued: 'continued-session.jsonl' },
  recognises(source) {
    return source
      .head()
      .some(
        ({ sessionId, uuid, type }) =>
          typeof sessionId === 'string' && typeof uuid === 'string' && (type === 'user' || type === 'assistant'),
      )
  },
  read(source, options) {
    const lines = source.lines().map(({ value, number }) => ({ number, value: objectAt(value, `line ${number}`) }))
    const records = recordsOf(lines)
    const versions = new Set(records.map(({ line, number }) => textAt(line.version, `line ${number}: version`)))
    const sessions = new Set(records.map(({ line, number }) => textAt(line.sessionId, `line ${number}: sessionId`)))
    for (const version of versions) demandVersion(claudeCode, version, 'version', options)
    if (versions.size !== 1)
      throw trajectoryFault(`the lines name ${versions.size} versions (${[...versions].join(', ')}): it has to be one`)
    if (sessions.size !== 1) throw trajectoryFault(`the lines name ${sessions.size} sessions: it has to be one`)
    return new ClaudeTrajectory(source, records, [...versions][0] as string, [...sessions][0] as string)
  },
}

/** A message of the conversation. */
interface Record {
  /** From 0, among all lines. */
  readonly index: number
  readonly number: number
  readonly line: JsonObject
  readonly role: 'user' | 'assistant'
  readonly message: JsonObject
  readonly blocks: readonly JsonObject[]
}

/** The messages of the active conversation, in order. */
function recordsOf(lines: readonly { readonly number: number; readonly value: JsonObject }[]): readonly Record[] {
  const byUuid = new Map<string, Record>()
  const all: Record[] = []
  lines.forEach(({ number, value: line }, index) => {
    const where = `line ${number}`
    const type = textAt(line.type, `${where}: type`)
    if ((type !== 'user' && type !== 'assistant') || line.isSidechain === true) return
    const message = objectAt(line.message, `${where}: message`)
    const record: Record = { index, number, line, role: type, message, blocks: blocksOf(message.content, `${where}: message.content`) }
    const uuid = textAt(line.uuid, `${where}: uuid`)
    const before = byUuid.get(uuid)
    if (before !== undefined) throw trajectoryFault(`${where}: the uuid ${JSON.stringify(uuid)} is that of line ${before.number}, too`)
    byUuid.set(uuid, record)
    all.push(record)
  })
  const last = all.at(-1)
  if (last === undefined) throw trajectoryFault('there is no message of a user or an assistant')
  // Some versions keep no chain at all.
  if (all.every(({ line }) => line.parentUuid === null || line.parentUuid === undefined)) return all
  const parents = parentsOf(lines)
  const seen = new Set<string>()
  for (let uuid: string | null = String(last.line.uuid); uuid !== null; uuid = parents.get(uuid) ?? null) {
    if (seen.has(uuid)) throw trajectoryFault(`the chain of parentUuid comes back to ${JSON.stringify(uuid)}`)
    seen.add(uuid)
  }
  return withSiblings(all, seen)
}

/**
 * The messages of a chain, and what hangs beside it: of calls that were made at once, each has a line, and its result follows that line, so that only one of the results
 * has a successor.
 */
function withSiblings(all: readonly Record[], chain: ReadonlySet<string>): readonly Record[] {
  const isActive = ({ line }: Record): boolean => chain.has(String(line.uuid))
  const answers = new Set(all.flatMap((record) => (record.role === 'assistant' && isActive(record) ? [answerId(record)] : [])))
  const parts = all.filter((record) => record.role === 'assistant' && answers.has(answerId(record)))
  const calls = new Set(parts.flatMap(({ blocks }) => blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))))
  // A result that occurs again, off the chain, is of another branch.
  const answered = new Set(all.filter(isActive).flatMap(resultIds))
  const isSibling = (record: Record): boolean => {
    if (record.role === 'assistant') return answers.has(answerId(record))
    const ids = resultIds(record)
    return ids.length > 0 && ids.every((id) => calls.has(id) && !answered.has(id))
  }
  return all.filter((record) => isActive(record) || isSibling(record))
}

function resultIds({ role, blocks }: Record): readonly (JsonValue | undefined)[] {
  return role === 'user' ? blocks.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id] : [])) : []
}

/** The line before each: attachments and the like are in the chain, too. */
function parentsOf(lines: readonly { readonly value: JsonObject }[]): ReadonlyMap<string, string | null> {
  const parents = new Map<string, string | null>()
  for (const { value } of lines) {
    const parent = value.parentUuid ?? value.logicalParentUuid
    if (typeof value.uuid === 'string') parents.set(value.uuid, typeof parent === 'string' ? parent : null)
  }
  return parents
}

function blocksOf(content: JsonValue | undefined, where: string): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!isArray(content)) throw trajectoryFault(`${where} has to be a text or an array of blocks`)
  return content.map((block, i) => objectAt(block, `${where}[${i}]`))
}

/** Everything that was said in one answer of the model. */
interface Turn {
  readonly records: readonly Record[]
  /** Where the result of each call is. */
  readonly results: readonly Record[]
  readonly batch: Batch
}

/** A tool that was not run where the agent was. */
interface Served {
  readonly where: string
  readonly name: string
  /** Turns of the model up to and with that of the call. */
  readonly modelTurns: number
}

class ClaudeTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset'] = claudeTools()
  readonly directory: string | null
  readonly #source: TrajectorySource
  readonly #turns: readonly Turn[]
  readonly #served: readonly Served[]

  constructor(source: TrajectorySource, records: readonly Record[], version: string, session: string) {
    this.#source = source
    this.version = version
    const cwd = records[0]?.line.cwd
    this.directory = typeof cwd === 'string' && cwd.startsWith('/') ? cwd : null
    const { turns, steps, served } = read(records)
    this.#turns = turns
    this.#served = served
    this.batches = turns.map(({ batch }) => batch)
    const model = records.find(({ role }) => role === 'assistant')?.message.model
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: session,
      agent: { name: 'claude-code', version, ...(typeof model === 'string' ? { model_name: model } : {}) },
      steps,
    }
  }

  checkPrefix(batches: number): void {
    const { modelTurns = 0 } = this.batches[batches - 1] ?? {}
    const served = this.#served.find((one) => one.modelTurns <= modelTurns)
    if (served !== undefined)
      throw versionFault(`${served.where}: the server ran ${served.name}, which can't be replayed; choose an earlier step`)
  }

  prepared(batches: number): Uint8Array[] {
    const { records, results } = this.#turns[batches - 1] as Turn
    const last = records.at(-1) as Record
    // Results may come between the lines of one answer.
    const dropped = new Set(results.map(({ index }) => index))
    return [...this.#source.withLines(last.index + 1, new Map(), [], dropped)]
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): Uint8Array[] {
    const outcomes = new Map<string, ToolOutcome>()
    const changed = new Map<number, Record>()
    fresh.forEach((all, ordinal) => {
      const { batch, results } = this.#turns[ordinal] as Turn
      for (const [i, { id }] of batch.calls.entries()) outcomes.set(id, all[i] as ToolOutcome)
      for (const record of results) changed.set(record.index, record)
    })
    const replaced = new Map<number, JsonValue>()
    for (const [index, record] of [...changed].sort(([a], [b]) => a - b)) replaced.set(index, withOutcomes(record, outcomes))
    const { records, results } = this.#turns[fresh.length - 1] as Turn
    const last = [...records, ...results].reduce((a, b) => (b.index > a.index ? b : a))
    return [...this.#source.withLines(last.index + 1, replaced, live === undefined ? [] : liveLines(last.line, live, fresh.length))]
  }
}

interface Read {
  readonly turns: readonly Turn[]
  readonly steps: readonly AtifStep[]
  readonly served: readonly Served[]
}

function read(records: readonly Record[]): Read {
  const answers = new Map<string, Record[]>()
  const results = new Map<string, { readonly record: Record; readonly observation: Observation }>()
  for (const record of records) {
    if (record.role === 'assistant') {
      const id = answerId(record)
      answers.set(id, [...(answers.get(id) ?? []), record])
      continue
    }
    for (const block of record.blocks) {
      if (block.type !== 'tool_result') continue
      const id = textAt(block.tool_use_id, `line ${record.number}: tool_use_id`)
      if (results.has(id)) throw trajectoryFault(`line ${record.number}: there is a result of ${JSON.stringify(id)} already`)
      results.set(id, { record, observation: observationOf(block) })
    }
  }
  const turns: Turn[] = []
  const steps: AtifStep[] = []
  const served: Served[] = []
  const callIds = new Set<string>()
  let modelTurns = 0
  let isWhole = true
  for (const record of records) {
    if (record.role === 'user') {
      const said = contentText(record.blocks.filter(({ type }) => type === 'text'))
      const isAnswer = record.blocks.some(({ type }) => type === 'tool_result')
      if (!isAnswer || said !== '') steps.push({ step_id: steps.length + 1, source: 'user', message: said })
      continue
    }
    const answer = answers.get(answerId(record)) as Record[]
    if (answer[0] !== record) continue
    modelTurns += 1
    const blocks = answer.flatMap((part) => part.blocks.map((block) => ({ block, where: `line ${part.number}` })))
    const uses = blocks.filter(({ block }) => block.type === 'tool_use')
    for (const { block, where } of blocks)
      if (block.type === 'server_tool_use' || block.type === 'mcp_tool_use')
        served.push({ where, name: textAt(block.name, `${where}: ${block.type}.name`), modelTurns })
    const calls = uses.map(({ block, where }) => callOf(block, where, callIds))
    const found = calls.map(({ id }) => results.get(id))
    isWhole = isWhole && found.every((result) => result !== undefined)
    const observed = found.flatMap((result) => result ?? [])
    if (calls.length > 0 && isWhole) {
      const paired: Call[] = calls.map((call, i) => ({ ...call, recorded: (observed[i] as (typeof observed)[number]).observation }))
      const locator = `lines:${record.number}-${(answer.at(-1) as Record).number}`
      turns.push({
        records: answer,
        results: observed.map((one) => one.record),
        batch: { step: steps.length, locator, modelTurns, calls: paired },
      })
    }
    const thinking = blocks
      .flatMap(({ block }) => (block.type === 'thinking' && typeof block.thinking === 'string' ? [block.thinking] : []))
      .join('\n')
    steps.push({
      step_id: steps.length + 1,
      source: 'agent',
      message: contentText(blocks.flatMap(({ block }) => (block.type === 'text' ? [block] : []))),
      ...(thinking === '' ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ id, name, arguments: given }) => ({ tool_call_id: id, function_name: name, arguments: given })) }),
      ...(observed.length === 0 || !isWhole
        ? {}
        : {
            observation: {
              results: observed.map(({ observation }, i) => ({ source_call_id: calls[i]?.id ?? null, content: observation.value })),
            },
          }),
    })
  }
  return { turns, steps, served }
}

/** Lines that share the id of the answer are one; an answer without an id is a line. */
function answerId({ message, line }: Record): string {
  return typeof message.id === 'string' ? message.id : `line ${String(line.uuid)}`
}

function callOf(block: JsonObject, where: string, known: Set<string>): Omit<Call, 'recorded'> {
  const id = textAt(block.id, `${where}: tool_use.id`)
  if (known.has(id)) throw trajectoryFault(`${where}: the tool_use id ${JSON.stringify(id)} is there twice`)
  known.add(id)
  return { id, name: textAt(block.name, `${where}: tool_use.name`), arguments: objectAt(block.input, `${where}: tool_use.input`) }
}

/** Reminders that the agent adds to results are no part of what was observed; numbered lines are told apart by a tab in every version. */
function observationOf({ content, is_error }: JsonObject): Observation {
  const isText = typeof content === 'string' || (isArray(content) && content.every((part) => isObject(part) && part.type === 'text'))
  const value = isText ? contentText(content) : (content ?? '')
  if (typeof value !== 'string') return { value, isError: is_error === true }
  const plain = value.replace(/\n*<system-reminder>[\s\S]*?<\/system-reminder>\s*$/, '').replace(/^( *\d+)→/gm, '$1\t')
  return { value: plain === '' ? value : plain, isError: is_error === true }
}

function withOutcomes({ line, message, blocks }: Record, outcomes: ReadonlyMap<string, ToolOutcome>): JsonObject {
  const content = blocks.map((block) => {
    const outcome = block.type === 'tool_result' ? outcomes.get(String(block.tool_use_id)) : undefined
    return outcome === undefined ? block : { ...block, content: outcome.text, is_error: outcome.isError }
  })
  const { toolUseResult: _, ...rest } = line
  return { ...rest, message: { ...message, content } }
}

function liveLines(last: JsonObject, { boundaryPrompt, turns }: LivePhase, after: number): readonly JsonValue[] {
  const { sessionId, version, cwd, userType, timestamp } = last
  const lines: JsonValue[] = []
  let parent = String(last.uuid)
  const add = (type: 'user' | 'assistant', message: JsonObject): void => {
    const uuid = madeUuid(`${String(sessionId)} ${after} ${lines.length}`)
    lines.push({
      type,
      uuid,
      parentUuid: parent,
      isSidechain: false,
      sessionId: sessionId ?? '',
      version: version ?? '',
      cwd: cwd ?? '/',
      userType: userType ?? 'external',
      ...(timestamp === undefined ? {} : { timestamp }),
      message,
    })
    parent = uuid
  }
  if (boundaryPrompt !== null) add('user', { role: 'user', content: boundaryPrompt })
  turns.forEach(({ text, reasoning, calls, outcomes }, i) => {
    const content: JsonObject[] = [
      ...(reasoning === null ? [] : [{ type: 'thinking', thinking: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, arguments: given }) => ({ type: 'tool_use', id, name, input: given })),
    ]
    add('assistant', { id: `live-${after}-${i + 1}`, type: 'message', role: 'assistant', content })
    if (calls.length > 0)
      add('user', {
        role: 'user',
        content: calls.map(({ id }, at) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: outcomes[at]?.text ?? '',
          is_error: outcomes[at]?.isError === true,
        })),
      })
  })
  return lines
}
