import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import { AGENTS, adapterFor } from '../../../src/replay/adapters.ts'
import { ReplayFault } from '../../../src/replay/fault.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { compared } from '../../../src/replay/observations.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import type { Trajectory } from '../../../src/replay/trajectory.ts'
import { bytesOf, miniFile, miniMessages } from './mini-file.ts'
import { runBatches, textOf, toolSite, withFresh } from './tool-site.ts'

/** A conversation in one form: two turns, of which the first one has two calls, then one without a result. */
interface Sample {
  readonly name: string
  readonly agent: string
  readonly elements: readonly JsonObject[]
  /** The file with elements. */
  readonly file: (elements: readonly JsonValue[]) => Uint8Array
  readonly batches: readonly (readonly [locator: string, modelTurns: number, calls: readonly string[]])[]
  /** Elements up to the boundary of the second turn, without its result. */
  readonly prepared: number
  readonly ends: readonly string[]
}

const asLines = (elements: readonly JsonValue[]): Uint8Array => encode(elements.map((one) => `${JSON.stringify(one)}\n`).join(''))
const asArray = (elements: readonly JsonValue[]): Uint8Array => encode(JSON.stringify(elements, null, 1))
const under =
  (key: string, more: JsonObject = {}) =>
  (elements: readonly JsonValue[]): Uint8Array =>
    encode(JSON.stringify({ ...more, [key]: elements, last: true }, null, 2))

const FIRST = 'echo a > f; cat f'
const SECOND = 'cat f; false'

const chatCall = (id: string, command: string): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'bash', arguments: JSON.stringify({ command }) },
})
const CHAT: readonly JsonObject[] = [
  { role: 'system', content: 'You use a shell.' },
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  { role: 'assistant', content: null, tool_calls: [chatCall('c1', FIRST), chatCall('c2', 'pwd')] },
  { role: 'tool', tool_call_id: 'c1', content: 'a\n' },
  { role: 'tool', tool_call_id: 'c2', content: '/elsewhere\n' },
  { role: 'assistant', content: 'hm' },
  { role: 'user', content: 'well' },
  { role: 'assistant', content: 'so', tool_calls: [chatCall('c3', SECOND)] },
  { role: 'tool', tool_call_id: 'c3', content: 'a\n' },
  { role: 'assistant', content: '', tool_calls: [chatCall('c4', 'x')] },
]
const OLDER: readonly JsonObject[] = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: null, function_call: { name: 'bash', arguments: JSON.stringify({ command: FIRST }) } },
  { role: 'function', name: 'bash', content: 'a\n' },
  { role: 'assistant', content: null, function_call: { name: 'bash', arguments: JSON.stringify({ cmd: ['bash', '-lc', SECOND] }) } },
  { role: 'function', name: 'bash', content: 'b\n' },
]
const CHAT_BATCHES: Sample['batches'] = [
  ['messages:2', 1, ['c1', 'c2']],
  ['messages:7', 3, ['c3']],
]

const item = (call_id: string, given: JsonObject): JsonObject => ({
  type: 'function_call',
  call_id,
  name: 'shell',
  arguments: JSON.stringify(given),
})
const output = (call_id: string, text: string): JsonObject => ({ type: 'function_call_output', call_id, output: text })
const ITEMS: readonly JsonObject[] = [
  { role: 'user', content: 'go' },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
  item('c1', { command: ['bash', '-lc', FIRST] }),
  item('c2', { command: ['pwd'] }),
  output('c1', 'a\n'),
  output('c2', '/elsewhere\n'),
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
  item('c3', { cmd: SECOND }),
  output('c3', 'a\n'),
  item('c4', { cmd: 'x' }),
]
const itemBatches = (places: string, first: number): Sample['batches'] => [
  [`${places}:${1 + first}-${3 + first}`, 1, ['c1', 'c2']],
  [`${places}:${6 + first}-${7 + first}`, 2, ['c3']],
]
const HEADED = ITEMS.map((one) =>
  one.call_id === 'c3' && one.type === 'function_call_output'
    ? { ...one, output: 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\na\n' }
    : one.call_id === 'c1' && one.type === 'function_call_output'
      ? { ...one, output: JSON.stringify({ output: 'a\n', metadata: { exit_code: 0, duration_seconds: 0.1 } }) }
      : one,
)
const codexLine = (payload: JsonObject, type = 'response_item'): JsonObject => ({ timestamp: '2026-01-02T03:04:05.000Z', type, payload })
const CODEX: readonly JsonObject[] = [
  codexLine({ id: 'session', cwd: '/w', cli_version: '0.149.0' }, 'session_meta'),
  ...HEADED.map((one) => codexLine(one)),
]

const step = (step_id: number, source: string, more: JsonObject = {}): JsonObject => ({ step_id, source, message: `m${step_id}`, ...more })
const atifCall = (tool_call_id: string, command: string): JsonObject => ({
  tool_call_id,
  function_name: 'bash',
  arguments: { command },
})
const ATIF: readonly JsonObject[] = [
  step(1, 'user'),
  step(2, 'agent', {
    tool_calls: [atifCall('c1', FIRST), atifCall('c2', 'pwd')],
    observation: {
      results: [
        { source_call_id: 'c2', content: '/elsewhere\n' },
        { source_call_id: 'c1', content: 'a\n' },
      ],
    },
  }),
  step(3, 'agent', { tool_calls: [atifCall('c3', SECOND)], observation: { results: [{ content: 'a\n' }] } }),
  step(4, 'agent', { tool_calls: [atifCall('c4', 'x')] }),
]
const ATIF_BATCHES: Sample['batches'] = [
  ['steps:1', 1, ['c1', 'c2']],
  ['steps:2', 2, ['c3']],
]

const entry = (id: string, command: string, exitCode: number): JsonObject => ({
  id,
  session: 'main',
  agent: null,
  timestamp: 1,
  cwd: '/w',
  command,
  exitCode,
  durationMs: 2,
})
const HISTORY: readonly JsonObject[] = [entry('c1', FIRST, 0), entry('c3', SECOND, 1)]
const HISTORY_BATCHES: Sample['batches'] = [
  ['entries:0', 1, ['c1']],
  ['entries:1', 2, ['c3']],
]

const SAMPLES: readonly Sample[] = [
  ...(
    [
      ['an array', asArray],
      ['a request', under('messages', { model: 'm' })],
    ] as const
  ).map(
    ([name, file]): Sample => ({
      name: `messages of chat, ${name}`,
      agent: 'openai-chat',
      elements: CHAT,
      file,
      batches: CHAT_BATCHES,
      prepared: 8,
      ends: ['exact', 'differs', 'exact'],
    }),
  ),
  {
    name: 'messages of chat with function_call',
    agent: 'openai-chat',
    elements: OLDER,
    file: asArray,
    batches: [
      ['messages:1', 1, ['function-call-1']],
      ['messages:3', 2, ['function-call-3']],
    ],
    prepared: 4,
    ends: ['exact', 'differs'],
  },
  ...(
    [
      ['an array', asArray, 'items', ITEMS],
      ['a request', under('input', { model: 'm' }), 'input', ITEMS],
      ['an answer', under('output', { id: 'r' }), 'output', HEADED],
    ] as const
  ).map(
    ([name, file, places, elements]): Sample => ({
      name: `items of Responses, ${name}`,
      agent: 'openai-responses',
      elements,
      file,
      batches: itemBatches(places, 0),
      prepared: 8,
      ends: ['exact', 'differs', 'exact'],
    }),
  ),
  {
    name: 'a rollout of Codex',
    agent: 'codex',
    elements: CODEX,
    file: asLines,
    batches: itemBatches('lines', 2),
    prepared: 9,
    ends: ['exact', 'differs', 'exact'],
  },
  ...['ATIF-v1.0', 'ATIF-v1.7'].map(
    (schema_version): Sample => ({
      name: schema_version,
      agent: 'atif',
      elements: ATIF,
      file: under('steps', { schema_version, session_id: 's', agent: { name: 'x', version: '3' } }),
      batches: ATIF_BATCHES,
      prepared: 3,
      ends: ['exact', 'differs', 'exact'],
    }),
  ),
  ...(
    [
      ['an array', asArray],
      ['lines', asLines],
    ] as const
  ).map(
    ([name, file]): Sample => ({
      name: `the history of a workspace, ${name}`,
      agent: 'mirage',
      elements: HISTORY,
      file,
      batches: HISTORY_BATCHES,
      prepared: 2,
      ends: ['exact', 'exact'],
    }),
  ),
]

async function read(bytes: Uint8Array, agent: string, acceptVersion?: string): Promise<Trajectory> {
  const source = new TrajectorySource(bytes)
  return (await adapterFor(agent, source)).read(source, acceptVersion === undefined ? {} : { acceptVersion })
}

/** An element as it is prepared: where calls and results are one, what came of the calls is left out. */
function withoutResult(agent: string, element: JsonObject | undefined): JsonObject | undefined {
  const { observation, exitCode, durationMs, ...rest } = element ?? {}
  return agent === 'atif' || agent === 'mirage' ? rest : element
}

describe.each(SAMPLES)('$name', ({ agent, elements, file, batches, prepared, ends }) => {
  it('is recognised by its own adapter alone', async () => {
    const found: string[] = []
    for (const name of AGENTS) {
      const source = new TrajectorySource(file(elements))
      if ((await adapterFor(name, source)).recognises(source)) found.push(name)
    }
    expect(found).toEqual([agent])
  })

  it('has the turns with all of their results, and is prepared as it was', async () => {
    const trajectory = await read(file(elements), 'auto')
    expect(trajectory.batches.map(({ locator, modelTurns, calls }) => [locator, modelTurns, calls.map(({ id }) => id)])).toEqual(batches)
    expect(() => trajectory.checkPrefix(2)).not.toThrow()
    const last = withoutResult(agent, elements[prepared - 1]) ?? {}
    const wanted = textOf([file([...elements.slice(0, prepared - 1), last])])
    const got = textOf(trajectory.prepared(2))
    // An element that was changed is on one line.
    if (agent === 'atif' || (agent === 'mirage' && !wanted.endsWith('\n'))) expect(JSON.parse(got)).toEqual(JSON.parse(wanted))
    else expect(got).toBe(wanted)
  })

  it('is compared, rebuilt with what was observed now, and gone on with', async () => {
    const trajectory = await read(file(elements), 'auto')
    const place = await toolSite({ '/w/other': '' }, '/w')
    const fresh = await runBatches(trajectory, 2, place)
    await place.close()
    const classes = trajectory.batches.flatMap(({ calls }, i) => {
      const outcomes = fresh[i] ?? []
      return calls.flatMap((call, at) => outcomes.slice(at, at + 1).map((outcome) => compared(call, outcome, false).class))
    })
    expect(classes).toEqual(ends)
    const again = await read(new Uint8Array(encode(textOf(trajectory.rebuilt(fresh)))), 'auto')
    expect(again.batches).toEqual(withFresh(trajectory, fresh))
    const live = {
      boundaryPrompt: 'go on',
      turns: [
        {
          text: 'I look',
          reasoning: 'hm',
          calls: [{ id: 'l1', name: agent === 'mirage' ? 'shell' : 'bash', arguments: { command: 'ls' } }],
          outcomes: [{ value: 'f\n', text: 'f\n', isError: false, status: 0, missing: [] }],
        },
      ],
    }
    const continued = await read(encode(textOf(trajectory.rebuilt(fresh, live))), 'auto')
    expect(continued.batches.slice(0, 2)).toEqual(again.batches)
    const value = agent === 'mirage' ? 0 : 'f\n'
    expect(continued.batches.slice(2).map(({ calls }) => calls.map((call) => [call.id, call.arguments.command, call.recorded]))).toEqual([
      [['l1', 'ls', { value, isError: false }]],
    ])
    if (agent !== 'mirage') expect(continued.atif.steps.at(-2)).toMatchObject({ source: 'user', message: 'go on' })
  })
})

describe('what is refused', () => {
  const change = (elements: readonly JsonObject[], index: number, more: JsonObject): readonly JsonValue[] =>
    elements.map((one, i) => (i === index ? { ...one, ...more } : one))
  const codexPayload = (index: number, more: JsonObject): readonly JsonValue[] =>
    CODEX.map((one, i) => (i === index ? { ...one, payload: { ...(one.payload as JsonObject), ...more } } : one))
  const atifFile = under('steps', { schema_version: 'ATIF-v1.6', agent: { name: 'x', version: '3' } })
  it.each<readonly [string, string, Uint8Array, string]>([
    ['chat: a role', 'openai-chat', asArray(change(CHAT, 1, { role: 'x' })), 'messages[1].role is "x"'],
    [
      'chat: arguments',
      'openai-chat',
      asArray(change(OLDER, 1, { function_call: { name: 'b', arguments: '{' } })),
      'messages[1].function_call.arguments holds no JSON',
    ],
    ['chat: content', 'openai-chat', asArray(change(CHAT, 3, { content: 5 })), 'messages[3].content is 5'],
    ['chat: a part', 'openai-chat', asArray(change(CHAT, 1, { content: [5] })), 'messages[1].content[0] is 5'],
    ['Responses: content', 'openai-responses', asArray(change(ITEMS, 6, { content: {} })), 'items[6].content is an object'],
    ['chat: no call id', 'openai-chat', asArray(change(CHAT, 3, { tool_call_id: 3 })), 'messages[3].tool_call_id is 3'],
    [
      'chat: a call twice',
      'openai-chat',
      asArray(change(CHAT, 7, { tool_calls: [chatCall('c1', 'x')] })),
      'messages:7: the call id "c1" is that of a call of messages:2',
    ],
    [
      'chat: a result twice',
      'openai-chat',
      asArray(change(CHAT, 4, { tool_call_id: 'c1' })),
      'messages:4: there is a result of the call "c1" already, messages:3',
    ],
    ['chat: a message', 'openai-chat', under('messages')([CHAT[0] ?? {}, 'x']), 'messages[1] is "x"'],
    ['Responses: a name', 'openai-responses', under('input')(change(ITEMS, 2, { name: 1 })), 'input[2].name is 1'],
    [
      'Responses: a call twice',
      'openai-responses',
      asArray(change(ITEMS, 7, { call_id: 'c1' })),
      'the call id "c1" is that of a call of items:1',
    ],
    ['Codex: a payload', 'codex', asLines(change(CODEX, 3, { payload: 1 })), 'line 4: payload is 1'],
    ['Codex: a call id', 'codex', asLines(codexPayload(3, { call_id: null })), 'line 4: payload.call_id is null'],
    ['Codex: no user', 'codex', asLines(CODEX.filter((_, i) => i !== 1)), 'there is no message of a user'],
    [
      'Codex: a cut line in the middle',
      'codex',
      encode(`${textOf([asLines(CODEX)])}{"type":\n${textOf([asLines(CODEX)])}`),
      'line 12, column',
    ],
    ['ATIF: a step id', 'atif', atifFile(change(ATIF, 1, { step_id: 3 })), 'steps[1].step_id is 3'],
    [
      'ATIF: a reference',
      'atif',
      atifFile(change(ATIF, 2, { observation: { results: [{ source_call_id: 'c1' }] } })),
      'steps[2].observation.results[0].source_call_id is "c1"',
    ],
    [
      'ATIF: a call twice',
      'atif',
      atifFile(change(ATIF, 2, { tool_calls: [atifCall('c1', 'x')] })),
      'steps[2]: the call id "c1" is that of a call of steps[1]',
    ],
    ['history: an end', 'mirage', asLines(change(HISTORY, 1, { exitCode: 'x' })), 'line 2.exitCode is "x"'],
    ['history: an entry twice', 'mirage', asArray([HISTORY[0] ?? {}, HISTORY[0] ?? {}]), 'entry 1: the id "c1" is that of entry 0'],
  ])('%s', async (_, agent, bytes, message) => {
    const error = await read(bytes, agent).catch((thrown: unknown) => thrown)
    if (!(error instanceof ReplayFault)) throw new Error(`no failure of a replay: ${String(error)}`)
    expect([error.category, error.message]).toEqual(['trajectory_error', expect.stringContaining(message)])
  })

  it('another version, of Codex and of ATIF', async () => {
    const other = asLines(codexPayload(0, { cli_version: '0.150.0' }))
    await expect(read(other, 'codex')).rejects.toMatchObject({ category: 'unsupported_version' })
    expect((await read(other, 'codex', '0.150.0')).version).toBe('0.150.0')
    const newer = under('steps', { schema_version: 'ATIF-v1.8', agent: { name: 'x', version: '3' } })(ATIF)
    await expect(read(newer, 'atif')).rejects.toMatchObject({ category: 'unsupported_version' })
  })

  it('tools that are unknown, where a prefix has them', async () => {
    const { toolset } = await read(asLines(CODEX), 'codex')
    for (const name of ['bash', 'shell', 'exec', 'exec_command', 'execute', 'terminal', 'apply_patch', 'read', 'write', 'edit'])
      expect(toolset.support(name, {})).toBe('fresh')
    expect(toolset.support('some_tool', { cmd: 'ls' })).toBe('fresh')
    expect(toolset.support('web_search', { query: 'x' })).toBe('unsupported')
  })
})

it('a rollout of Codex may end within a line, which is left out of what is written', async () => {
  const whole = textOf([asLines(CODEX)])
  const trajectory = await read(encode(`${whole}{"timestamp":"2026`), 'auto')
  expect(trajectory.batches).toHaveLength(2)
  expect(textOf(trajectory.prepared(2))).toBe(textOf([asLines(CODEX.slice(0, 9))]))
})

function real(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`data/${name}`, import.meta.url)))
}

it.each<readonly [string, Uint8Array]>([
  ...SAMPLES.map(({ name, file, elements }) => [name, file(elements)] as const),
  ...[
    'claude-code-representative.jsonl',
    'inspect-tool-call-error.json',
    'mini-swe-v1-local.traj.json',
    'openhands-basic.json',
    'openhands-basic-interactions.json',
    'swe-agent-test-repo.traj',
  ].map((name) => [name, real(name)] as const),
  ['mini-swe-agent', miniFile(miniMessages([{ commands: ['a', 'b'], observed: [{ output: 'x' }, { output: 'y' }] }]))],
  ['OpenHands', bytesOf([{ id: 0, source: 'user', action: 'message', args: { content: 'go' } }])],
])('%s is told as valid ATIF', async (_, bytes) => {
  const { atif, batches } = await read(bytes, 'auto', 'any')
  expect(atif.schema_version).toMatch(/^ATIF-v1\.[0-7]$/)
  expect(atif.steps.map(({ step_id }) => step_id)).toEqual(atif.steps.map((_step, i) => i + 1))
  const known = new Set<string>()
  for (const { tool_calls: calls = [], observation, source } of atif.steps) {
    if (source !== 'agent') expect(calls).toEqual([])
    for (const { tool_call_id: id } of calls) {
      expect(known.has(id)).toBe(false)
      known.add(id)
    }
    for (const { source_call_id: id } of observation?.results ?? [])
      if (id !== null) expect(calls.map(({ tool_call_id }) => tool_call_id)).toContain(id)
  }
  for (const { step, calls } of batches) {
    expect(atif.steps[step]?.tool_calls?.map(({ tool_call_id: id }) => id)).toEqual(calls.map(({ id }) => id))
    expect(atif.steps[step]?.observation?.results).toHaveLength(calls.length)
  }
})
