import type { Adapter } from '../adapter.ts'
import type { AtifStep } from '../atif.ts'
import { trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, isArray, isObject, objectAt, textAt } from '../json.ts'
import type { TrajectorySource } from '../source.ts'
import { isSubmission, miniTools } from '../tools/mini-swe-agent.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Batch, LivePhase, Observation, Trajectory } from '../trajectory.ts'

const FORMAT = 'mini-swe-agent-1'
const BLOCK = /```(?:mswea_bash_command|bash)\s*\n([\s\S]*?)\n```/g
const SHOWN = /^<returncode>(-?\d+)<\/returncode>\n<output>\n?([\s\S]*?)<\/output>\s*$/

/** mini-swe-agent 1: messages of plain text, bare or with information around them; the command is the one block of bash in what the agent says. */
export const miniSweAgentV1: Adapter = {
  agent: 'mini-swe-agent-v1',
  pinned: null,
  profile: 'mini-swe-agent/1/native-messages-v1',
  nativeFormat: 'mini-swe-agent/native-json-1',
  files: {
    prepared: 'prepared-prefix.json',
    reconstructed: 'reconstructed-trajectory.json',
    continued: 'continued-trajectory.json',
  },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    if (isObject(document)) return document.trajectory_format === FORMAT
    return (
      isArray(document) &&
      document.length > 0 &&
      document.every(isPlain) &&
      document.some((message) => commandIn(message as JsonObject) !== null)
    )
  },
  read(source) {
    const document = source.json()
    if (isArray(document)) return new MiniTextTrajectory(source, [], plainMessages(document, ''), {})
    const whole = objectAt(document, 'the trajectory')
    const format = textAt(whole.trajectory_format, 'trajectory_format')
    if (format !== FORMAT)
      throw trajectoryFault(`trajectory_format is ${JSON.stringify(format)}: it has to be "${FORMAT}", or the file an array of messages`)
    const info = objectAt(whole.info, 'info')
    return new MiniTextTrajectory(source, ['messages'], plainMessages(arrayAt(whole.messages, 'messages'), 'messages'), info)
  },
}

interface PlainMessage extends JsonObject {
  readonly role: string
  readonly content: string
}

function isPlain(message: JsonValue): boolean {
  return isObject(message) && typeof message.role === 'string' && typeof message.content === 'string' && message.tool_calls === undefined
}

function plainMessages(messages: readonly JsonValue[], where: string): readonly PlainMessage[] {
  return messages.map((given, i) => {
    const message = objectAt(given, `${where}[${i}]`)
    const role = textAt(message.role, `${where}[${i}].role`)
    if (role !== 'system' && role !== 'user' && role !== 'assistant')
      throw trajectoryFault(`${where}[${i}].role is ${JSON.stringify(role)}: it has to be "system", "user" or "assistant"`)
    return { ...message, role, content: textAt(message.content, `${where}[${i}].content`) }
  })
}

/** The command of a message of the agent; null unless it has exactly one. */
function commandIn({ role, content }: JsonObject): string | null {
  if (role !== 'assistant' || typeof content !== 'string') return null
  const blocks = [...content.matchAll(BLOCK)]
  return blocks.length === 1 ? (blocks[0]?.[1] ?? null) : null
}

class MiniTextTrajectory implements Trajectory {
  readonly atif: Trajectory['atif']
  readonly version: string
  readonly batches: readonly Batch[]
  readonly toolset: Trajectory['toolset'] = miniTools({})
  readonly directory: null = null
  readonly #source: TrajectorySource
  readonly #path: readonly string[]
  readonly #messages: readonly PlainMessage[]
  /** Index of the message of each batch; what was observed is the next one. */
  readonly #turns: readonly number[]

  constructor(source: TrajectorySource, path: readonly string[], messages: readonly PlainMessage[], info: JsonObject) {
    this.#source = source
    this.#path = path
    this.#messages = messages
    this.version = typeof info.mini_version === 'string' ? info.mini_version : '1'
    const turns: number[] = []
    const batches: Batch[] = []
    const steps: AtifStep[] = []
    let modelTurns = 0
    let isWhole = true
    for (let at = 0; at < messages.length; at++) {
      const message = messages[at] as PlainMessage
      if (message.role === 'assistant') modelTurns += 1
      const command = commandIn(message)
      const next = messages[at + 1]
      const step = { step_id: steps.length + 1, source: sourceOf(message), message: message.content }
      if (command === null || !isWhole) {
        steps.push(step)
        continue
      }
      const call = { id: `mini-${at}-1`, name: 'bash', arguments: { command } }
      const tool_calls = [{ tool_call_id: call.id, function_name: 'bash', arguments: call.arguments }]
      if (next?.role !== 'user') {
        isWhole = false
        steps.push({ ...step, tool_calls })
        continue
      }
      const recorded = recordedIn(next.content)
      turns.push(at)
      batches.push({ step: steps.length, locator: `messages:${at}`, modelTurns, calls: [{ ...call, recorded }] })
      steps.push({ ...step, tool_calls, observation: { results: [{ source_call_id: call.id, content: recorded.value }] } })
      at += 1
    }
    this.#turns = turns
    this.batches = batches
    this.atif = {
      schema_version: 'ATIF-v1.6',
      session_id: 'mini-swe-agent',
      agent: { name: 'mini-swe-agent', version: this.version },
      steps,
    }
  }

  checkPrefix(batches: number): void {
    for (const { calls, locator } of this.batches.slice(0, batches)) {
      const command = calls[0]?.arguments.command
      if (isSubmission(command) || command === 'echo MINI_SWE_AGENT_FINAL_OUTPUT')
        throw versionFault(
          `${locator} submits the work (${JSON.stringify(command)}): a prefix can't go beyond that; choose an earlier step`,
        )
    }
  }

  prepared(batches: number): Uint8Array[] {
    return [...this.#source.withElements(this.#path, (this.#turns[batches - 1] as number) + 1, new Map(), [])]
  }

  rebuilt(fresh: readonly (readonly ToolOutcome[])[], live?: LivePhase): Uint8Array[] {
    const replaced = new Map<number, JsonValue>()
    fresh.forEach(([outcome], ordinal) => {
      const at = (this.#turns[ordinal] as number) + 1
      replaced.set(at, { ...(this.#messages[at] as PlainMessage), content: outcome?.text ?? '' })
    })
    const keep = (this.#turns[fresh.length - 1] as number) + 2
    return [...this.#source.withElements(this.#path, keep, replaced, live === undefined ? [] : liveMessages(live))]
  }
}

function sourceOf({ role }: PlainMessage): AtifStep['source'] {
  return role === 'assistant' ? 'agent' : role === 'user' ? 'user' : 'system'
}

/** What was observed: the output and status where it has the agent's form, else the whole text. */
function recordedIn(content: string): Observation {
  const shown = SHOWN.exec(content)
  if (shown === null) return { value: content, isError: false }
  return { value: shown[2] ?? '', isError: shown[1] !== '0' }
}

function liveMessages({ boundaryPrompt, turns }: LivePhase): readonly JsonValue[] {
  const messages: JsonValue[] = boundaryPrompt === null ? [] : [{ role: 'user', content: boundaryPrompt }]
  for (const { text, calls, outcomes } of turns) {
    const blocks = calls.map(({ arguments: given }) => `\n\n\`\`\`mswea_bash_command\n${String(given.command)}\n\`\`\``)
    messages.push({ role: 'assistant', content: text + blocks.join('') })
    for (const outcome of outcomes) messages.push({ role: 'user', content: outcome.text })
  }
  return messages
}
