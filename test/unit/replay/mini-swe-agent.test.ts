import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { concat, decode } from '../../../src/bytes.ts'
import type { ReadOptions } from '../../../src/replay/adapter.ts'
import { adapterFor } from '../../../src/replay/adapters.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import type { Trajectory } from '../../../src/replay/trajectory.ts'
import { bytesOf, miniFile, miniMessages } from './mini-file.ts'

async function read(bytes: Uint8Array, options: ReadOptions = {}, agent = 'auto'): Promise<Trajectory> {
  const source = new TrajectorySource(bytes)
  return (await adapterFor(agent, source)).read(source, options)
}

const TWO = miniMessages([
  { text: 'first', commands: ['echo a', 'echo b'], observed: [{ output: 'a\n' }, { output: 'b\n', status: 2 }] },
  { text: 'second', commands: ['echo c'], observed: [{ output: 'c\n' }] },
])

describe('mini-swe-agent 1.1', () => {
  it('reads turns, calls, observations and the turns of the model', async () => {
    const trajectory = await read(miniFile(TWO))
    expect(trajectory.batches).toEqual([
      {
        step: 2,
        locator: 'messages:2',
        modelTurns: 1,
        calls: [
          { id: 'call-1', name: 'bash', arguments: { command: 'echo a' }, recorded: { value: 'a\n', isError: false } },
          { id: 'call-2', name: 'bash', arguments: { command: 'echo b' }, recorded: { value: 'b\n', isError: true } },
        ],
      },
      {
        step: 3,
        locator: 'messages:5',
        modelTurns: 2,
        calls: [{ id: 'call-3', name: 'bash', arguments: { command: 'echo c' }, recorded: { value: 'c\n', isError: false } }],
      },
    ])
    expect(trajectory.atif.steps.map(({ source, message }) => [source, message])).toEqual([
      ['system', 'You use a shell.'],
      ['user', 'Do the work.'],
      ['agent', 'first'],
      ['agent', 'second'],
    ])
  })

  it('pairs observations by position, messages of the user among them', async () => {
    const messages = miniMessages([{ commands: ['one', 'two'], observed: [] }])
    const paired = await read(
      miniFile([
        ...messages,
        { role: 'user', content: 'interrupted' },
        { role: 'assistant', content: 'no call here' },
        { role: 'tool', tool_call_id: 'call-1', content: 'for one' },
      ]),
    )
    expect(paired.batches[0]?.calls.map(({ recorded }) => recorded.value)).toEqual(['interrupted', 'for one'])
  })

  it('ends at the first turn that lacks an observation', async () => {
    const cut = miniMessages([
      { commands: ['one'], observed: [{ output: '1' }] },
      { commands: ['two', 'three'], observed: [{ output: '2' }] },
      { commands: ['four'], observed: [{ output: '4' }] },
    ])
    expect((await read(miniFile(cut))).batches).toHaveLength(1)
  })

  it('takes an empty list of actions for none, whatever tool calls there are', async () => {
    const call = { id: 'x', type: 'function', function: { name: 'bash', arguments: '{"command":"echo x"}' } }
    const turn = (extra: JsonObject): JsonValue[] => [
      { role: 'assistant', content: '', tool_calls: [call], extra },
      { role: 'tool', content: 'x' },
    ]
    expect((await read(miniFile(turn({ actions: [] })))).batches).toHaveLength(0)
    const [batch] = (await read(miniFile(turn({})))).batches
    expect(batch?.calls).toEqual([{ id: 'x', name: 'bash', arguments: { command: 'echo x' }, recorded: { value: 'x', isError: false } }])
    expect(batch?.modelTurns).toBe(0)
  })

  it('makes ids for calls that have none', async () => {
    const messages: JsonValue[] = [
      { role: 'assistant', extra: { actions: [{ command: 'a' }, { command: 'b' }] } },
      { role: 'user', content: '1' },
      { role: 'user', content: '2' },
    ]
    expect((await read(miniFile(messages))).batches[0]?.calls.map(({ id }) => id)).toEqual(['mini-0-1', 'mini-0-2'])
  })

  it('reads items of the Responses API', async () => {
    const messages: JsonValue[] = [
      {
        object: 'response',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'hm' }] }],
        extra: { actions: [{ command: 'ls', tool_call_id: 'c' }] },
      },
      { type: 'function_call_output', call_id: 'c', output: 'a.txt' },
    ]
    const trajectory = await read(miniFile(messages))
    expect(trajectory.batches[0]).toMatchObject({ modelTurns: 0, calls: [{ id: 'c', recorded: { value: 'a.txt' } }] })
    expect(trajectory.atif.steps[0]).toMatchObject({ source: 'agent', message: 'hm' })
  })

  it('refuses to go beyond a submission, and minds none after the prefix', async () => {
    const done = miniMessages([
      { commands: ['true'], observed: [{ output: '' }] },
      { commands: ['  echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch'], observed: [{ output: '' }] },
    ])
    const trajectory = await read(miniFile(done))
    expect(() => trajectory.checkPrefix(1)).not.toThrow()
    expect(() => trajectory.checkPrefix(2)).toThrow(
      expect.objectContaining({ category: 'unsupported_version', message: expect.stringContaining('messages:4') }),
    )
  })

  it('is for one version, and takes another where that is said', async () => {
    const other = miniFile(TWO, { info: { mini_version: '2.3.0' } })
    await expect(read(other)).rejects.toMatchObject({ category: 'unsupported_version', message: expect.stringContaining('"2.3.0"') })
    await expect(read(other, { acceptVersion: '2.3.1' })).rejects.toMatchObject({ category: 'unsupported_version' })
    expect((await read(other, { acceptVersion: '2.3.0' })).batches).toHaveLength(2)
    expect((await read(other, { acceptVersion: 'any' })).version).toBe('2.3.0')
  })

  const BROKEN: readonly (readonly [what: string, file: JsonValue, where: RegExp])[] = [
    ['no object', [], /the trajectory is an array/],
    ['another format', { trajectory_format: 'mini-swe-agent-1.2' }, /trajectory_format is "mini-swe-agent-1.2"/],
    ['a format that is no text', { trajectory_format: true }, /trajectory_format is true/],
    ['no information', { trajectory_format: 'mini-swe-agent-1.1' }, /info is missing/],
    ['a version that is no text', { trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: 2 } }, /info.mini_version is 2/],
    ['no messages', { trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: '2.4.6' } }, /messages is missing/],
    [
      'messages that are an object',
      { trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: '2.4.6' }, messages: {} },
      /messages is an object/,
    ],
    ['a message that is no object', wrong(['x']), /messages\[0\] is "x"/],
    [
      'an action that is no object',
      wrong([...TWO, { role: 'assistant', extra: { actions: [1] } }]),
      /messages\[7\].extra.actions\[0\] is 1/,
    ],
    [
      'an action without a command',
      wrong([...TWO, { role: 'assistant', extra: { actions: [{}] } }]),
      /messages\[7\].extra.actions\[0\].command is missing/,
    ],
    [
      'a function that is no object',
      wrong([{ role: 'assistant', tool_calls: [{ function: 1 }] }]),
      /messages\[0\].tool_calls\[0\].function is 1/,
    ],
    [
      'arguments that are no JSON',
      wrong([{ role: 'assistant', tool_calls: [{ function: { name: 'bash', arguments: '{' } }] }]),
      /arguments holds no JSON/,
    ],
  ]
  function wrong(messages: readonly JsonValue[]): JsonValue {
    return { trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: '2.4.6' }, messages }
  }
  it.each(BROKEN)('refuses %s, and says where', async (_, file, where) => {
    await expect(read(bytesOf(file), {}, 'mini-swe-agent')).rejects.toMatchObject({
      category: 'trajectory_error',
      message: expect.stringMatching(where),
    })
  })

  it('refuses another tool', async () => {
    const messages: JsonValue[] = [{ role: 'assistant', tool_calls: [{ function: { name: 'python', arguments: '{}' } }] }]
    await expect(read(miniFile(messages))).rejects.toMatchObject({ category: 'unsupported_version' })
  })

  it('writes the prefix as it was, byte for byte, without what the boundary observed', async () => {
    const text = `{ "trajectory_format": "mini-swe-agent-1.1",
      "messages": [ {"role":"assistant","n":1.0, "extra":{"response":{},"actions":[{"command":"a"}]}},
        {"role":"tool","content":"\\u00e9", "big":12345678901234567890},
        {"role":"assistant","extra":{"response":{},"actions":[{"command":"b"}]}} , {"role":"tool","content":"y"} ],
      "info": {"mini_version":"2.4.6"}, "tail": 1e2 }`
    const trajectory = await read(new TextEncoder().encode(text))
    expect(decode(concat(trajectory.prepared(1)))).toBe(text.replace(/,\n {8}\{"role":"tool","content":"\\u00e9"[\s\S]*"y"\}/, ''))
    expect(decode(concat(trajectory.prepared(2)))).toBe(text.replace(/ , \{"role":"tool","content":"y"\}/, ''))
  })

  it('writes fresh observations in the place of the recorded, and reads them again', async () => {
    const trajectory = await read(miniFile([...TWO, { role: 'exit', content: '' }]))
    const outcome = (value: string, status: number): Parameters<Trajectory['rebuilt']>[0][number][number] => ({
      value,
      text: `shown ${value}`,
      isError: status !== 0,
      status,
      missing: [],
    })
    const fresh = [[outcome('A', 0), outcome('B', 1)], [outcome('C', 0)]]
    const live = {
      boundaryPrompt: 'go on',
      turns: [
        {
          text: 'live',
          reasoning: 'because',
          calls: [{ id: 'l', name: 'bash', arguments: { command: 'echo l' } }],
          outcomes: [outcome('L', 0)],
        },
      ],
    }
    const again = await read(concat(trajectory.rebuilt(fresh, live)))
    expect(again.batches.flatMap(({ calls }) => calls.map(({ id, recorded }) => [id, recorded.value, recorded.isError]))).toEqual([
      ['call-1', 'A', false],
      ['call-2', 'B', true],
      ['call-3', 'C', false],
      ['l', 'L', false],
    ])
    expect(again.atif.steps.map(({ source }) => source)).toEqual(['system', 'user', 'agent', 'agent', 'user', 'agent'])
    expect(again.batches.at(-1)?.modelTurns).toBe(3)
    const kept = JSON.parse(decode(concat(trajectory.rebuilt(fresh.slice(0, 1))))) as { messages: JsonObject[] }
    expect(kept.messages).toHaveLength(5)
    expect(kept.messages[4]).toMatchObject({ content: 'shown B', extra: { raw_output: 'B', returncode: 1 } })
  })
})

describe('mini-swe-agent 1', () => {
  const SAMPLE = new Uint8Array(readFileSync(new URL('data/mini-swe-v1-local.traj.json', import.meta.url)))

  it('reads a bare array of messages', async () => {
    const trajectory = await read(SAMPLE)
    expect(trajectory.batches.map(({ locator, calls }) => [locator, calls[0]?.arguments.command, calls[0]?.recorded])).toEqual([
      ['messages:2', "echo 'hello world'", { value: 'hello world\n', isError: false }],
      ['messages:4', 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT', { value: '', isError: false }],
    ])
    expect(() => trajectory.checkPrefix(2)).toThrow(/submits the work/)
    const prefix = concat(trajectory.prepared(1))
    expect(JSON.parse(decode(prefix))).toHaveLength(3)
    expect(decode(SAMPLE).startsWith(decode(prefix.subarray(0, prefix.length - 3)))).toBe(true)
  })

  it('is not read as the format after it', async () => {
    await expect(read(SAMPLE, {}, 'mini-swe-agent')).rejects.toMatchObject({ category: 'trajectory_error' })
  })

  it('knows a command by its one block', async () => {
    const messages: JsonValue[] = [
      { role: 'assistant', content: 'two\n```bash\na\n```\n```bash\nb\n```' },
      { role: 'user', content: 'exactly one, please' },
      { role: 'assistant', content: 'one\n```bash\nls\n```' },
      { role: 'user', content: '<returncode>2</returncode>\n<output>\nno\n</output>' },
    ]
    const { batches, atif } = await read(bytesOf({ trajectory_format: 'mini-swe-agent-1', info: {}, messages }))
    expect(batches).toEqual([
      {
        step: 2,
        locator: 'messages:2',
        modelTurns: 2,
        calls: [{ id: 'mini-2-1', name: 'bash', arguments: { command: 'ls' }, recorded: { value: 'no\n', isError: true } }],
      },
    ])
    expect(atif.steps).toHaveLength(3)
  })
})
