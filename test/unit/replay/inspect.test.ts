import { readFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import type { ReadOptions } from '../../../src/replay/adapter.ts'
import { inspect } from '../../../src/replay/adapters/inspect.ts'
import { adapterFor } from '../../../src/replay/adapters.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import { inspectTools } from '../../../src/replay/tools/inspect.ts'
import type { LiveCall, Trajectory } from '../../../src/replay/trajectory.ts'
import { bytesOf, miniFile } from './mini-file.ts'
import { runBatches, runCalls, textOf, toolSite, withFresh } from './tool-site.ts'

const REAL = new Uint8Array(readFileSync(new URL('data/inspect-tool-call-error.json', import.meta.url)))

async function read(bytes: Uint8Array, options: ReadOptions = {}, agent = 'auto'): Promise<Trajectory> {
  const source = new TrajectorySource(bytes)
  const adapter = await adapterFor(agent, source)
  expect(adapter.agent).toBe('inspect')
  return adapter.read(source, options)
}

function agent(content: JsonValue, ...calls: readonly (readonly [id: string, name: string, given: JsonObject])[]): JsonObject {
  return {
    role: 'assistant',
    content,
    tool_calls: calls.map(([id, name, given]) => ({ id, function: name, arguments: given, type: 'function' })),
  }
}

function result(id: string, content: JsonValue, error?: JsonObject): JsonObject {
  return { role: 'tool', tool_call_id: id, function: 'bash', content, ...(error === undefined ? {} : { error }) }
}

const FACTS: JsonObject = { version: 2, status: 'success', eval: { task: 't', model: 'm/1' }, plan: {} }
const MESSAGES: readonly JsonObject[] = [
  { role: 'system', content: 'S' },
  { role: 'user', content: [{ type: 'text', text: 'T' }] },
  agent(
    [
      { type: 'reasoning', reasoning: 'why' },
      { type: 'text', text: 'first' },
    ],
    ['a', 'bash', { cmd: 'echo 1; echo no >&2; false' }],
    ['b', 'bash', { cmd: 'pwd' }],
  ),
  result('b', '/\n'),
  result('a', 'no\n\n1\n'),
  agent('nothing called'),
  agent('second', ['c', 'text_editor', { command: 'view', path: '/nowhere' }]),
  result('c', '', { type: 'unknown', message: 'The path /nowhere does not exist. Please provide a valid path.' }),
]

function sample(id: JsonValue, epoch: number, messages: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { id, epoch, input: 'i', target: 't', messages, ...more }
}

function log(...samples: readonly JsonObject[]): Uint8Array {
  return bytesOf({ ...FACTS, samples })
}

function archive(files: Readonly<Record<string, JsonValue | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([name, value]) => [name, value instanceof Uint8Array ? value : bytesOf(value)])),
  )
}

describe('a real file', () => {
  it('has no step: its results are of no calls', async () => {
    const trajectory = await read(REAL)
    expect(trajectory.batches).toEqual([])
    expect(await inspect.samples?.(new TrajectorySource(REAL))).toEqual(['1/4'])
  })
})

describe('reading', () => {
  it('pairs calls with results by their ids', async () => {
    const trajectory = await read(log(sample(1, 1, MESSAGES)))
    expect(trajectory.batches).toEqual([
      {
        step: 2,
        locator: 'messages:2',
        modelTurns: 1,
        calls: [
          { id: 'a', name: 'bash', arguments: { cmd: 'echo 1; echo no >&2; false' }, recorded: { value: 'no\n\n1\n', isError: false } },
          { id: 'b', name: 'bash', arguments: { cmd: 'pwd' }, recorded: { value: '/\n', isError: false } },
        ],
      },
      {
        step: 4,
        locator: 'messages:6',
        modelTurns: 3,
        calls: [
          {
            id: 'c',
            name: 'text_editor',
            arguments: { command: 'view', path: '/nowhere' },
            recorded: { value: 'The path /nowhere does not exist. Please provide a valid path.', isError: true },
          },
        ],
      },
    ])
    expect(trajectory.atif.agent).toEqual({ name: 'inspect', version: '2', model_name: 'm/1' })
    expect(trajectory.atif.steps[2]).toMatchObject({ message: 'first', reasoning_content: 'why' })
  })

  it('ends at the first turn that lacks a result', async () => {
    const cut = [
      agent('', ['a', 'bash', {}]),
      result('a', ''),
      agent('', ['b', 'bash', {}], ['c', 'bash', {}]),
      result('b', ''),
      agent('', ['d', 'bash', {}]),
      result('d', ''),
    ]
    expect((await read(log(sample(1, 1, cut)))).batches.map(({ locator }) => locator)).toEqual(['messages:0'])
  })

  it('gives results without an id to calls by their order', async () => {
    const unnamed = (content: string): JsonObject => ({ role: 'tool', content })
    const trajectory = await read(
      log(sample(1, 1, [unnamed('of none'), agent('', ['a', 'bash', {}], ['b', 'bash', {}]), unnamed('1'), result('b', '2')])),
    )
    expect(trajectory.batches[0]?.calls.map(({ recorded }) => recorded.value)).toEqual(['1', '2'])
  })

  it('puts texts that are kept beside the messages in their places', async () => {
    const messages = [
      agent('attachment://x', ['a', 'bash', { cmd: 'attachment://y', list: ['attachment://x'] }]),
      result('a', [
        { type: 'text', text: 'attachment://z' },
        { type: 'text', text: 'attachment://none' },
      ]),
      agent('', ['b', 'bash', {}]),
      result('b', '', { type: 'timeout', message: 'attachment://x' }),
      agent('', ['c', 'computer', {}]),
      result('c', [{ type: 'image', image: 'attachment://x' }]),
    ]
    const trajectory = await read(log(sample(1, 1, messages, { attachments: { x: 'X', y: 'Y', z: 'Z' } })))
    expect(trajectory.batches.flatMap(({ calls }) => calls.map(({ arguments: given, recorded }) => [given, recorded]))).toEqual([
      [
        { cmd: 'Y', list: ['X'] },
        { value: 'Zattachment://none', isError: false },
      ],
      [{}, { value: 'X', isError: true }],
      [{}, { value: [{ type: 'image', image: 'X' }], isError: false }],
    ])
    expect(trajectory.atif.steps[0]?.message).toBe('X')
  })

  it('wants to be told which of several samples is meant', async () => {
    const file = log(sample(1, 1, MESSAGES), sample(1, 2, []), sample('b', 1, MESSAGES.slice(0, 5)))
    expect(await inspect.samples?.(new TrajectorySource(file))).toEqual(['1/1', '1/2', 'b/1'])
    await expect(read(file)).rejects.toMatchObject({
      category: 'configuration_error',
      message: 'the log has several samples: choose one with --sample: 1/1, 1/2, b/1',
    })
    await expect(read(file, { sample: '1' })).rejects.toMatchObject({
      category: 'configuration_error',
      message: expect.stringContaining('several samples are "1"'),
    })
    await expect(read(file, { sample: '1/3' })).rejects.toMatchObject({
      category: 'configuration_error',
      message: expect.stringContaining('no sample is "1/3"'),
    })
    expect((await read(file, { sample: '1/1' })).batches).toHaveLength(2)
    const chosen = await read(file, { sample: 'b' })
    expect(chosen.batches).toHaveLength(1)
    const text = new TextDecoder().decode(file)
    const cut = text.lastIndexOf(',{"role":"tool","tool_call_id":"b"')
    expect(textOf(chosen.prepared(1))).toBe(`${text.slice(0, cut)}]}]}`)
  })

  it.each<readonly [string, JsonValue, RegExp]>([
    ['no object', [], /^the log is an array/],
    ['no version', { eval: {}, samples: [] }, /^version is missing/],
    ['a version that is no integer', { ...FACTS, version: '2' }, /^version is "2"/],
    ['no eval', { version: 2, samples: [] }, /^eval is missing/],
    ['no samples', { ...FACTS }, /^samples is null/],
    ['samples that are an object', { ...FACTS, samples: {} }, /^samples is an object/],
    ['not one sample', { ...FACTS, samples: [] }, /^the log has no samples/],
    ['a sample that is no object', { ...FACTS, samples: [1] }, /^samples\[0\] is 1/],
    ['no messages', { ...FACTS, samples: [{ id: 1 }] }, /^samples\[0\]\.messages is missing/],
    ['a message that is no object', { ...FACTS, samples: [{ id: 1, messages: ['x'] }] }, /^samples\[0\]\.messages\[0\] is "x"/],
    ['no role', { ...FACTS, samples: [{ id: 1, messages: [{}] }] }, /^samples\[0\]\.messages\[0\]\.role is missing/],
    ['another role', { ...FACTS, samples: [{ id: 1, messages: [{ role: 'x' }] }] }, /^samples\[0\]\.messages\[0\]\.role is "x"/],
    [
      'calls that are no array',
      { ...FACTS, samples: [{ id: 1, messages: [{ role: 'assistant', tool_calls: {} }] }] },
      /messages\[0\]\.tool_calls is an object/,
    ],
    [
      'a call without an id',
      { ...FACTS, samples: [{ id: 1, messages: [{ role: 'assistant', tool_calls: [{ function: 'f', arguments: {} }] }] }] },
      /tool_calls\[0\]\.id is missing/,
    ],
    [
      'arguments that are no object',
      { ...FACTS, samples: [{ id: 1, messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: 'f', arguments: '{}' }] }] }] },
      /tool_calls\[0\]\.arguments is "\{\}"/,
    ],
    [
      'an error without a type',
      { ...FACTS, samples: [{ id: 1, messages: [result('a', '', {})] }] },
      /messages\[0\]\.error\.type is missing/,
    ],
    [
      'attachments that are no object',
      { ...FACTS, samples: [{ id: 1, messages: [], attachments: [] }] },
      /^samples\[0\]\.attachments is an array/,
    ],
    [
      'a call id that is there twice',
      { ...FACTS, samples: [sample(1, 1, [agent('', ['a', 'bash', {}]), agent('', ['a', 'bash', {}])])] },
      /call id "a"/,
    ],
    [
      'two results of one call',
      { ...FACTS, samples: [sample(1, 1, [agent('', ['a', 'bash', {}]), result('a', ''), result('a', '')])] },
      /result of the call "a" already/,
    ],
  ])('refuses %s, and says where', async (_, file, message) => {
    await expect(read(bytesOf(file), {}, 'inspect')).rejects.toMatchObject({
      category: 'trajectory_error',
      message: expect.stringMatching(message),
    })
  })

  it('is for version 2', async () => {
    await expect(read(bytesOf({ ...FACTS, version: 3, samples: [] }))).rejects.toMatchObject({
      category: 'unsupported_version',
      message: 'version is 3: logs of version 2 can be read',
    })
  })

  it('takes no other file for its own', () => {
    for (const other of [miniFile([]), bytesOf([]), bytesOf({ version: 2, eval: 'x' }), archive({ 'word/document.json': {} })])
      expect(inspect.recognises(new TrajectorySource(other))).toBe(false)
  })
})

describe('an archive', () => {
  const FIRST = encode(`{ "id": 1, "n": 1.0,\n "messages": ${JSON.stringify(MESSAGES)}, "big": 12345678901234567890 }`)
  const files = {
    '_journal/start.json': { version: 2, eval: {} },
    'samples/1_epoch_1.json': FIRST,
    'samples/a_b_epoch_12.json': sample('a_b', 12, []),
    'header.json': FACTS,
  }

  it('has a file a sample, of which the chosen one is written as it was', async () => {
    const bytes = archive(files)
    expect(await inspect.samples?.(new TrajectorySource(bytes))).toEqual(['1/1', 'a_b/12'])
    await expect(read(bytes)).rejects.toMatchObject({ category: 'configuration_error', message: expect.stringContaining('1/1, a_b/12') })
    expect((await read(bytes, { sample: 'a_b' })).batches).toEqual([])
    const trajectory = await read(bytes, { sample: '1' })
    expect(trajectory.batches).toEqual((await read(log(sample(1, 1, MESSAGES)))).batches)
    const text = textOf(trajectory.prepared(2))
    const own = new TextDecoder().decode(FIRST)
    const cut = own.lastIndexOf(`,${JSON.stringify(MESSAGES[7])}`)
    const rest = own.slice(cut + JSON.stringify(MESSAGES[7]).length + 1)
    expect(text).toBe(`${JSON.stringify(FACTS).slice(0, -1)},"samples":[${own.slice(0, cut)}${rest}]}\n`)
    expect((await read(encode(text))).batches).toHaveLength(1)
  })

  it('may have been written by an evaluation that was cut off', async () => {
    const { 'header.json': __, ...begun } = files
    expect((await read(archive(begun), { sample: '1/1' })).batches).toHaveLength(2)
  })

  const name = encode('samples/1_epoch_1.json')
  /** The archive with another size for the sample in its directory. */
  function withSize(bytes: Uint8Array, size: number): Uint8Array {
    const changed = bytes.slice()
    const view = new DataView(changed.buffer)
    for (let at = 0; at + 46 < changed.length; at++) {
      if (view.getUint32(at, true) !== 0x02014b50 || view.getUint16(at + 28, true) !== name.length) continue
      if (name.every((byte, i) => changed[at + 46 + i] === byte)) view.setUint32(at + 24, size, true)
    }
    return changed
  }

  it.each<readonly [string, Uint8Array, string, RegExp]>([
    ['no header', archive({ 'samples/1_epoch_1.json': FIRST }), 'trajectory_error', /no header\.json/],
    [
      'a header that is no JSON',
      archive({ ...files, 'header.json': encode('{') }),
      'trajectory_error',
      /^header\.json: line 1, column \d+/,
    ],
    [
      'a header of another version',
      archive({ ...files, 'header.json': { version: 1 } }),
      'unsupported_version',
      /^header\.json: version is 1/,
    ],
    [
      'a sample that is no JSON',
      archive({ ...files, 'samples/1_epoch_1.json': encode('{"id": }') }),
      'trajectory_error',
      /^samples\/1_epoch_1\.json: line 1, column \d+/,
    ],
    [
      'a sample without messages',
      archive({ ...files, 'samples/1_epoch_1.json': {} }),
      'trajectory_error',
      /^samples\/1_epoch_1\.json: messages is missing/,
    ],
    ['no samples', archive({ 'header.json': FACTS }), 'trajectory_error', /no samples/],
    ['a cut end', archive(files).slice(0, 200), 'trajectory_error', /^the archive can't be unpacked/],
    ['more than can be unpacked', withSize(archive(files), 300 * 1024 * 1024), 'configuration_error', /has 314572800 bytes/],
    ['more than it says', withSize(archive(files), 20), 'trajectory_error', /^samples\/1_epoch_1\.json: line/],
  ])('is refused for %s', async (_what, bytes, category, message) => {
    await expect(read(bytes, { sample: '1/1' }, 'inspect')).rejects.toMatchObject({ category, message: expect.stringMatching(message) })
  })
})

describe('running again', () => {
  it('gives what the tools give, and writes it in the place of the recorded', async () => {
    const trajectory = await read(log(sample(1, 1, MESSAGES)))
    const place = await toolSite({})
    const fresh = await runBatches(trajectory, 2, place)
    expect(withFresh(trajectory, fresh)).toEqual(trajectory.batches)
    const other = fresh.map((outcomes) => outcomes.map((outcome, i) => ({ ...outcome, value: `other ${i}`, isError: i === 1 })))
    const again = await read(encode(textOf(trajectory.rebuilt(other))))
    expect(again.batches).toEqual(withFresh(trajectory, other))
  })

  it('knows the tools, and can give what others gave', async () => {
    const { call } = await toolSite({ '/a.txt': 'one\n' })
    expect(await call(inspectTools, 'bash', { cmd: 'exit 3' })).toMatchObject({ value: '', isError: false, status: 3 })
    expect(await call(inspectTools, 'bash', { cmd: 'nothing-here' })).toMatchObject({ missing: ['nothing-here'] })
    expect(await call(inspectTools, 'bash', {})).toMatchObject({ isError: true })
    expect(await call(inspectTools, 'python', { code: '1' })).toMatchObject({ isError: true, missing: ['python'] })
    expect(
      await call(inspectTools, 'text_editor', { command: 'str_replace', path: '/a.txt', old_str: 'one', new_str: 'two' }),
    ).toMatchObject({ isError: false })
    expect(await call(inspectTools, 'bash', { cmd: 'cat /a.txt' })).toMatchObject({ value: 'two\n' })
    expect(await call(inspectTools, 'think', { thought: 'x' })).toMatchObject({ value: '' })
    const { value } = await call(inspectTools, 'bash', { cmd: 'seq 10000' })
    expect(value).toMatch(
      /^\nThe output of your call to bash was too long[\s\S]*<START_TOOL_OUTPUT>\n1\n2\n[\s\S]*\n10000\n\n<END_TOOL_OUTPUT>\n$/,
    )
    expect(inspectTools.support('web_search', { query: 'x' })).toBe('stale')
    expect(inspectTools.ends?.({ id: '', name: 'submit', arguments: { answer: '1' } }, null)).toBe(true)
  })

  it('writes what a model did after the boundary', async () => {
    const trajectory = await read(log(sample(1, 1, MESSAGES)))
    const place = await toolSite({})
    const fresh = await runBatches(trajectory, 1, place)
    const calls: readonly LiveCall[] = [
      { id: 'l1', name: 'bash', arguments: { cmd: 'echo l' } },
      { id: 'l2', name: 'text_editor', arguments: { command: 'view', path: '/none' } },
      { id: 'l3', name: 'submit', arguments: { answer: 'A' } },
    ]
    const outcomes = await runCalls(trajectory.toolset, calls, place)
    const turns = [
      { text: 'now', reasoning: 'because', calls: calls.slice(0, 2), outcomes: outcomes.slice(0, 2) },
      { text: 'then', reasoning: null, calls: calls.slice(2), outcomes: outcomes.slice(2) },
    ]
    const again = await read(encode(textOf(trajectory.rebuilt(fresh, { boundaryPrompt: 'go on', turns }))))
    expect(again.batches.slice(1).flatMap((batch) => batch.calls)).toEqual(
      calls.map((made, i) => ({ ...made, recorded: { value: outcomes[i]?.value, isError: outcomes[i]?.isError } })),
    )
    expect(again.atif.steps.slice(3).map(({ message, reasoning_content }) => [message, reasoning_content])).toEqual([
      ['go on', undefined],
      ['now', 'because'],
      ['then', undefined],
    ])
  })
})
