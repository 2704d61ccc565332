import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../../src/replay/adapter.ts'
import { atif } from '../../../src/replay/adapters/atif.ts'
import { claudeCode } from '../../../src/replay/adapters/claude-code.ts'
import { codex } from '../../../src/replay/adapters/codex.ts'
import { inspect } from '../../../src/replay/adapters/inspect.ts'
import { miniSweAgent } from '../../../src/replay/adapters/mini-swe-agent.ts'
import { miniSweAgentV1 } from '../../../src/replay/adapters/mini-swe-agent-v1.ts'
import { mirage } from '../../../src/replay/adapters/mirage.ts'
import { openAIChat } from '../../../src/replay/adapters/openai-chat.ts'
import { openAIResponses } from '../../../src/replay/adapters/openai-responses.ts'
import { openHands } from '../../../src/replay/adapters/openhands.ts'
import { sweAgent } from '../../../src/replay/adapters/swe-agent.ts'
import { ReplayFault } from '../../../src/replay/fault.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import { bytesOf, miniFile, miniMessages } from './mini-file.ts'

function real(name: string): JsonValue {
  return JSON.parse(readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8')) as JsonValue
}

const MINI = miniMessages([{ text: 'a', commands: ['ls', 'pwd'], observed: [{ output: 'x' }, { output: 'y', status: 1 }] }])
const CALLED: JsonValue = {
  version: 2,
  eval: { model: 'm' },
  samples: [
    {
      id: 1,
      epoch: 1,
      attachments: { a: 'A' },
      messages: [
        { role: 'user', content: 'attachment://a' },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'x' }],
          tool_calls: [{ id: 'c', function: 'bash', arguments: { cmd: 'ls' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'y' }], error: { type: 'timeout', message: 'z' } },
      ],
    },
  ],
}
const RUN: JsonValue = [
  { id: 0, source: 'user', action: 'message', args: { content: 'go' } },
  {
    id: 1,
    source: 'agent',
    action: 'run',
    timeout: 3,
    args: { command: 'ls', thought: 't' },
    tool_call_metadata: { tool_call_id: 'c', function_name: 'f' },
  },
  { id: 2, source: 'agent', observation: 'run', cause: 1, content: 'x', extras: { metadata: { exit_code: 0, working_dir: '/w' } } },
]
const CONFIG: JsonValue = { agent: { tools: { env_variables: { WINDOW: 5 }, bundles: [{ path: 'tools/search' }] } } }
const SWE = real('swe-agent-test-repo.traj') as { readonly [key: string]: readonly JsonValue[] }
const CHAT: JsonValue = [
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'r',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'x' },
  { role: 'assistant', content: 'y', function_call: { name: 'bash', arguments: '{"command":"ls"}' } },
  { role: 'function', name: 'bash', content: 'x' },
]
const ITEMS: readonly JsonValue[] = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'r' }] },
  { type: 'function_call', call_id: 'c', name: 'bash', arguments: '{"command":"ls"}' },
  { type: 'function_call_output', call_id: 'c', output: '{"output":"x","metadata":{"exit_code":0}}' },
  { type: 'custom_tool_call', call_id: 'd', name: 'apply_patch', input: 'p' },
  { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'text', text: 'x' }] },
  { type: 'local_shell_call', call_id: 'e', action: { command: ['ls'], working_directory: '/' } },
  { type: 'local_shell_call_output', call_id: 'e', output: 'x' },
]
const ROLLOUT: JsonValue = [
  { type: 'session_meta', payload: { id: 's', cwd: '/w', cli_version: '0.149.0' } },
  ...ITEMS.slice(0, 4).map((payload): JsonValue => ({ type: 'response_item', payload })),
]
const STEPS: JsonValue = {
  schema_version: 'ATIF-v1.6',
  session_id: 's',
  agent: { name: 'a', version: '1', model_name: 'm' },
  steps: [
    { step_id: 1, source: 'user', message: [{ type: 'text', text: 'go' }] },
    {
      step_id: 2,
      source: 'agent',
      message: 'm',
      reasoning_content: 'r',
      tool_calls: [{ tool_call_id: 'c', function_name: 'bash', arguments: { command: 'ls' } }],
      observation: { results: [{ source_call_id: 'c', content: [{ type: 'text', text: 'x' }] }] },
    },
  ],
}
const ENTRY: JsonObject = {
  id: 'e',
  session: 'main',
  agent: null,
  timestamp: 1,
  cwd: '/',
  command: 'ls',
  exitCode: 0,
  durationMs: 1,
}
const SAID = { sessionId: 's', version: '2.1.220', cwd: '/w', isSidechain: false }
const CLAUDE: JsonValue = [
  { ...SAID, type: 'user', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'go' } },
  {
    ...SAID,
    type: 'assistant',
    uuid: 'a',
    parentUuid: 'u',
    message: {
      id: 'm',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 't' },
        { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls' } },
      ],
    },
  },
  {
    ...SAID,
    type: 'user',
    uuid: 'r',
    parentUuid: 'a',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'x' }] }] },
  },
]
const FILES: readonly (readonly [string, Adapter, JsonValue])[] = [
  ['messages of chat', openAIChat, CHAT],
  ['items of Responses', openAIResponses, ITEMS],
  ['a rollout of Codex', codex, ROLLOUT],
  ['a session of Claude Code', claudeCode, CLAUDE],
  ['ATIF', atif, STEPS],
  ['a history', mirage, [ENTRY]],
  ['lines of a history', mirage, [ENTRY, { ...ENTRY, id: 'f' }]],
  ['events of OpenHands', openHands, RUN],
  ['a real file of OpenHands', openHands, real('openhands-basic.json')],
  [
    'a real file of SWE-agent',
    sweAgent,
    { ...SWE, info: {}, replay_config: CONFIG, trajectory: SWE.trajectory?.slice(0, 2) ?? [], history: SWE.history?.slice(0, 6) ?? [] },
  ],
  ['a log of Inspect', inspect, CALLED],
  ['messages of mini-swe-agent', miniSweAgent, JSON.parse(new TextDecoder().decode(miniFile(MINI))) as JsonValue],
  ['a real file of mini-swe-agent 1', miniSweAgentV1, real('mini-swe-v1-local.traj.json')],
  ['a real log of Inspect', inspect, real('inspect-tool-call-error.json')],
]
/** Those with a line an element. */
const LINES: ReadonlySet<string> = new Set(['a rollout of Codex', 'a session of Claude Code', 'lines of a history'])
const OTHERS: readonly (JsonValue | undefined)[] = [undefined, null, true, -1, 1.5, '', 'text', [], {}, ['x'], { x: 1 }]

/** The document with another value in each of its places in turn. */
function* changed(value: JsonValue): Generator<JsonValue> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[]
    for (const [i, item] of items.entries()) {
      for (const other of OTHERS) yield other === undefined ? items.toSpliced(i, 1) : items.with(i, other)
      yield items.toSpliced(i, 0, item)
      for (const inner of changed(item)) yield items.with(i, inner)
    }
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const { [key]: _, ...rest } = value as { readonly [key: string]: JsonValue }
    for (const other of OTHERS) yield other === undefined ? rest : { ...value, [key]: other }
    for (const inner of changed(item)) yield { ...value, [key]: inner }
  }
}

/** Elements of an array, a line each. */
function linesOf(value: JsonValue): Uint8Array {
  const elements = Array.isArray(value) ? (value as readonly JsonValue[]) : [value]
  return new TextEncoder().encode(elements.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

/** Reads and writes: how it ended. A failure has to be one of a replay. */
async function attempt(adapter: Adapter, bytes: Uint8Array): Promise<string> {
  const source = new TrajectorySource(bytes)
  adapter.recognises(source)
  try {
    const trajectory = await adapter.read(source, {})
    const { batches } = trajectory
    if (batches.length === 0) return 'no steps'
    trajectory.checkPrefix(batches.length)
    trajectory.prepared(batches.length)
    const outcome = { value: 'v', text: 't', isError: false, status: 0, missing: [] }
    trajectory.rebuilt(batches.map(({ calls }) => calls.map(() => outcome)))
    return 'read'
  } catch (error) {
    if (error instanceof ReplayFault) return error.category
    throw error
  }
}

describe('a value of a wrong type, in any place', () => {
  it.each(FILES)('of %s', async (name, adapter, document) => {
    const ends = new Map<string, number>()
    for (const other of changed(document)) {
      const end = await attempt(adapter, LINES.has(name) ? linesOf(other) : bytesOf(other)).catch((error: unknown) => {
        throw new Error(`${String(error)} for ${JSON.stringify(other).slice(0, 2000)}`, { cause: error })
      })
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
    expect(ends.get('trajectory_error')).toBeGreaterThan(10)
    for (const end of ends.keys())
      expect(['read', 'no steps', 'trajectory_error', 'unsupported_version', 'configuration_error']).toContain(end)
  })
})
