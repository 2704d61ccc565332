import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import type { ReadOptions } from '../../../src/replay/adapter.ts'
import { adapterFor } from '../../../src/replay/adapters.ts'
import { ReplayFault } from '../../../src/replay/fault.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import { claudeTools } from '../../../src/replay/tools/claude-code.ts'
import type { ToolOutcome } from '../../../src/replay/toolset.ts'
import type { Trajectory } from '../../../src/replay/trajectory.ts'
import { runBatches, textOf, toolSite, withFresh } from './tool-site.ts'

const REAL = new Uint8Array(readFileSync(new URL('data/claude-code-representative.jsonl', import.meta.url)))
const BROKEN = new Uint8Array(readFileSync(new URL('data/claude-code-edge-cases.jsonl', import.meta.url)))

async function read(bytes: Uint8Array, options: ReadOptions = {}): Promise<Trajectory> {
  const source = new TrajectorySource(bytes)
  const adapter = await adapterFor('auto', source)
  expect(adapter.agent).toBe('claude-code')
  return adapter.read(source, options)
}

async function fault(reading: Promise<unknown>): Promise<readonly [category: string, message: string]> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ReplayFault)) throw new Error(`no failure of a replay: ${String(error)}`)
  return [error.category, error.message]
}

function lines(...all: readonly JsonValue[]): Uint8Array {
  return encode(all.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

function line(type: string, uuid: string, parentUuid: string | null, message: JsonValue, more: JsonObject = {}): JsonObject {
  return { type, uuid, parentUuid, isSidechain: false, sessionId: 's', version: '2.1.220', cwd: '/w', message, ...more }
}

function user(uuid: string, parent: string | null, content: JsonValue, more: JsonObject = {}): JsonObject {
  return line('user', uuid, parent, { role: 'user', content }, more)
}

function agent(uuid: string, parent: string, id: string, block: JsonObject, more: JsonObject = {}): JsonObject {
  return line('assistant', uuid, parent, { id, type: 'message', role: 'assistant', model: 'm', content: [block] }, more)
}

function use(id: string, name: string, input: JsonObject): JsonObject {
  return { type: 'tool_use', id, name, input }
}

function result(id: string, content: JsonValue, is_error = false): readonly JsonObject[] {
  return [{ type: 'tool_result', tool_use_id: id, content, is_error }]
}

const START = user('u1', null, 'go')
const ONE: readonly [JsonObject, JsonObject, JsonObject] = [
  START,
  agent('a1', 'u1', 'm1', use('t1', 'Bash', { command: 'echo a' })),
  user('r1', 'a1', result('t1', 'a')),
]

function outcome(text: string): ToolOutcome {
  return { value: text, text, isError: false, status: 0, missing: [] }
}

describe('real files', () => {
  it('are of another version, unless it is accepted', async () => {
    const [category, message] = await fault(read(REAL))
    expect(category).toBe('unsupported_version')
    expect(message).toContain('"1.0.0"')
    expect(message).toContain('2.1.220')
    const trajectory = await read(REAL, { acceptVersion: '1.0.0' })
    expect(trajectory).toMatchObject({ version: '1.0.0', directory: '/tmp' })
    expect(trajectory.batches.map(({ locator, modelTurns, calls }) => [locator, modelTurns, calls.map(({ name }) => name)])).toEqual([
      ['lines:4-4', 2, ['Edit']],
      ['lines:8-8', 4, ['Bash']],
    ])
    const all = new TextDecoder().decode(REAL).split('\n')
    expect(textOf(trajectory.prepared(1))).toBe(`${all.slice(0, 4).join('\n')}\n`)
    expect(textOf(trajectory.prepared(2))).toBe(`${all.slice(0, 8).join('\n')}\n`)
  })

  it('with broken lines are refused, and the line is named', async () => {
    expect(await fault(read(BROKEN, { acceptVersion: '1.0.0' }))).toEqual([
      'trajectory_error',
      'line 13 is "massive error": it has to be an object',
    ])
  })

  it('make the file that Edit made, and say the same', async () => {
    const trajectory = await read(REAL, { acceptVersion: '1.0.0' })
    const place = await toolSite({ '/tmp/other': '' }, '/tmp')
    const fresh = await runBatches(trajectory, 1, place)
    expect(fresh[0]?.[0]?.value).toBe(trajectory.batches[0]?.calls[0]?.recorded.value)
    expect(await place.text('/tmp/decorator_example.py')).toContain('@repeat(3)')
    await place.close()
  })
})

describe('what is refused', () => {
  const [first, call, answer] = ONE
  it.each<readonly [string, Uint8Array, string]>([
    ['a blank line', encode(`${JSON.stringify(first)}\n\n${JSON.stringify(call)}\n`), 'line 2 is blank'],
    ['a line that is no object', lines(first, 7), 'line 2 is 7: it has to be an object'],
    ['a line that is cut', encode(`${JSON.stringify(first)}\n{"type":`), 'line 2, column'],
    ['a line without a type', lines(first, { uuid: 'x' }), 'line 2: type is missing'],
    ['a uuid that occurs twice', lines(first, call, { ...answer, uuid: 'a1' }), 'line 3: the uuid "a1" is that of line 2, too'],
    ['two sessions', lines(first, { ...call, sessionId: 'x' }), 'the lines name 2 sessions'],
    ['content of a wrong type', lines(first, user('u2', 'u1', 5)), 'line 2: message.content has to be'],
    ['a call id that occurs twice', lines(...ONE, agent('a2', 'r1', 'm2', use('t1', 'Bash', {}))), 'the tool_use id "t1" is there twice'],
    ['two results of a call', lines(...ONE, user('r2', 'r1', result('t1', 'b'))), 'line 4: there is a result of "t1" already'],
    [
      'arguments of a wrong type',
      lines(first, agent('a1', 'u1', 'm1', { ...use('t1', 'Bash', {}), input: 'x' })),
      'line 2: tool_use.input',
    ],
  ])('%s', async (_, bytes, message) => {
    const [category, text] = await fault(read(bytes))
    expect(category).toBe('trajectory_error')
    expect(text).toContain(message)
  })

  it('a second version', async () => {
    expect((await fault(read(lines(START, { ...ONE[1], version: '2.1.219' }))))[0]).toBe('unsupported_version')
  })

  it('a tool that the server ran, in a prefix only', async () => {
    const searched = agent('a2', 'r1', 'm2', { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'x' } })
    const trajectory = await read(
      lines(...ONE, searched, agent('a3', 'a2', 'm3', use('t3', 'Bash', { command: 'echo b' })), user('r3', 'a3', result('t3', 'b'))),
    )
    expect(trajectory.batches).toHaveLength(2)
    expect(() => trajectory.checkPrefix(1)).not.toThrow()
    expect(() => trajectory.checkPrefix(2)).toThrow(/line 4: the server ran web_search/)
  })
})

describe('the conversation', () => {
  it('leaves out sidechains and other branches', async () => {
    const trajectory = await read(
      lines(
        START,
        agent('x1', 'u1', 'mx', use('tx', 'Bash', { command: 'echo left' })),
        user('x2', 'x1', result('tx', 'left')),
        agent('s1', 'u1', 'ms', use('ts', 'Bash', { command: 'echo side' }), { isSidechain: true }),
        user('u2', 'u1', 'rather so'),
        agent('a1', 'u2', 'm1', use('t1', 'Bash', { command: 'echo a' })),
        user('r1', 'a1', result('t1', 'a')),
      ),
    )
    expect(trajectory.batches.map(({ calls }) => calls.map(({ id }) => id))).toEqual([['t1']])
  })

  it('has all results of calls made at once, of which only the last one has a successor', async () => {
    const source = [
      START,
      agent('a1', 'u1', 'm1', { type: 'thinking', thinking: 'hm' }),
      agent('a2', 'a1', 'm1', use('t1', 'Bash', { command: 'echo a' })),
      agent('a3', 'a2', 'm1', use('t2', 'Bash', { command: 'echo b' })),
      user('r1', 'a2', result('t1', 'a'), { sourceToolAssistantUUID: 'a2' }),
      user('r2', 'a3', result('t2', 'b'), { sourceToolAssistantUUID: 'a3' }),
      agent('a4', 'r2', 'm2', use('t3', 'Bash', { command: 'echo c' })),
      user('r3', 'a4', result('t3', 'c')),
    ]
    const trajectory = await read(lines(...source))
    expect(trajectory.batches.map(({ locator, calls }) => [locator, calls.map(({ id, recorded }) => [id, recorded.value])])).toEqual([
      [
        'lines:2-4',
        [
          ['t1', 'a'],
          ['t2', 'b'],
        ],
      ],
      ['lines:7-7', [['t3', 'c']]],
    ])
    expect(trajectory.atif.steps.map(({ source: from }) => from)).toEqual(['user', 'agent', 'agent'])
    expect(textOf(trajectory.prepared(1))).toBe(textOf([lines(...source.slice(0, 4))]))
    const again = await read(encode(textOf(trajectory.rebuilt([[outcome('A'), outcome('B')], [outcome('C')]]))))
    expect(again.batches.map(({ calls }) => calls.map(({ recorded }) => recorded.value))).toEqual([['A', 'B'], ['C']])
  })

  it('has them where a call comes after the result of the one before, off the chain or in it', async () => {
    const calls = [agent('a1', 'u1', 'm1', use('t1', 'Bash', { command: 'echo a' })), user('r1', 'a1', result('t1', 'a'))]
    const second = agent('a2', 'a1', 'm1', use('t2', 'Bash', { command: 'echo b' }))
    const next = (parent: string): readonly JsonObject[] => [
      agent('a3', parent, 'm2', use('t3', 'Bash', { command: 'echo c' })),
      user('r3', 'a3', result('t3', 'c')),
    ]
    for (const parent of ['r1', 'r2']) {
      const source = [START, ...calls, second, user('r2', 'a2', result('t2', 'b')), ...next(parent)]
      const trajectory = await read(lines(...source))
      expect(trajectory.batches.map(({ calls: made }) => made.map(({ id }) => id))).toEqual([['t1', 't2'], ['t3']])
      // The result between the two calls is no part of what is prepared.
      expect(textOf(trajectory.prepared(1))).toBe(textOf([lines(START, calls[0] as JsonObject, second)]))
    }
  })

  it('ends with a turn that has no result', async () => {
    const trajectory = await read(
      lines(
        ...ONE,
        agent('a2', 'r1', 'm2', use('t2', 'Bash', { command: 'x' })),
        user('u3', 'a2', 'stop'),
        agent('a3', 'u3', 'm3', use('t3', 'Bash', { command: 'y' })),
        user('r3', 'a3', result('t3', 'y')),
      ),
    )
    expect(trajectory.batches.map(({ calls }) => calls[0]?.id)).toEqual(['t1'])
  })
})

describe('files that are written', () => {
  it('have what was observed now, and the turns that a model added', async () => {
    const source = [{ type: 'file-history-snapshot', messageId: 'x', snapshot: {} }, ...ONE, user('u9', 'r1', 'more')]
    const trajectory = await read(lines(...source.map((one) => ({ ...one, timestamp: '2026-01-02T03:04:05.000Z' }))))
    const place = await toolSite({ '/w/f': 'x' }, '/w')
    const fresh = await runBatches(trajectory, 1, place)
    await place.close()
    const live = {
      boundaryPrompt: 'go on',
      turns: [
        {
          text: 'I look',
          reasoning: 'hm',
          calls: [{ id: 'l1', name: 'Bash', arguments: { command: 'ls' } }],
          outcomes: [outcome('f')],
        },
        { text: 'done', reasoning: null, calls: [], outcomes: [] },
      ],
    }
    const rebuilt = textOf(trajectory.rebuilt(fresh))
    expect(rebuilt.endsWith('}\n')).toBe(true)
    const again = await read(encode(rebuilt))
    expect(again.batches).toEqual(withFresh(trajectory, fresh))
    const continued = textOf(trajectory.rebuilt(fresh, live))
    expect(continued.startsWith(rebuilt)).toBe(true)
    const added = continued
      .slice(rebuilt.length)
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one) as JsonObject)
    expect(added.map(({ type, parentUuid, sessionId, version, timestamp }) => [type, parentUuid, sessionId, version, timestamp])).toEqual(
      ['user', 'assistant', 'user', 'assistant'].map((type, i) => [
        type,
        i === 0 ? 'r1' : added[i - 1]?.uuid,
        's',
        '2.1.220',
        '2026-01-02T03:04:05.000Z',
      ]),
    )
    const gone = await read(encode(continued))
    expect(gone.batches).toHaveLength(2)
    expect(gone.batches[1]?.calls).toEqual([
      { id: 'l1', name: 'Bash', arguments: { command: 'ls' }, recorded: { value: 'f', isError: false } },
    ])
  })
})

describe('tools', () => {
  const tools = claudeTools()

  it('are run again, only told again, or neither', () => {
    for (const name of ['Bash', 'Edit', 'Glob', 'Grep', 'MultiEdit', 'Read', 'Write']) expect(tools.support(name, {})).toBe('fresh')
    for (const name of ['Agent', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskUpdate', 'TodoWrite'])
      expect(tools.support(name, {})).toBe('stale')
    for (const name of ['WebFetch', 'mcp__x__y', 'toString']) expect(tools.support(name, {})).toBe('unsupported')
  })

  it('say what the agent says', async () => {
    const place = await toolSite({ '/w/a.txt': 'one\ntwo\nthree', '/w/d/b.txt': 'two\n', '/w/d/c.md': 'x\n' }, '/w')
    const say = async (name: string, given: JsonObject): Promise<readonly [string, boolean]> => {
      const { text, isError } = await place.call(tools, name, given)
      return [text, isError]
    }
    expect(await say('Read', { file_path: '/w/a.txt' })).toEqual(['     1\tone\n     2\ttwo\n     3\tthree', false])
    expect(await say('Read', { file_path: '/w/a.txt', offset: 2, limit: 1 })).toEqual(['     2\ttwo', false])
    expect(await say('Read', { file_path: '/w/none' })).toEqual(['<tool_use_error>File does not exist.</tool_use_error>', true])
    expect(await say('Write', { file_path: '/w/n/new', content: 'x' })).toEqual(['File created successfully at: /w/n/new', false])
    expect(await say('Edit', { file_path: '/w/a.txt', old_string: 'two', new_string: '$& 2' })).toEqual([
      'The file /w/a.txt has been updated successfully.',
      false,
    ])
    expect(await place.text('/w/a.txt')).toBe('one\n$& 2\nthree')
    expect(await say('Edit', { file_path: '/w/a.txt', old_string: 'four', new_string: '4' })).toEqual([
      '<tool_use_error>String to replace not found in file.\nString: four</tool_use_error>',
      true,
    ])
    const edits = [
      { old_string: 'one', new_string: '1' },
      { old_string: 'nowhere', new_string: '3' },
    ]
    expect((await say('MultiEdit', { file_path: '/w/a.txt', edits }))[1]).toBe(true)
    expect(await place.text('/w/a.txt')).toBe('one\n$& 2\nthree')
    expect(await say('Glob', { pattern: '**/*.txt' })).toEqual(['/w/a.txt\n/w/d/b.txt', false])
    expect(await say('Glob', { pattern: '*.rs' })).toEqual(['No files found', false])
    expect(await say('Grep', { pattern: 't(wo|hree)' })).toEqual(['Found 2 files\na.txt\nd/b.txt', false])
    expect(await say('Grep', { pattern: 'two', path: 'd', output_mode: 'content' })).toEqual(['d/b.txt:1:two', false])
    expect(await say('Bash', { command: 'echo a; echo b >&2; exit 3' })).toEqual(['Exit code 3\na\nb', true])
    expect(await say('Bash', { command: 'cd d; X=1' })).toEqual(['', false])
    expect(await say('Bash', { command: 'pwd' })).toEqual(['/w/d', false])
    await place.close()
  })

  it('search as ripgrep does', async () => {
    const files = {
      '/w/a.ts': 'x = 12\ny\n',
      '/w/d/b.tsx': 'x = 3\n',
      '/w/d/c.py': 'x = 4\n',
      '/w/.git/x.ts': 'x = 5\n',
      '/w/.h.ts': 'x = 6\n',
    }
    const place = await toolSite(files, '/w')
    const found = async (given: JsonObject): Promise<string> => (await place.call(tools, 'Grep', given)).text
    const listed = async (given: JsonObject): Promise<readonly string[]> =>
      (await found({ pattern: 'x', ...given })).split('\n').slice(1).sort()
    expect(await listed({})).toEqual(['.h.ts', 'a.ts', 'd/b.tsx', 'd/c.py'])
    expect(await listed({ glob: '*.{ts,tsx}' })).toEqual(['.h.ts', 'a.ts', 'd/b.tsx'])
    expect(await listed({ glob: '**/*.py' })).toEqual(['d/c.py'])
    expect(await listed({ glob: '*.{ts,js}, *.py' })).toEqual(['.h.ts', 'a.ts', 'd/c.py'])
    expect(await listed({ glob: '!*.{ts,tsx}' })).toEqual(['d/c.py'])
    expect(await listed({ type: 'py' })).toEqual(['d/c.py'])
    expect(await listed({ type: 'ts' })).toEqual(['.h.ts', 'a.ts', 'd/b.tsx'])
    expect((await place.call(tools, 'Grep', { pattern: 'x', type: 'nothing' })).isError).toBe(true)
    // A file alone isn't named.
    expect(await found({ pattern: '\\d{2}', path: 'a.ts', output_mode: 'content' })).toBe('1:x = 12')
    expect(await found({ pattern: '[\\d]+?$', path: '/w/d/c.py', output_mode: 'content', '-n': false })).toBe('x = 4')
    await place.close()
  })

  it('list a hundred names, and say that there are more', async () => {
    const names = Array.from({ length: 101 }, (_, i) => `/w/${String(i).padStart(3, '0')}.txt`)
    const place = await toolSite(Object.fromEntries(names.map((name) => [name, ''])), '/w')
    expect((await place.call(tools, 'Glob', { pattern: '*.txt' })).text).toBe(
      [...names.slice(0, 100), '(Results are truncated. Consider using a more specific path or pattern.)'].join('\n'),
    )
    await place.close()
  })
})
