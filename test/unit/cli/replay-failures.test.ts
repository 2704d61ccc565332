import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { earlyFailure } from '../../../src/replay/early-failure.ts'
import { FLAGS, miniDocument, PREPARE, replayCases, writeTrajectory } from './replay-case.ts'

const at = replayCases()

/** A failure before anything was written, as it is printed. */
function early(category: string, message: string | RegExp, runId: string | null = 'r'): unknown {
  return {
    schema_version: 'sandbox-playback.result/v3',
    phase: null,
    quality: null,
    agent_status: 'not_started',
    run_id: runId,
    state_dir: runId === null ? null : join(at.root, 'state', runId),
    output_dir: runId === null ? null : join(at.root, 'output', runId),
    artifacts: [],
    failure: { category, message: typeof message === 'string' ? message : expect.stringMatching(message) },
    retryable: false,
  }
}

function untouched(): readonly string[] {
  return ['state', 'output', 'runs'].filter((name) => existsSync(join(at.root, name)))
}

type Case = readonly [name: string, flags: readonly string[], message: string | RegExp]

describe('what is asked and can not be', () => {
  const replayed = [...FLAGS, '--after-step', '1', '--replay-only']
  const cases: readonly Case[] = [
    ['step 0', [...FLAGS, '--after-step', '0', '--prepare-only'], 'after-step is 0: it has to be a whole number, 1 or more'],
    ['a step beyond numbers', [...FLAGS, '--after-step', '99999999999999999999', '--prepare-only'], /^after-step is 1/],
    ['no turns', [...replayed, '--max-steps', '0'], 'max-steps is 0: it has to be a whole number, 1 or more'],
    [
      'too few turns',
      [...FLAGS, '--after-step', '2', '--replay-only', '--max-steps', '1'],
      /^max-steps is 1: the prefix has 2 turns of the model/,
    ],
    [
      'an empty prompt',
      [...replayed, '--boundary-user-prompt', ' \n\t'],
      /^boundary-user-prompt is .*: it has to be more than white space$/,
    ],
    ['a session of two lines', [...replayed, '--session-id', 'a\nb'], /^session-id is "a\\nb": it has to be a text without line ends/],
    ['tools of Claude', [...replayed, '--agent-disallowed-tool', 'Bash'], 'disallowed tools are for claude-code, not for mini-swe-agent'],
    ['no time', [...replayed, '--timeout-ms', '0'], /^timeout-ms is 0: /],
    ['a path that is none', [...replayed, '--mount-at', 'a/../b'], /^mount-at is "a\/\.\.\/b": it has to be an absolute path/],
    ['a path of programs', [...replayed, '--mount-at', '/usr/bin/x'], /^mount-at is /],
    ['a report of nothing', [...PREPARE, '--report', 'f'], /^report: nothing is run with prepare-only/],
    [
      'no such file',
      ['--agent', 'auto', '--trajectory', 'nowhere', '--after-step', '1', '--prepare-only'],
      /nowhere can't be read: No such file or directory$/,
    ],
  ]

  test.each(cases)('%s: configuration_error', async (_, flags, message) => {
    writeTrajectory([
      ['echo 1 > ran', ''],
      ['echo 2 > ran', ''],
    ])
    const { status, result } = await at.replay(...flags, '--run-id', 'r')
    expect({ status, result }).toEqual({ status: 2, result: early('configuration_error', message) })
    expect(untouched()).toEqual([])
  })

  test.each(['a b', 'ä', '../r', 'a/b', 'x'.repeat(129)])('the run id %j: configuration_error', async (id) => {
    writeTrajectory([['true', '']])
    const { status, result } = await at.replay(...PREPARE, '--run-id', id)
    expect({ status, failure: result.failure }).toMatchObject({
      status: 2,
      failure: { category: 'configuration_error', message: expect.stringMatching(/^run-id is /) },
    })
    expect(untouched()).toEqual([])
  })

  const incomplete: readonly Case[] = [
    ['an agent', ['--trajectory', 'trajectory.json', '--after-step', '1'], 'agent is missing: give --agent NAME'],
    ['a trajectory', ['--agent', 'auto', '--after-step', '1'], 'trajectory is missing: give --trajectory FILE'],
    ['a step', [...FLAGS], 'after_step is missing: give --after-step N'],
    [
      'a name of the model',
      [...FLAGS, '--after-step', '1', '--model-endpoint', 'http://127.0.0.1:1'],
      /^a model is named by both --model-endpoint/,
    ],
    [
      'a URL',
      [...FLAGS, '--after-step', '1', '--model-endpoint', 'localhost', '--model', 'm'],
      /^model-endpoint is "localhost": it has to be a URL/,
    ],
    [
      'an agent that is known',
      ['--agent', 'other', ...PREPARE.slice(2)],
      /^there is no agent "other"; it may be mini-swe-agent, .*, or auto$/,
    ],
  ]

  test.each(incomplete)('without %s: configuration_error', async (_, flags, message) => {
    writeTrajectory([['true', '']])
    expect(await at.replay(...flags)).toEqual({ status: 2, result: early('configuration_error', message, null) })
    expect(untouched()).toEqual([])
  })

  test.each([
    ['--agent-entrypoint', '/bin/agent'],
    ['--agent-runtime', 'dir'],
    ['--trajectory-assets', 'dir'],
    ['--safe'],
    ['--policy', 'p'],
    ['--inherit-env'],
    ['--pass-env', 'HOME'],
    ['--overlayfs-path', 'd'],
    ['--overlayfs-compose', 'd'],
    ['--overlayfs-commit', 'd'],
    ['--overlaynet'],
    ['--overlaynet=deny'],
    ['--overlaynet-policy', 'p'],
    ['--executor', 'vm'],
    ['--executor', 'container'],
    ['--executor', 'host', '--mount-at', '/x'],
  ])('%s is refused', async (...flags) => {
    writeTrajectory([['true', '']])
    const { status, result } = await at.replay(...PREPARE, ...flags)
    expect({ status, result }).toEqual({ status: 2, result: early('configuration_error', /^CAPABILITY_UNSUPPORTED: /, null) })
    expect(untouched()).toEqual([])
  })

  test.each([
    ['--after-step x', "option '--after-step' holds 'x'; it may hold a whole number"],
    ['--after-step -1', "option '--after-step' holds '-1'; it may hold a whole number"],
    ['--after-step', "option '--after-step' needs a value: N"],
    ['--prepare-only --replay-only', 'replay: --prepare-only and --replay-only do not go together'],
    ['--prepare-only=yes', "option '--prepare-only' takes no value"],
    ['--config c --request r', 'replay: --config does not go with --request: the file says all of it'],
    ['--config c --state-dir d', 'replay: --config does not go with --state-dir: the file says all of it'],
    ['--request c --prepare-only', 'replay: --request does not go with --prepare-only: the file says all of it'],
    ['--nothing', "unknown option '--nothing' of replay"],
    ['word', "replay: too many operands: 'word'"],
    ['-- word', 'replay takes no command'],
  ])('mirage replay %s is no command line', async (line, message) => {
    let out = ''
    await expect(
      at.mirage('replay', ...line.split(' ')).then(({ out: text }) => {
        out += text
      }),
    ).rejects.toThrow(message)
    expect(out).toBe('')
  })

  test.each([
    ['no.toml', null, /no\.toml: No such file or directory$/],
    ['c.toml', '[replay', /c\.toml: line 1, column \d+: /],
    ['c.toml', 'x = 1', /c\.toml: x is not known; it may be \[replay\]$/],
    ['c.toml', '', /c\.toml: it has to have a table \[replay\]$/],
    ['c.toml', '[gateway]\n[replay]', /c\.toml: gateway is not known/],
    ['c.toml', '[replay]\nagents = "a"', /c\.toml: replay\.agents is not known; it may be agent, /],
    ['c.toml', '[replay]\nafter_step = "1"', /c\.toml: replay\.after_step holds "1"; it may hold a whole number$/],
    ['c.toml', '[replay]\nprepare_only = 1', /c\.toml: replay\.prepare_only holds 1; it may hold true or false$/],
    ['c.toml', '[replay]\ndisallowed_tools = "a"', /replay\.disallowed_tools holds "a"; it may hold a list of texts$/],
    ['c.toml', '[replay]\nagent = 3', /replay\.agent holds 3; it may hold a text$/],
    ['c.toml', '[replay]\nprepare_only = true\nreplay_only = true', /prepare_only and replay_only do not go together$/],
    ['c.toml', '[replay]\nagent_runtime = "x"', /^CAPABILITY_UNSUPPORTED: /],
    ['c.toml', '[replay]\n[run]\nsafe = true', /^CAPABILITY_UNSUPPORTED: /],
    ['c.toml', '[replay]\n[overlaynet]', /^CAPABILITY_UNSUPPORTED: /],
    ['c.toml', '[replay]\nagent = "auto"\ntrajectory = "t"\nafter_step = -1\nprepare_only = true', /^after-step is -1: /],
    ['c.toml', '[replay]\nagent = "auto"\ntrajectory = "t"\nafter_step = 1.5\nprepare_only = true', /^after-step is 1\.5: /],
  ])('%s with %j: configuration_error', async (name, text, message) => {
    if (text !== null) writeFileSync(name, text)
    const { status, result } = await at.replay('--config', name)
    expect({ status, failure: result.failure }).toEqual({
      status: 2,
      failure: { category: 'configuration_error', message: expect.stringMatching(message) },
    })
  })

  const request = {
    schema_version: 'sandbox-playback.request/v1',
    agent: { type: 'mini-swe-agent' },
    trajectory: 'trajectory.json',
    after_step: 1,
    prepare_only: true,
    workspace: '.',
    state_dir: '../state',
    output_dir: '../output',
  }

  test.each([
    ['no JSON', '{', /request\.json: /],
    ['no object', '[]', /request\.json holds a list: it has to be an object$/],
    ['another schema', { ...request, schema_version: 'v2' }, /schema_version is "v2": it has to be "sandbox-playback.request\/v1"$/],
    ['no schema', { ...request, schema_version: undefined }, /schema_version is missing/],
    ['an agent that is a text', { ...request, agent: 'auto' }, /agent is "auto": it has to be an object$/],
    ['an agent with more', { ...request, agent: { type: 'auto', name: 'x' } }, /agent\.name is not known/],
    ['an agent without a type', { ...request, agent: {} }, /agent\.type has to be a text$/],
    ['an entrypoint', { ...request, agent: { type: 'auto', entrypoint: '/x' } }, /^CAPABILITY_UNSUPPORTED: /],
    ['a runtime', { ...request, agent: { type: 'auto', runtime: '/x' } }, /^CAPABILITY_UNSUPPORTED: /],
    ['no workspace', { ...request, workspace: undefined }, /workspace is missing$/],
    ['no state', { ...request, state_dir: null }, /state_dir is missing$/],
    ['no output', { ...request, output_dir: undefined }, /output_dir is missing$/],
    ['more', { ...request, gateway: {} }, /gateway is not known/],
  ])('a request with %s: configuration_error', async (_, document, message) => {
    writeTrajectory([['true', '']])
    writeFileSync('request.json', typeof document === 'string' ? document : JSON.stringify(document))
    const { status, result } = await at.replay('--request', 'request.json')
    expect({ status, failure: result.failure }).toEqual({
      status: 2,
      failure: { category: 'configuration_error', message: expect.stringMatching(message) },
    })
    expect(untouched()).toEqual([])
  })

  test('in a file, an agent that is not known is unsupported_agent', async () => {
    writeTrajectory([['true', '']])
    writeFileSync('request.json', JSON.stringify({ ...request, agent: { type: 'other' } }))
    writeFileSync('c.toml', '[replay]\nagent = "other"\ntrajectory = "trajectory.json"\nafter_step = 1\nprepare_only = true')
    for (const file of [
      ['--request', 'request.json'],
      ['--config', 'c.toml'],
    ])
      expect(await at.replay(...file)).toMatchObject({ status: 11, result: { phase: null, failure: { category: 'unsupported_agent' } } })
    expect(untouched()).toEqual([])
  })

  test.each(['nowhere', 'trajectory.json'])('the workspace %s: workspace_error', async (name) => {
    writeTrajectory([['true', '']])
    const { status, result } = await at.replay(...PREPARE, '--run-id', 'r', '--workspace', name)
    expect({ status, result }).toEqual({ status: 20, result: early('workspace_error', /^the workspace .* is (not there|no directory)$/) })
    expect(untouched()).toEqual([])
  })
})

describe('a trajectory that is none', () => {
  const good = miniDocument([
    ['echo 1', '1\n'],
    ['echo 2', '2\n'],
  ])
  const whole = JSON.stringify(good)
  const messages = good.messages as readonly Readonly<Record<string, unknown>>[]
  const withMessage = (message: unknown): string => JSON.stringify({ ...good, messages: [message, ...messages] })
  const withActions = (actions: unknown): string => withMessage({ role: 'assistant', extra: { actions } })
  const calling = (called: unknown): string => withMessage({ role: 'assistant', tool_calls: [called] })

  test.each<readonly [string, string | Uint8Array, RegExp]>([
    ['nothing', '', /^the trajectory is empty$/],
    ['white space', ' \n\t', /there is nothing$|is empty$/],
    ['a word', 'null', /^the trajectory is null: it has to be an object$/],
    ['a list', '[]', /it has to be an object$/],
    ['a number', '42', /it has to be an object$/],
    ['half of it', whole.slice(0, whole.length / 2), /^line 1, column \d+: /],
    ['all but the last brace', whole.slice(0, -1), /^line 1, column \d+: /],
    ['more than it', `${whole}{}`, /there is something after the JSON value$/],
    ['a comma too many', whole.replace(',"messages"', ',,"messages"'), /no JSON/],
    ['no UTF-8', new Uint8Array([...new TextEncoder().encode(whole.slice(0, -2)), 0xff, 0x5d, 0x7d]), /^line \d+/],
    ['zeros', new Uint8Array(1000), /^line 1/],
    ['100,000 lists in each other', '['.repeat(100_000), /^line 1, column \d+: /],
    ['100,000 lists in each other that end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /^line 1, column \d+: /],
    ['100,000 objects in each other', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /^line 1, column \d+: /],
    ['no format', JSON.stringify({ ...good, trajectory_format: undefined }), /^trajectory_format is missing/],
    ['a format that is a number', JSON.stringify({ ...good, trajectory_format: 1.1 }), /^trajectory_format is 1\.1: it has to be a text$/],
    ['another format', JSON.stringify({ ...good, trajectory_format: 'mini-swe-agent-1' }), /it has to be "mini-swe-agent-1\.1"$/],
    ['no info', JSON.stringify({ ...good, info: null }), /^info is null/],
    ['a version that is a number', JSON.stringify({ ...good, info: { mini_version: 2 } }), /^info\.mini_version is 2/],
    ['no messages', JSON.stringify({ ...good, messages: undefined }), /^messages is missing/],
    ['messages that are an object', JSON.stringify({ ...good, messages: {} }), /^messages is an object: it has to be an array$/],
    ['a message that is a text', withMessage('hi'), /^messages\[0\] is "hi": it has to be an object$/],
    ['an action that is a text', withActions(['ls']), /^messages\[0\]\.extra\.actions\[0\] is "ls"/],
    [
      'a command that is a list',
      withActions([{ command: ['ls'] }]),
      /^messages\[0\]\.extra\.actions\[0\]\.command is an array: it has to be a text$/,
    ],
    ['an action without a command', withActions([{ tool_call_id: 'x' }]), /^messages\[0\]\.extra\.actions\[0\]\.command is missing/],
    ['a call that is null', calling(null), /^messages\[0\]\.tool_calls\[0\] is null/],
    ['a call without a function', calling({ id: 'x' }), /^messages\[0\]\.tool_calls\[0\]\.function is missing/],
    ['arguments that are no JSON', calling({ function: { name: 'bash', arguments: '{' } }), /arguments holds no JSON/],
    ['arguments without a command', calling({ function: { name: 'bash', arguments: '{}' } }), /command is missing/],
  ])('%s: trajectory_error', async (_, bytes, message) => {
    writeFileSync('trajectory.json', bytes)
    const { status, result } = await at.replay(...PREPARE, '--run-id', 'r')
    expect({ status, result }).toEqual({ status: 10, result: early('trajectory_error', message) })
    expect(untouched()).toEqual([])
  })

  test('wherever it is cut off: trajectory_error', async () => {
    for (let length = 1; length < whole.length; length += 23) {
      writeFileSync('trajectory.json', whole.slice(0, length))
      const { status, result } = await at.replay(...PREPARE, '--agent', length % 2 === 0 ? 'auto' : 'mini-swe-agent')
      expect({ length, status, failure: result.failure }).toMatchObject({ length, status: 10, failure: { category: 'trajectory_error' } })
    }
    expect(untouched()).toEqual([])
  })

  test('a call id that is there twice: trajectory_error', async () => {
    writeFileSync('trajectory.json', JSON.stringify({ ...good, messages: [...messages, ...messages] }))
    const { status, result } = await at.replay(...FLAGS, '--after-step', '4', '--prepare-only', '--run-id', 'r')
    expect({ status, result }).toEqual({
      status: 10,
      result: early('trajectory_error', 'messages:4: the call id "call-1" is that of a call of messages:0, too'),
    })
    expect(untouched()).toEqual([])
  })

  test('a step too many: trajectory_error with both numbers', async () => {
    writeFileSync('trajectory.json', JSON.stringify({ ...good, messages: messages.slice(0, -1) }))
    const { status, result } = await at.replay(...FLAGS, '--after-step', '2', '--prepare-only', '--run-id', 'r')
    expect({ status, result }).toEqual({
      status: 10,
      result: early('trajectory_error', /^after-step is 2, but the trajectory has 1 complete steps/),
    })
    expect(untouched()).toEqual([])
  })

  test.each([
    ['another version', JSON.stringify({ ...good, info: { mini_version: '2.4.5' } }), '1', /^info\.mini_version is "2\.4\.5"/],
    ['another tool', calling({ function: { name: 'python', arguments: '{}' } }), '1', /"python": this agent has no tool but bash$/],
    [
      'a submission in the prefix',
      JSON.stringify(
        miniDocument([
          ['true', ''],
          ['  echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat p', ''],
        ]),
      ),
      '2',
      /^messages:2 submits the work/,
    ],
  ])('%s: unsupported_version', async (_, text, step, message) => {
    writeFileSync('trajectory.json', text)
    const { status, result } = await at.replay(...FLAGS, '--after-step', step, '--prepare-only', '--run-id', 'r')
    expect({ status, result }).toEqual({ status: 11, result: early('unsupported_version', message) })
    expect(untouched()).toEqual([])
  })

  test('a submission after the prefix is none of its business', async () => {
    writeTrajectory([
      ['true', ''],
      ['echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT', ''],
    ])
    expect(await at.replay(...PREPARE)).toMatchObject({ status: 0 })
  })
})

describe('places that can not be', () => {
  test('a file where the roots should be: executor_error', async () => {
    writeTrajectory([['true', '']])
    writeFileSync(join(at.root, 'state'), '')
    expect(await at.replay(...PREPARE)).toMatchObject({ status: 30, result: { phase: null, failure: { category: 'executor_error' } } })
    rmSync(join(at.root, 'state'))
    writeFileSync(join(at.root, 'output'), '')
    expect(await at.replay(...PREPARE)).toMatchObject({ status: 30, result: { phase: null, failure: { category: 'executor_error' } } })
  })

  test('a journal that is damaged: ambiguous_execution', async () => {
    writeTrajectory([['true', '']])
    mkdirSync(join(at.root, 'state/r'), { recursive: true })
    writeFileSync(join(at.root, 'state/r/replay-events.jsonl'), 'no journal\n')
    const { status, result } = await at.replay(...PREPARE, '--run-id', 'r')
    expect({ status, result }).toEqual({ status: 31, result: early('ambiguous_execution', /^replay-events\.jsonl is damaged: /) })
    expect(existsSync(join(at.root, 'output'))).toBe(false)
  })

  test('a Job of that name: executor_error, and it stays as it is', async () => {
    writeTrajectory([['echo 1 > a', '']])
    await at.replay(...FLAGS, '--after-step', '1', '--replay-only', '--run-id', 'r')
    const before = readFileSync(join(at.root, 'runs/r/run.json'), 'utf8')
    for (const name of ['state', 'output']) rmSync(join(at.root, name), { recursive: true })
    const { status, result } = await at.replay(...FLAGS, '--after-step', '1', '--replay-only', '--run-id', 'r')
    expect({ status, failure: result.failure }).toMatchObject({
      status: 30,
      failure: { category: 'executor_error', message: 'there is a Job r already' },
    })
    expect(readFileSync(join(at.root, 'runs/r/run.json'), 'utf8')).toBe(before)
  })
})

test('a fault of the program itself: internal_error', () => {
  const { result, exitStatus } = earlyFailure(new TypeError('x is not a function'), 'r', null)
  expect({ exitStatus, result }).toMatchObject({
    exitStatus: 50,
    result: { run_id: 'r', retryable: false, failure: { category: 'internal_error', message: 'x is not a function' } },
  })
})

test('one folder for both roots: configuration_error', async () => {
  writeTrajectory([['true', '']])
  const { status, out } = await at.mirage('replay', ...PREPARE, '--state-dir', 'd', '--output-dir', './d')
  expect({ status, failure: JSON.parse(out).failure }).toMatchObject({ status: 2, failure: { category: 'configuration_error' } })
  expect(readdirSync('.')).toEqual(['trajectory.json'])
})

test('a report that can not be written is told, and what was done is told as it is', async () => {
  writeTrajectory([['true', '']])
  const told: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0)
  const { status, result } = await at.replay(...FLAGS, '--after-step', '1', '--replay-only', '--report', 'no/where')
  expect({ status, result }).toMatchObject({ status: 1, result: { phase: 'replayed', failure: null } })
  expect(told).toEqual([expect.stringMatching(/^mirage: the report can't be written to .*no.where: No such file or directory\n$/)])
})

describe('a model that fails', () => {
  const flags = (endpoint: string): readonly string[] => [
    ...FLAGS,
    '--after-step',
    '1',
    '--model-endpoint',
    endpoint,
    '--model',
    'm',
    '--run-id',
    'r',
  ]

  test.each([
    [429, 'model_rate_limit', true],
    [500, 'model_internal_error', true],
    [503, 'model_internal_error', true],
    [400, 'continuation_error', false],
    [200, 'continuation_error', false],
  ])('with %i: %s', async (answer, category, retryable) => {
    writeTrajectory([['echo 1 > a; cat a', '1\n']])
    const server = createServer((_, response) => response.writeHead(answer).end('no'))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    try {
      const { port } = server.address() as AddressInfo
      const { status, result } = await at.replay(...flags(`http://127.0.0.1:${port}/v1`))
      expect({ status, result }).toMatchObject({
        status: 40,
        result: {
          phase: 'continued',
          quality: 'degraded',
          agent_status: 'failed',
          replayed_tool_calls: 1,
          retryable,
          failure: { category },
        },
      })
      expect(at.document('result.json')).toEqual(result)
    } finally {
      server.close()
    }
  })

  test('that is not there: model_connection_error', async () => {
    writeTrajectory([['true', '']])
    expect(await at.replay(...flags('http://127.0.0.1:9'))).toMatchObject({
      status: 40,
      result: { retryable: true, failure: { category: 'model_connection_error' } },
    })
  })
})

test('a model that answers goes on, with what was observed now', async () => {
  writeTrajectory([
    ['echo 1 > a; cat a', 'recorded\n'],
    ['cat a', '1\n'],
  ])
  const asked: { readonly messages: readonly { readonly role: string; readonly content: string }[]; readonly model: string }[] = []
  const call = { id: 'live-1', type: 'function', function: { name: 'bash', arguments: '{"command":"echo 2 >> a; cat a"}' } }
  const answers = [{ content: 'I look.', tool_calls: [call] }, { content: 'Done.' }]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...answers[asked.length - 1] } }] }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as AddressInfo
    const named = ['--model-endpoint', `http://127.0.0.1:${port}`, '--model', 'm', '--run-id', 'r']
    const given = [...named, '--boundary-user-prompt', 'go on', '--report', '../report.txt']
    const { status, result } = await at.replay(...FLAGS, '--after-step', '1', ...given)
    expect({ status, result }).toMatchObject({
      status: 0,
      result: { phase: 'continued', agent_status: 'completed', continued_steps: 1, replayed_tool_calls: 1 },
    })
    expect(asked[0]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', content: expect.stringContaining('1\n') },
      { role: 'user', content: 'go on' },
    ])
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('1\n2\n') })
  } finally {
    server.close()
  }
  const report = readFileSync('../report.txt', 'utf8')
  expect(report).toMatch(
    /\nstep 2 \(live, checkpoint [^)]+\)\n {2}I look\.\n {2}called; status 0: bash echo 2 >> a; cat a\n {4}1\n {4}2\n\nstep 3 \(live, [^)]+\)\n {2}Done\.\n$/,
  )
  expect((await at.mirage('apply', 'r')).status).toBe(0)
  expect(readFileSync('a', 'utf8')).toBe('1\n2\n')
  expect(readdirSync('.').sort()).toEqual(['a', 'trajectory.json'])
})
