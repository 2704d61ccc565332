import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hostExecutor } from '../../../platforms/node/index.ts'
import { encode } from '../../../src/bytes.ts'
import type { ReadOptions } from '../../../src/replay/adapter.ts'
import { sweAgent } from '../../../src/replay/adapters/swe-agent.ts'
import { adapterFor } from '../../../src/replay/adapters.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import type { LiveCall, Trajectory } from '../../../src/replay/trajectory.ts'
import { bytesOf, miniFile } from './mini-file.ts'
import type { ToolSite } from './tool-site.ts'
import { runBatches, runCalls, textOf, toolSite, withFresh } from './tool-site.ts'

const REAL = new Uint8Array(readFileSync(new URL('data/swe-agent-test-repo.traj', import.meta.url)))
const REPOSITORY = '/SWE-agent__test-repo'
const MISSING_COLON = `#!/usr/bin/env python3


def division(a: float, b: float) -> float
    return a/b


if __name__ == "__main__":
    print(division(123, 15))
`

async function read(bytes: Uint8Array, options: ReadOptions = {}, agent = 'auto'): Promise<Trajectory> {
  const source = new TrajectorySource(bytes)
  const adapter = await adapterFor(agent, source)
  expect(adapter.agent).toBe('swe-agent')
  return adapter.read(source, options)
}

/** A trajectory of actions and what was observed of each; one without an observation has null. */
function sweFile(turns: readonly (readonly [action: string, observation: JsonValue | null])[], more: JsonObject = {}): Uint8Array {
  return bytesOf({
    environment: 'main',
    trajectory: turns.map(([action, observation]) => ({
      action,
      ...(observation === null ? {} : { observation }),
      response: `I do ${action}`,
      thought: `so: ${action}`,
      execution_time: 0.5,
      state: { open_file: 'n/a', working_dir: '/w' },
    })),
    history: [
      { role: 'system', content: 'S', agent: 'main', message_type: 'system_prompt' },
      { role: 'user', content: 'T', agent: 'main', message_type: 'observation' },
      ...turns.flatMap(([action, observation]): JsonObject[] => [
        { role: 'assistant', content: `I do ${action}`, action, agent: 'main', message_type: 'action' },
        ...(observation === null ? [] : [{ role: 'user', content: observation, agent: 'main', message_type: 'observation' }]),
      ]),
    ],
    info: {},
    replay_config: '{"agent":{"tools":{"env_variables":{"WINDOW":10,"OVERLAP":2},"execution_timeout":5}}}',
    ...more,
  })
}

describe('a real file', () => {
  it('has the calls that the model made, and where the shell began', async () => {
    const trajectory = await read(REAL)
    expect(trajectory).toMatchObject({ version: '1.1.0', directory: REPOSITORY, callTimeoutMs: 30_000 })
    expect(
      trajectory.batches.map(({ step, locator, modelTurns, calls }) => [step, locator, modelTurns, calls[0]?.name, calls[0]?.arguments]),
    ).toEqual([
      [2, 'trajectory:0', 1, 'find_file', { file_name: 'missing_colon.py' }],
      [3, 'trajectory:1', 2, 'open', { path: `${REPOSITORY}/tests/missing_colon.py` }],
      [
        4,
        'trajectory:2',
        3,
        'edit',
        {
          search: 'def division(a: float, b: float) -> float',
          replace: 'def division(a: float, b: float) -> float:',
          'replace-all': false,
        },
      ],
      [5, 'trajectory:3', 4, 'bash', { command: `python3 ${REPOSITORY}/tests/missing_colon.py` }],
    ])
    expect(trajectory.batches[0]?.calls[0]?.id).toBe('call_fJuazlMUN5fQDQ73G6XSpYpx')
    expect(trajectory.atif.agent).toEqual({ name: 'swe-agent', version: '1.1.0', model_name: 'gpt-4o' })
    expect(trajectory.toolset.definitions.map(({ name }) => name)).toEqual([
      'bash',
      'open',
      'goto',
      'scroll_down',
      'scroll_up',
      'create',
      'find_file',
      'search_dir',
      'search_file',
      'edit',
      'insert',
      'submit',
    ])
  })

  it('gives each observation again to the byte but that of Python, which is missing', async () => {
    const trajectory = await read(REAL)
    const place = await toolSite({ [`${REPOSITORY}/tests/missing_colon.py`]: MISSING_COLON, [`${REPOSITORY}/setup.py`]: '' }, REPOSITORY)
    const fresh = await runBatches(trajectory, 4, place)
    const recorded = trajectory.batches.map(({ calls }) => calls[0]?.recorded)
    expect(fresh.slice(0, 3).map(([outcome]) => ({ value: outcome?.value, isError: outcome?.isError }))).toEqual(recorded.slice(0, 3))
    expect(fresh[2]?.[0]?.missing).toEqual(['python'])
    expect(fresh[3]?.[0]).toMatchObject({ value: expect.stringContaining('not found'), missing: ['python3'], status: 127 })
    expect(await place.text(`${REPOSITORY}/tests/missing_colon.py`)).toBe(MISSING_COLON.replace('-> float\n', '-> float:\n'))
    const document = JSON.parse(new TextDecoder().decode(REAL)) as { history: { content: string }[]; trajectory: JsonObject[] }
    const [, , , , , shown] = document.history
    expect(fresh[1]?.[0]?.text).toBe(shown?.content.replaceAll('\r\n', '\n'))
    const text = textOf(trajectory.rebuilt(fresh))
    expect((await read(encode(text))).batches).toEqual(withFresh(trajectory, fresh))
    const rebuilt = JSON.parse(text) as typeof document
    expect([rebuilt.trajectory.length, rebuilt.history.length]).toEqual([4, 10])
    expect(rebuilt.trajectory.map(({ state }) => state)).toEqual(document.trajectory.slice(0, 4).map(({ state }) => state))
  })

  it('is prepared without what came of its last action, all else as it was', async () => {
    const trajectory = await read(REAL)
    const text = new TextDecoder().decode(REAL)
    const prepared = textOf(trajectory.prepared(1))
    const before = JSON.parse(text) as { trajectory: JsonObject[]; history: JsonObject[] }
    const after = JSON.parse(prepared) as typeof before
    const { action, response, thought } = before.trajectory[0] as JsonObject
    expect(after).toEqual({ ...before, trajectory: [{ action, response, thought }], history: before.history.slice(0, 3) })
    const tail = text.slice(text.indexOf('"info":'))
    expect(tail.length).toBeGreaterThan(1000)
    expect(prepared.endsWith(tail)).toBe(true)
    expect((await read(encode(prepared))).batches).toEqual([])
    const third = JSON.parse(textOf(trajectory.prepared(3))) as typeof before
    expect(third.trajectory.slice(0, 2)).toEqual(before.trajectory.slice(0, 2))
    expect(third.history).toEqual(before.history.slice(0, 7))
  })
})

describe('reading', () => {
  it('pairs entries with what the agent said, and ends at the first without an observation', async () => {
    const trajectory = await read(
      sweFile([
        ['ls', 'a'],
        ['cd /', ''],
        ['pwd', null],
        ['ls', 'b'],
      ]),
    )
    expect(trajectory.batches).toEqual([
      {
        step: 2,
        locator: 'trajectory:0',
        modelTurns: 1,
        calls: [{ id: 'swe-agent-1', name: 'bash', arguments: { command: 'ls' }, recorded: { value: 'a', isError: false } }],
      },
      {
        step: 3,
        locator: 'trajectory:1',
        modelTurns: 2,
        calls: [{ id: 'swe-agent-2', name: 'bash', arguments: { command: 'cd /' }, recorded: { value: '', isError: false } }],
      },
    ])
    expect(trajectory.directory).toBe('/w')
    expect(trajectory.atif.steps.map(({ source, message }) => [source, message])).toEqual([
      ['system', 'S'],
      ['user', 'T'],
      ['agent', 'so: ls'],
      ['agent', 'so: cd /'],
      ['agent', 'so: pwd'],
      ['agent', 'so: ls'],
      ['user', 'b'],
    ])
  })

  it('has no more steps than the history has answers, of which demonstrations are none', async () => {
    const demo = { role: 'assistant', content: 'D', is_demo: true, agent: 'main', message_type: 'demonstration' }
    const answer = { role: 'assistant', content: 'A', action: 'b', agent: 'main' }
    const file = sweFile(
      [
        ['a', '1'],
        ['b', '2'],
      ],
      { history: [demo, { role: 'user', content: 'T' }, answer, { role: 'user', content: '1' }] },
    )
    expect((await read(file)).batches.map(({ locator }) => locator)).toEqual(['trajectory:0'])
  })

  it('counts a turn without an action, which is no step', async () => {
    const trajectory = await read(
      sweFile([
        ['a', '1'],
        ['', ''],
        ['b', '2'],
      ]),
    )
    expect(trajectory.batches.map(({ locator, modelTurns }) => [locator, modelTurns])).toEqual([
      ['trajectory:0', 1],
      ['trajectory:2', 3],
    ])
  })

  it('refuses to go beyond the end of the work, and minds none after the prefix', async () => {
    const trajectory = await read(
      sweFile([
        ['submitted', '1'],
        ['  submit', '2'],
        ['exit_forfeit', '3'],
      ]),
    )
    expect(() => trajectory.checkPrefix(1)).not.toThrow()
    expect(() => trajectory.checkPrefix(2)).toThrow(
      expect.objectContaining({ category: 'unsupported_version', message: expect.stringContaining('trajectory:1') }),
    )
  })

  it('is for one version, where the file says which', async () => {
    expect((await read(sweFile([['a', '']], { info: { swe_agent_version: '1.1.0' } }))).version).toBe('1.1.0')
    const other = sweFile([['a', '']], { info: { swe_agent_version: '1.0.1' } })
    await expect(read(other)).rejects.toMatchObject({
      category: 'unsupported_version',
      message: expect.stringContaining('info.swe_agent_version'),
    })
    expect((await read(other, { acceptVersion: 'any' })).version).toBe('1.0.1')
  })

  it('says of a demonstration that it has no steps', async () => {
    const demonstration = bytesOf({ history: [{ role: 'user', content: 'T', agent: 'main', is_demo: true }] })
    await expect(read(demonstration)).rejects.toMatchObject({
      category: 'trajectory_error',
      message: expect.stringContaining('a demonstration'),
    })
  })

  const good = JSON.parse(new TextDecoder().decode(sweFile([['a', '1']]))) as JsonObject
  const [entry] = good.trajectory as JsonObject[]
  const answered = (calls: JsonValue): JsonObject => ({
    ...good,
    history: [{ role: 'assistant', content: '', action: 'a', tool_calls: calls }],
  })
  it.each<readonly [string, JsonValue, RegExp]>([
    ['no object', [], /^the trajectory is an array/],
    ['no history', { trajectory: [], replay_config: {} }, /^history is missing/],
    ['neither', { replay_config: {} }, /^trajectory is missing/],
    ['a trajectory that is no array', { ...good, trajectory: {} }, /^trajectory is an object/],
    ['an entry that is no object', { ...good, trajectory: [entry as JsonObject, 'x'] }, /^trajectory\[1\] is "x"/],
    ['no action', { ...good, trajectory: [{}] }, /^trajectory\[0\]\.action is missing/],
    ['an action that is no text', { ...good, trajectory: [{ action: 1 }] }, /^trajectory\[0\]\.action is 1/],
    [
      'an observation that is no text',
      { ...good, trajectory: [{ ...entry, observation: [] }] },
      /^trajectory\[0\]\.observation is an array/,
    ],
    ['a response that is no text', { ...good, trajectory: [{ ...entry, response: 7 }] }, /^trajectory\[0\]\.response is 7/],
    ['an item that is no object', { ...good, history: [null] }, /^history\[0\] is null/],
    ['an item without a role', { ...good, history: [{ content: '' }] }, /^history\[0\]\.role is missing/],
    ['no replay_config', { ...good, replay_config: null }, /^replay_config is null/],
    ['a replay_config of another type', { ...good, replay_config: 5 }, /^replay_config is 5/],
    ['information that is no object', { ...good, info: 'x' }, /^info is "x"/],
    ['a call that is no object', answered([1]), /^history\[0\]\.tool_calls\[0\] is 1/],
    ['a function without a name', answered([{ function: {} }]), /^history\[0\]\.tool_calls\[0\]\.function\.name is missing/],
    [
      'arguments that are no JSON',
      answered([{ function: { name: 'open', arguments: '{' } }]),
      /^history\[0\]\.tool_calls\[0\]\.function\.arguments holds no JSON/,
    ],
  ])('refuses %s, and says where', async (_, file, message) => {
    await expect(read(bytesOf(file), {}, 'swe-agent')).rejects.toMatchObject({
      category: 'trajectory_error',
      message: expect.stringMatching(message),
    })
  })

  it('takes no other file for its own', () => {
    for (const other of [miniFile([]), bytesOf([]), bytesOf({ history: [] }), bytesOf({ history: [{ role: 'user', content: 'x' }] })])
      expect(sweAgent.recognises(new TrajectorySource(other))).toBe(false)
  })
})

describe('running again', () => {
  const LINES = `${Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n')}\n`

  async function place(): Promise<{ readonly at: ToolSite; do(line: string): Promise<unknown> }> {
    const { toolset } = await read(sweFile([['a', '']]))
    const at = await toolSite(
      { '/w/long.txt': LINES, '/w/src/a.txt': 'one\ntwo one\n', '/w/.hidden/a.txt': 'one\n', '/w/src/b.txt': 'one\n' },
      '/w',
    )
    return { at, do: async (line) => (await at.call(toolset, 'bash', { command: line })).value }
  }

  it('moves a window over the open file', async () => {
    const { do: act } = await place()
    const shown = (first: number, above: number, below: number): string =>
      [
        '[File: /w/long.txt (41 lines total)]',
        ...(above > 0 ? [`(${above} more lines above)`] : []),
        ...Array.from({ length: 10 }, (_, i) => `${first + i}:line ${first + i}`),
        `(${below} more lines below)`,
      ].join('\n')
    expect(await act('goto 3')).toBe('No file open. Use the open command first.')
    expect(await act('open long.txt')).toBe(shown(1, 0, 31).replace('/w/long.txt', 'long.txt'))
    expect(await act('goto 20')).toBe(shown(18, 17, 14))
    expect(await act('scroll_down')).toBe(shown(26, 25, 6))
    expect(await act('scroll_up; scroll_up')).toBe(`${shown(18, 17, 14)}\n${shown(10, 9, 22)}`)
    expect(await act('goto 99')).toBe('Error: <line> must be less than or equal to 41')
    expect(await act('open nowhere')).toBe('Error: File nowhere not found')
    expect(await act('open /w/src')).toMatch(/^Error: \/w\/src is a directory\./)
  })

  it('edits what is shown, or all', async () => {
    const { at, do: act } = await place()
    expect(await act('edit a b')).toBe('No file open. Use the open command first.')
    await act('cd src && open a.txt')
    expect(await act('edit one 1')).toBe(
      'Replaced 1 occurrences. Please review the changes and make sure they are correct\n(correct indentation, no duplicate lines, etc). Edit the file again if necessary.\n[File: /w/src/a.txt (3 lines total)]\n1:1\n2:two one\n3:',
    )
    expect(await act('edit "$(printf o)" 0 True')).toMatch(/^Replaced 2 occurrences\./)
    expect(await at.text('/w/src/a.txt')).toBe('1\ntw0 0ne\n')
    expect(await act("edit 'nothing' 'x'")).toMatch(
      /^Your edit was not applied \(file not modified\): Text 'nothing' not found in displayed lines \(or anywhere/,
    )
    await act('open /w/long.txt')
    expect(await act("edit 'line 33' x")).toContain('- line 33\n')
    expect(await act('insert "new\nlines" --line 2')).toContain('2:line 2\n3:new\n4:lines\n5:line 3')
    expect(await act('edit 1:5\nfirst\nend_of_edit')).toContain('1:first\n2:line 4')
    expect(await act('create /w/new/file.txt')).toBe('[File: /w/new/file.txt (2 lines total)]\n1:\n2:')
    expect(await act('create /w/new/file.txt')).toBe("Warning: File '/w/new/file.txt' already exists.")
  })

  it('edits lines, or all that is shown, where the agent has that', async () => {
    const { at, do: act } = await place()
    const tools = async (bundle: string): Promise<Trajectory['toolset']> => {
      const config = { agent: { tools: { bundles: [{ path: `tools/${bundle}` }], env_variables: { WINDOW: 3 } } } }
      return (await read(sweFile([['a', '']], { replay_config: config }))).toolset
    }
    const byLines = await tools('windowed_edit_linting')
    expect(byLines.definitions.map(({ name }) => name)).toEqual(['bash', 'edit', 'submit'])
    await act('open /w/long.txt')
    await at.call(byLines, 'edit', { start_line: 2, end_line: 3, replacement_text: 'two' })
    await at.call(byLines, 'bash', { command: 'edit 1:1 one' })
    expect((await at.call(byLines, 'edit', { start_line: 9, end_line: 3, replacement_text: '' })).value).toMatch(/^Error: the lines 9:3/)
    const byWindow = await tools('windowed_edit_rewrite')
    await at.call(byWindow, 'edit', { text: 'all of it' })
    expect((await at.text('/w/long.txt')).split('\n').slice(0, 3)).toEqual(['all of it', 'line 5', 'line 6'])
  })

  it('searches names and texts', async () => {
    const { do: act } = await place()
    expect(await act('find_file "*.txt" src')).toMatch(
      /^Found 2 matches for "\*\.txt" in \/w\/src:\n\/w\/src\/[ab]\.txt\n\/w\/src\/[ab]\.txt$/,
    )
    expect(await act('find_file nothing')).toBe('No matches found for "nothing" in /w')
    expect(await act('find_file x /nowhere')).toBe('Directory /nowhere not found')
    expect(await act('search_dir one')).toBe(
      'Found 3 matches for "one" in /w:\n/w/src/a.txt (2 matches)\n/w/src/b.txt (1 matches)\nEnd of matches for "one" in /w',
    )
    expect(await act('search_dir nothing')).toBe('No matches found for "nothing" in /w')
    expect(await act('search_file one')).toBe('No file open. Use the open command first.')
    expect(await act('search_file "^t.*o" src/a.txt')).toBe(
      'Found 1 matches for "^t.*o" in /w/src/a.txt:\nLine 2:two one\nEnd of matches for "^t.*o" in /w/src/a.txt',
    )
    expect(await act('search_file nothing src/a.txt')).toBe('No matches found for "nothing" in /w/src/a.txt')
  })

  it('does the same with processes of the host', async () => {
    const { toolset } = await read(sweFile([['a', '']]))
    const at = await toolSite({ '/w/src/a.txt': 'one\ntwo one\n' }, '/w', { executor: hostExecutor() })
    const act = async (command: string): Promise<unknown> => (await at.call(toolset, 'bash', { command })).value
    expect(await act('cd src && open a.txt')).toBe('[File: a.txt (3 lines total)]\n1:one\n2:two one\n3:')
    expect(await act('edit two 2')).toContain('[File: /w/src/a.txt (3 lines total)]\n1:one\n2:2 one')
    expect(await act('cat a.txt')).toBe('one\n2 one')
    expect(await act('find_file a.*')).toBe('Found 1 matches for "a.txt" in /w/src:\n/w/src/a.txt')
    expect(await act('search_dir one /w')).toContain('/w/src/a.txt (2 matches)')
    expect(await act('search_file one')).toContain('Found 2 matches for "one" in /w/src/a.txt:\nLine 1:one\n')
    expect((await at.call(toolset, 'bash', { command: 'cd /w 2>/dev/null || cd ..' })).native).toEqual({
      open_file: '/w/src/a.txt',
      working_dir: '/w',
    })
    await at.close()
  })

  it.each([
    ['our machine', undefined],
    ['processes of the host', hostExecutor()],
  ] as const)('names files as the agent did where they are elsewhere, with %s', async (_, executor) => {
    const trajectory = await read(REAL)
    const files = { '/elsewhere/tests/missing_colon.py': MISSING_COLON }
    const at = await toolSite(files, '/elsewhere', { recorded: REPOSITORY, ...(executor === undefined ? {} : { executor }) })
    const fresh = await runBatches(trajectory, 3, at)
    expect(fresh.map(([outcome]) => outcome?.value)).toEqual(trajectory.batches.slice(0, 3).map(({ calls }) => calls[0]?.recorded.value))
    expect(fresh[2]?.[0]?.native).toEqual({ open_file: `${REPOSITORY}/tests/missing_colon.py`, working_dir: REPOSITORY })
    expect(
      (await at.call(trajectory.toolset, 'bash', { command: 'cd tests; open missing_colon.py; search_file division' })).value,
    ).toContain(`in ${REPOSITORY}/tests/missing_colon.py:\r\nLine 4:def`)
    await at.close()
  })

  it('keeps the shell, and names what it lacks', async () => {
    const { at, do: act } = await place()
    expect(await act('x=5; cd src; ls')).toBe('a.txt\nb.txt')
    expect(await act('echo $x $WINDOW; pwd')).toBe('5 10\n/w/src')
    const { toolset } = await read(sweFile([['a', '']]))
    expect(await at.call(toolset, 'bash', { command: 'pip install x; open a.txt || true' })).toMatchObject({ missing: ['pip'] })
    expect(await at.call(toolset, 'bash', { command: "echo 'open" })).toMatchObject({ isError: false })
  })

  it('runs the editor by words, and by a function', async () => {
    const { at, do: act } = await place()
    const { toolset } = await read(sweFile([['a', '']]))
    expect(await act("str_replace_editor create /w/n.txt --file_text 'a\nb'")).toBe('File created successfully at: /w/n.txt')
    expect(await act('str_replace_editor view /w/n.txt --view_range 2 2')).toBe(
      "Here's the result of running `cat -n` on /w/n.txt:\n     2\tb",
    )
    const { value } = await at.call(toolset, 'str_replace_editor', { command: 'insert', path: '/w/n.txt', insert_line: 1, new_str: 'x' })
    expect(value).toContain('     1\ta\n     2\tx\n     3\tb\n')
    expect(await act('str_replace_editor view /w/nowhere')).toBe('The path /w/nowhere does not exist. Please provide a valid path.')
  })

  it('says in its own words what was cut off at the time limit', async () => {
    const trajectory = await read(
      sweFile([['a', '']], {
        replay_config: {
          agent: { tools: { execution_timeout: 7 }, templates: { command_cancelled_timeout_template: 'no: {command!r}, {{timeout}}' } },
        },
      }),
    )
    expect(trajectory.callTimeoutMs).toBe(7000)
    const { site } = await toolSite({}, '/')
    const outcome = await trajectory.toolset.run(
      { id: 'x', name: 'bash', arguments: { command: "echo 'a'; sleep 60" } },
      { ...site, shell: (line, options) => site.shell(line, { ...options, ...(line.includes('sleep') ? { timeoutMs: 300 } : {}) }) },
    )
    expect(outcome).toMatchObject({ value: `no: "echo 'a'; sleep 60", 7`, status: -1 })
  })

  it('writes what a model did after the boundary', async () => {
    const trajectory = await read(
      sweFile([
        ['ls', 'a'],
        ['pwd', '/w'],
      ]),
    )
    const { site } = await toolSite({ '/w/f.txt': 'one\n' }, '/w')
    const fresh = await runBatches(trajectory, 1, { site })
    const calls: readonly LiveCall[] = [
      { id: 'l1', name: 'open', arguments: { path: 'f.txt' } },
      { id: 'l2', name: 'edit', arguments: { search: 'one', replace: "it's" } },
      { id: 'l3', name: 'bash', arguments: { command: 'cat f.txt' } },
      { id: 'l4', name: 'str_replace_editor', arguments: { command: 'view', path: '/w/f.txt', view_range: [1, 1] } },
    ]
    const outcomes = await runCalls(trajectory.toolset, calls, { site })
    const text = textOf(
      trajectory.rebuilt(fresh, {
        boundaryPrompt: 'go on',
        turns: [
          { text: 'now', reasoning: null, calls: calls.slice(0, 2), outcomes: outcomes.slice(0, 2) },
          { text: 'then', reasoning: null, calls: calls.slice(2), outcomes: outcomes.slice(2) },
          { text: 'done', reasoning: null, calls: [], outcomes: [] },
        ],
      }),
    )
    const again = await read(encode(text))
    expect(again.batches.slice(0, 1)).toEqual(withFresh(trajectory, fresh))
    expect(again.batches.slice(1).map((batch) => batch.calls[0])).toEqual(
      calls.map((call, i) => ({ ...call, recorded: { value: outcomes[i]?.value, isError: false } })),
    )
    const { trajectory: entries } = JSON.parse(text) as { trajectory: { action: string }[] }
    expect(entries.map(({ action }) => action)).toEqual([
      'ls',
      "open 'f.txt'",
      `edit 'one' 'it'\\''s'`,
      'cat f.txt',
      "str_replace_editor 'view' '/w/f.txt' --view_range 1 1",
      '',
    ])
    expect(again.atif.steps.map(({ message }) => message)).toEqual(['S', 'T', 'so: ls', 'go on', 'now', '', 'then', '', 'done'])
  })
})
