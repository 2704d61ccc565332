import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import type { ReadOptions } from '../../../src/replay/adapter.ts'
import { adapterFor } from '../../../src/replay/adapters.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import { openHandsTools } from '../../../src/replay/tools/openhands.ts'
import type { LiveCall, Trajectory } from '../../../src/replay/trajectory.ts'
import { bytesOf, miniFile } from './mini-file.ts'
import { runBatches, runCalls, textOf, toolSite, withFresh } from './tool-site.ts'

const BASIC = new Uint8Array(readFileSync(new URL('data/openhands-basic.json', import.meta.url)))
const INTERACTIONS = new Uint8Array(readFileSync(new URL('data/openhands-basic-interactions.json', import.meta.url)))

async function read(bytes: Uint8Array, options: ReadOptions = {}, agent = 'auto'): Promise<Trajectory> {
  const source = new TrajectorySource(bytes)
  const adapter = await adapterFor(agent, source)
  expect(adapter.agent).toBe('openhands')
  return adapter.read(source, options)
}

const USER: JsonObject = { id: 0, source: 'user', message: 'go', action: 'message', args: { content: 'go' } }

function run(id: number, command: string, more: JsonObject = {}): JsonObject {
  return { id, source: 'agent', message: '', action: 'run', args: { command, thought: `I run ${command}` }, ...more }
}

function ran(id: number, cause: number, content: string, exit_code = 0): JsonObject {
  return {
    id,
    source: 'agent',
    message: '',
    observation: 'run',
    cause,
    content,
    extras: { command: 'x', metadata: { exit_code, pid: 7 } },
    success: exit_code === 0,
  }
}

const TWO: readonly JsonObject[] = [
  USER,
  run(1, 'mkdir -p /d; cd /d; echo a > f; cat f', { timeout: 30 }),
  ran(2, 1, 'a'),
  run(5, 'cat f; pwd; false'),
  { id: 6, source: 'environment', message: '', observation: 'agent_state_changed', cause: 5, content: '', extras: {} },
  ran(7, 5, 'a\n/workspace/d', 1),
  { id: 8, source: 'agent', message: 'bye', action: 'finish', args: {} },
]

describe('a real file', () => {
  it('has one step, an edit', async () => {
    const trajectory = await read(BASIC)
    expect(trajectory).toMatchObject({ version: '0.53.0', directory: '/workspace', callTimeoutMs: 120_000 })
    const [batch, ...more] = trajectory.batches
    expect(more).toEqual([])
    expect(batch).toMatchObject({
      step: 1,
      locator: 'event:3',
      modelTurns: 1,
      calls: [
        {
          id: 'toolu_017nBp7UfiGqyrA7j77HgtFP',
          name: 'str_replace_editor',
          arguments: { command: 'create', path: '/workspace/game_2048.py' },
          recorded: { value: 'File created successfully at: /workspace/game_2048.py', isError: false },
        },
      ],
    })
    expect(trajectory.atif.agent).toEqual({ name: 'openhands', version: '0.53.0', model_name: 'claude-3-5-sonnet-20241022' })
    expect(() => trajectory.checkPrefix(1)).not.toThrow()
    const text = new TextDecoder().decode(BASIC)
    const observation = text.indexOf(',\n  {\n    "id": 4,')
    expect(textOf(trajectory.prepared(1))).toBe(`${text.slice(0, observation)}\n]${text.endsWith('\n') ? '\n' : ''}`)
  })

  it('is made again to the byte', async () => {
    const trajectory = await read(BASIC)
    const place = await toolSite({ '/workspace/other': '' })
    const fresh = await runBatches(trajectory, 1, place)
    expect(fresh[0]?.[0]).toMatchObject({ value: trajectory.batches[0]?.calls[0]?.recorded.value, isError: false })
    const [, , observed] = JSON.parse(new TextDecoder().decode(BASIC)) as { extras: { new_content: string } }[]
    expect(await place.text('/workspace/game_2048.py')).toBe(observed?.extras.new_content)
    expect((await runBatches(trajectory, 1, place))[0]?.[0]).toMatchObject({
      isError: true,
      value: expect.stringContaining('ERROR:\nInvalid `path` parameter'),
    })
    const again = await read(encode(textOf(trajectory.rebuilt(fresh))))
    expect(again.batches).toEqual(trajectory.batches)
  })

  it('has no step where nothing was called', async () => {
    const trajectory = await read(INTERACTIONS)
    expect(trajectory.batches).toEqual([])
    expect(trajectory.atif.steps.map(({ source }) => source)).toEqual(['user', 'agent', 'user', 'agent', 'user'])
  })
})

describe('reading', () => {
  it('pairs an action with what it caused', async () => {
    const trajectory = await read(bytesOf([...TWO]))
    expect(trajectory.batches).toEqual([
      {
        step: 1,
        locator: 'event:1',
        modelTurns: 1,
        calls: [
          {
            id: 'openhands-1',
            name: 'execute_bash',
            arguments: { command: 'mkdir -p /d; cd /d; echo a > f; cat f' },
            recorded: { value: 'a', isError: false },
          },
        ],
      },
      {
        step: 2,
        locator: 'event:5',
        modelTurns: 2,
        calls: [
          {
            id: 'openhands-5',
            name: 'execute_bash',
            arguments: { command: 'cat f; pwd; false' },
            recorded: { value: 'a\n/workspace/d', isError: true },
          },
        ],
      },
    ])
    expect(trajectory.callTimeoutMs).toBe(30_000)
    expect(trajectory.atif.steps[1]).toMatchObject({ source: 'agent', message: 'I run mkdir -p /d; cd /d; echo a > f; cat f' })
  })

  it('ends at the first action of which nothing was observed', async () => {
    const trajectory = await read(bytesOf([USER, run(1, 'a'), ran(2, 1, ''), run(3, 'b'), run(5, 'c'), ran(6, 5, '')]))
    expect(trajectory.batches.map(({ locator }) => locator)).toEqual(['event:1'])
    expect(trajectory.atif.steps).toHaveLength(4)
  })

  it('reads every kind of action that is a step', async () => {
    const observed = (id: number, observation: string, content: string): JsonObject => ({
      id,
      source: 'agent',
      observation,
      cause: id - 1,
      content,
      extras: {},
    })
    const trajectory = await read(
      bytesOf([
        USER,
        { id: 1, source: 'agent', action: 'read', args: { path: '/a', impl_source: 'oh_aci', view_range: [1, 2] } },
        observed(2, 'read', 'ERROR:\nno'),
        {
          id: 3,
          source: 'agent',
          action: 'edit',
          args: { path: '/a', command: 'insert', insert_line: 0, new_str: 'x', old_str: null, thought: 't' },
        },
        observed(4, 'edit', 'ok'),
        { id: 5, source: 'agent', action: 'run_ipython', args: { code: '1+1' } },
        observed(6, 'run_ipython', '2'),
        { id: 7, source: 'agent', action: 'think', args: { thought: 'hm' } },
        observed(8, 'think', 'Your thought has been logged.'),
        { id: 9, source: 'agent', action: 'read', args: { path: '/a', start: 0, end: -1 } },
        observed(10, 'error', 'no such file'),
        { id: 11, source: 'agent', action: 'edit', args: { path: '/a', content: 'c', start: 1, end: -1, impl_source: 'llm_based_edit' } },
        observed(12, 'edit', 'ok'),
      ]),
    )
    expect(
      trajectory.batches.flatMap(({ calls }) => calls.map(({ name, arguments: given, recorded }) => [name, given, recorded.isError])),
    ).toEqual([
      ['str_replace_editor', { command: 'view', path: '/a', view_range: [1, 2] }, true],
      ['str_replace_editor', { command: 'insert', path: '/a', insert_line: 0, new_str: 'x' }, false],
      ['execute_ipython_cell', { code: '1+1' }, false],
      ['think', { thought: 'hm' }, false],
      ['str_replace_editor', { command: 'read', path: '/a', start: 0, end: -1 }, true],
      ['edit_file', { path: '/a', content: 'c', start: 1, end: -1 }, false],
    ])
    expect(trajectory.toolset.support('edit_file', {})).toBe('stale')
    expect(trajectory.toolset.support('browser', {})).toBe('unsupported')
  })

  it('refuses what a prefix can not hold, and minds none after it', async () => {
    const browse: JsonObject = { id: 3, source: 'agent', action: 'browse', args: { url: 'x' } }
    const trajectory = await read(bytesOf([USER, run(1, 'a'), ran(2, 1, ''), browse, run(5, 'c'), ran(6, 5, '')]))
    expect(trajectory.batches).toHaveLength(2)
    expect(() => trajectory.checkPrefix(1)).not.toThrow()
    expect(() => trajectory.checkPrefix(2)).toThrow(
      expect.objectContaining({
        category: 'unsupported_version',
        message: expect.stringMatching(/events\[3\] \(id 3\) is the action "browse"/),
      }),
    )
    const silent = await read(bytesOf([run(1, 'a'), ran(2, 1, ''), USER, run(3, 'b'), ran(4, 3, '')]))
    expect(() => silent.checkPrefix(1)).toThrow(expect.objectContaining({ category: 'trajectory_error' }))
    expect(() => silent.checkPrefix(2)).not.toThrow()
  })

  it('is for one version, where the file says which', async () => {
    const system = (openhands_version: string): JsonObject => ({
      id: 9,
      source: 'agent',
      action: 'system',
      args: { content: 'S', openhands_version },
    })
    expect((await read(bytesOf([system('0.53.0'), ...TWO.slice(0, 3)]))).batches).toHaveLength(1)
    const other = bytesOf([system('0.48.0'), ...TWO.slice(0, 3)])
    await expect(read(other)).rejects.toMatchObject({
      category: 'unsupported_version',
      message: expect.stringContaining('events[0].args.openhands_version'),
    })
    expect((await read(other, { acceptVersion: '0.48.0' })).version).toBe('0.48.0')
  })

  it.each<readonly [string, JsonValue, RegExp]>([
    ['no array', {}, /the trajectory is an object/],
    ['no events', [], /without events/],
    ['an event that is no object', [USER, 1], /events\[1\] is 1/],
    ['an id that is no integer', [{ ...USER, id: '0' }], /events\[0\]\.id is "0"/],
    ['no id', [{ source: 'user', action: 'message' }], /events\[0\]\.id is missing/],
    ['an id that is there twice', [USER, run(0, 'a')], /events\[1\]\.id is 0, as is that of events\[0\]/],
    ['no source', [{ id: 1, action: 'run' }], /events\[0\]\.source is missing/],
    ['neither an action nor an observation', [{ id: 1, source: 'user' }], /events\[0\] has neither/],
    ['both', [{ id: 1, source: 'user', action: 'run', observation: 'run' }], /events\[0\] has both/],
    ['an action that is no text', [{ id: 1, source: 'user', action: 1 }], /events\[0\]\.action is 1/],
    ['arguments that are no object', [{ ...USER, args: [] }], /events\[0\]\.args is an array/],
    ['a command that is no text', [run(1, 'a', { args: { command: 1 } })], /events\[0\]\.args\.command is 1/],
    ['a cause that is no integer', [USER, { ...ran(2, 1, ''), cause: '1' }], /events\[1\]\.cause is "1"/],
    ['a content that is no text', [USER, run(1, 'a'), { ...ran(2, 1, ''), content: 5 }], /events\[2\]\.content is 5/],
    ['no content', [USER, run(1, 'a'), { id: 2, source: 'agent', observation: 'run', cause: 1 }], /events\[2\]\.content is missing/],
    ['a time limit that is no number', [run(1, 'a', { timeout: '120' })], /events\[0\]\.timeout is "120"/],
    [
      'an id of a call that is no text',
      [run(1, 'a', { tool_call_metadata: { tool_call_id: 4 } })],
      /events\[0\]\.tool_call_metadata\.tool_call_id is 4/,
    ],
  ])('refuses %s, and says where', async (_, file, message) => {
    await expect(read(bytesOf(file), {}, 'openhands')).rejects.toMatchObject({
      category: 'trajectory_error',
      message: expect.stringMatching(message),
    })
  })

  it('takes no other file for its own', async () => {
    for (const other of [miniFile([]), bytesOf([]), bytesOf([{ id: 1 }]), encode('{"id":1}\n{"id":2}\n')]) {
      const { openHands } = await import('../../../src/replay/adapters/openhands.ts')
      expect(openHands.recognises(new TrajectorySource(other))).toBe(false)
    }
  })
})

describe('running again', () => {
  it('keeps the shell from call to call, and writes what was observed now', async () => {
    const trajectory = await read(bytesOf([...TWO]))
    const place = await toolSite({ '/workspace/x': '' }, '/workspace')
    const fresh = await runBatches(trajectory, 2, place)
    expect(fresh.map(([outcome]) => [outcome?.value, outcome?.isError, outcome?.status])).toEqual([
      ['a', false, 0],
      ['a\n/d', true, 1],
    ])
    expect(fresh[1]?.[0]?.text).toBe(
      'a\n/d\n[The command completed with exit code 1.]\n[Current working directory: /d]\n[Command finished with exit code 1]',
    )
    const text = textOf(trajectory.rebuilt(fresh))
    const events = JSON.parse(text) as JsonObject[]
    expect(events).toHaveLength(6)
    expect(events[5]).toEqual({
      id: 7,
      source: 'agent',
      message: 'Command `cat f; pwd; false` executed with exit code 1.',
      observation: 'run',
      cause: 5,
      content: 'a\n/d',
      extras: {
        command: 'cat f; pwd; false',
        metadata: { exit_code: 1, pid: 7, working_dir: '/d', prefix: '', suffix: '\n[The command completed with exit code 1.]' },
      },
      success: false,
    })
    const again = await read(encode(text))
    expect(again.batches).toEqual(withFresh(trajectory, fresh))
  })

  it('writes what a model did after the boundary as events', async () => {
    const trajectory = await read(bytesOf([...TWO]))
    const place = await toolSite({})
    const fresh = await runBatches(trajectory, 1, place)
    const live: readonly LiveCall[] = [
      { id: 'l1', name: 'execute_bash', arguments: { command: 'echo l; exit 3' } },
      { id: 'l2', name: 'str_replace_editor', arguments: { command: 'create', path: '/n', file_text: 'new\n' } },
      { id: 'l3', name: 'str_replace_editor', arguments: { command: 'view', path: '/n' } },
      { id: 'l4', name: 'think', arguments: { thought: 'so' } },
      { id: 'l5', name: 'finish', arguments: { message: 'done' } },
    ]
    const outcomes = await runCalls(trajectory.toolset, live, place)
    const file = trajectory.rebuilt(fresh, {
      boundaryPrompt: 'go on',
      turns: [
        { text: 'now', reasoning: 'because', calls: live.slice(0, 4), outcomes: outcomes.slice(0, 4) },
        { text: 'end', reasoning: null, calls: live.slice(4), outcomes: outcomes.slice(4) },
      ],
    })
    const again = await read(encode(textOf(file)))
    expect(again.batches.flatMap(({ calls }) => calls).slice(1)).toEqual(
      live.slice(0, 4).map((call, i) => ({ ...call, recorded: { value: outcomes[i]?.value, isError: outcomes[i]?.isError } })),
    )
    expect(again.atif.steps.slice(2).map(({ source, message, reasoning_content }) => [source, message, reasoning_content])).toEqual([
      ['user', 'go on', undefined],
      ['agent', 'now', 'because'],
      ['agent', '', 'because'],
      ['agent', '', 'because'],
      ['agent', '', 'because'],
    ])
    expect(trajectory.toolset.ends?.(live[4] as LiveCall, null)).toBe(true)
  })

  it('runs several commands at once where that was done', async () => {
    const several = 'echo a\necho b'
    const older = await read(bytesOf([USER, run(1, several), ran(2, 1, 'a\nb')]))
    const newer = await read(bytesOf([USER, run(1, several), ran(2, 1, 'ERROR: Cannot execute multiple commands at once.\n…', -1)]))
    const { call } = await toolSite({})
    expect(await call(older.toolset, 'execute_bash', { command: several })).toMatchObject({ value: 'a\nb', isError: false })
    expect(await call(newer.toolset, 'execute_bash', { command: several })).toMatchObject({ isError: true })
  })

  it('refuses what its runtime refuses, and names what it lacks', async () => {
    const { call } = await toolSite({})
    const tools = openHandsTools({ refusesSeveral: true, directory: '/workspace' })
    const bash = async (given: JsonObject): Promise<JsonObject> => {
      const { value, isError, status, missing } = await call(tools, 'execute_bash', given)
      return { value, isError, status, missing }
    }
    expect(await bash({ command: 'echo a\necho b' })).toMatchObject({
      isError: true,
      value: expect.stringContaining('Provided commands:\n(1) echo a\n(2) echo b'),
    })
    expect(await bash({ command: 'for x in a b\ndo echo $x\ndone\n' })).toMatchObject({ value: 'a\nb', status: 0 })
    expect(await bash({ command: 'y', is_input: true })).toMatchObject({ isError: true, status: -1 })
    expect(await bash({ command: 'frobnicate' })).toMatchObject({ isError: true, status: 127, missing: ['frobnicate'] })
    expect(await bash({ command: "printf '\\e[1mbold\\e[0m  \\na\\tb\\n1%%\\r99%%\\n\\n'" })).toMatchObject({
      value: 'bold\na       b\n99%',
    })
    const cell = await call(tools, 'execute_ipython_cell', { code: 'print(1)' })
    expect(cell).toMatchObject({ isError: true, missing: ['python'] })
  })
})
