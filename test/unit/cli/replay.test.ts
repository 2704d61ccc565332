import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLAGS, miniDocument, PREPARE, replayCases, writeTrajectory } from './replay-case.ts'

const at = replayCases()

describe('mirage replay', () => {
  test('prepares without running anything', async () => {
    writeTrajectory([['printf historical > marker', 'old observation']])
    const { status, result } = await at.replay(...PREPARE, '--run-id', 'r')
    expect({ status, names: readdirSync('.') }).toEqual({ status: 0, names: ['trajectory.json'] })
    const output = join(at.root, 'output/r')
    expect(result).toEqual({
      schema_version: 'sandbox-playback.result/v3',
      phase: 'prepared',
      quality: 'verified',
      agent_status: 'not_started',
      run_id: 'r',
      agent: { type: 'mini-swe-agent', version: '2.4.6', entrypoint: null, launch_source: 'prepare_only', disallowed_tools: [] },
      after_step: 1,
      replayed_tool_calls: 0,
      prefix_model_turns: 1,
      continued_steps: 0,
      state_dir: join(at.root, 'state/r'),
      output_dir: output,
      artifacts: [
        { role: 'playback_plan', format: 'sandbox-playback/plan-v1', path: `${output}/manifest.json` },
        { role: 'replay_events', format: 'sandbox-playback/events-v1', path: `${output}/replay-events.jsonl` },
        { role: 'replay_summary', format: 'sandbox-playback/summary-v1', path: `${output}/replay-summary.json` },
        { role: 'prepared_native_prefix', format: 'mini-swe-agent/native-json-2.4.6', path: `${output}/native/prepared-prefix.json` },
      ],
      failure: null,
      retryable: false,
      metadata: {
        boundary_user_prompt: { requested: false, injected: false, injection_count: 0, reason: 'not_requested' },
        replay_only_execution: false,
      },
    })
    expect(at.document('result.json')).toEqual(result)
    expect(existsSync(join(at.root, 'runs'))).toBe(false)
    for (const name of ['manifest.json', 'native/prepared-prefix.json', 'result.json'])
      expect({ name, mode: statSync(join(output, name)).mode & 0o777 }).toEqual({ name, mode: 0o600 })
    expect(readdirSync(join(at.root, 'state/r')).sort()).toEqual(['replay-events.jsonl', 'run.lock'])
    expect(statSync(join(at.root, 'state')).mode & 0o777).toBe(0o700)
    expect(statSync(output).mode & 0o777).toBe(0o700)
  })

  test('makes a name for the run, and takes none twice', async () => {
    writeTrajectory([['true', '']])
    const [a, b] = [await at.replay(...PREPARE), await at.replay(...PREPARE)]
    expect(a.result.run_id).toMatch(/^replay-[0-9a-f]{32}$/)
    expect(b.result.run_id).not.toBe(a.result.run_id)
    await at.replay(...PREPARE, '--run-id', 'r')
    const before = readdirSync(join(at.root, 'output/r'), { recursive: true })
    const again = await at.replay(...PREPARE, '--run-id', 'r')
    expect(again).toMatchObject({ status: 30, result: { phase: null, run_id: 'r', failure: { category: 'executor_error' } } })
    expect(readdirSync(join(at.root, 'output/r'), { recursive: true })).toEqual(before)
  })

  test('keeps its documents in the folder for temporary files where none is named', async () => {
    writeTrajectory([['true', '']])
    const { out } = await at.mirage('replay', ...PREPARE, '--run-id', 'no good')
    expect(JSON.parse(out)).toMatchObject({
      run_id: 'no good',
      state_dir: expect.stringMatching(/[/\\]mirage-replay[/\\]state[/\\]no good$/),
      output_dir: expect.stringMatching(/[/\\]mirage-replay[/\\]output[/\\]no good$/),
    })
  })

  test('runs the calls again on a stage, with a Job that every other word knows', async () => {
    writeFileSync('a.txt', 'one\n')
    writeTrajectory([
      ['cat a.txt', 'one\n'],
      ['echo two >> a.txt; cat a.txt', 'one\nzwei\n'],
      ['cat nowhere', 'cat: nowhere: No such file or directory\n', 1],
      ['no-such-program --version', '1.2.3\n'],
      ['echo never', 'never\n'],
    ])
    const { status, result } = await at.replay(...FLAGS, '--after-step', '4', '--replay-only', '--run-id', 'r', '--report', 'report.txt')
    expect(status).toBe(0)
    expect(result).toMatchObject({
      phase: 'replayed',
      quality: 'degraded',
      agent_status: 'completed',
      replayed_tool_calls: 4,
      agent: { launch_source: 'machine' },
      metadata: {
        job_id: 'r',
        observations: { exact: 2, differs: 1, unsupported: 1, stale: 0, missing_commands: { 'no-such-program': 1 } },
      },
    })
    expect(at.document('observation-comparison.json')).toMatchObject([
      { call_id: 'call-1', tool: 'bash', exact: true, original_is_error: false, replayed_is_error: false },
      { call_id: 'call-2', exact: false },
      { call_id: 'call-3', exact: true, original_is_error: true, replayed_is_error: true },
      { call_id: 'call-4', exact: false, class: 'unsupported' },
    ])
    expect(readFileSync('a.txt', 'utf8')).toBe('one\n')
    const report = readFileSync('report.txt', 'utf8')
    expect(report).toMatch(
      /^run: {11}r\nJob: {11}r \(mirage review r\)\nagent: {9}mini-swe-agent 2.4.6\nobservations: {2}2 exact, 1 differs, 1 unsupported\n/,
    )
    expect(report).toContain('missing:       no-such-program, wanted by 1 call\n')
    expect(report).toContain('  differs; status 0: bash echo two >> a.txt; cat a.txt\n    @@ -1,2 +1,2 @@\n     one\n    -zwei\n    +two\n')

    expect((await at.mirage('jobs')).out).toMatch(/^JOB .*\nr {4}completed /)
    expect((await at.mirage('review', 'r', '--diff')).out).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n')
    const { checkpoints } = JSON.parse((await at.mirage('checkpoint', 'list', 'r', '--json')).out)
    expect(checkpoints).toHaveLength(4)
    expect((await at.mirage('apply', 'r')).out).toMatch(/^1 change was made in /)
    expect(readFileSync('a.txt', 'utf8')).toBe('one\ntwo\n')
    expect((await at.mirage('checkpoint', 'show', 'r', checkpoints[0].checkpoint_id)).status).toBe(0)
  })

  test('drops what it staged, when it is told to', async () => {
    writeTrajectory([['echo new > new.txt', '']])
    await at.replay(...FLAGS, '--after-step', '1', '--replay-only', '--run-id', 'r')
    expect((await at.mirage('drop', 'r')).out).toBe('the stage of Job r is dropped; its record is kept\n')
    expect(readdirSync('.')).toEqual(['trajectory.json'])
  })

  test('shows the folder where the agent had it, and nothing around it is proposed', async () => {
    writeFileSync('a.txt', 'here\n')
    writeTrajectory(
      [
        ['cat /testbed/a.txt; pwd', 'here\n/testbed\n'],
        ['echo b > /testbed/b.txt; echo t > /tmp/t; echo h > ~/h; echo ~', '/root\n'],
        ['cat /tmp/t ~/h b.txt', 't\nh\nb\n'],
      ],
      '/testbed',
    )
    const { result } = await at.replay(...FLAGS, '--after-step', '3', '--replay-only', '--run-id', 'r')
    expect(result).toMatchObject({ quality: 'verified', metadata: { observations: { exact: 3 } } })
    const { filesystem } = JSON.parse((await at.mirage('review', 'r', '--json')).out)
    expect(filesystem.changes).toMatchObject([{ path: 'testbed/b.txt', kind: 'added' }])
    expect((await at.mirage('apply', 'r', '--path', 'testbed/b.txt')).status).toBe(0)
    expect(readFileSync('b.txt', 'utf8')).toBe('b\n')
    expect(readdirSync('.').sort()).toEqual(['a.txt', 'b.txt', 'trajectory.json'])
  })

  test.each([
    ['/work/dir', '/work/dir', '/work/dir\na.txt\ntrajectory.json\n'],
    ['/', '/', '/\na.txt\nbin\ndev\ntmp\ntrajectory.json\nusr\n'],
  ])('shows the folder at %s where that is asked for', async (path, _, output) => {
    writeFileSync('a.txt', '')
    writeTrajectory([['pwd; ls', output]], '/testbed')
    const { result } = await at.replay(...FLAGS, '--after-step', '1', '--replay-only', '--mount-at', path, '--run-id', 'r')
    expect(at.document('replay-report.json')).toMatchObject({ steps: [{ calls: [{ fresh: { value: output } }] }] })
    expect(result.quality).toBe('verified')
  })

  test('works on another folder, and reads another file', async () => {
    const { replay, root } = at
    writeFileSync('a.txt', 'from there\n')
    writeTrajectory([['cat a.txt', 'from there\n']])
    process.chdir(root)
    const given = ['--agent', 'auto', '--trajectory', 'ws/trajectory.json', '--workspace', 'ws', '--after-step', '1', '--replay-only']
    expect(await replay(...given)).toMatchObject({ status: 0, result: { quality: 'verified' } })
  })

  test('takes other versions where that is said', async () => {
    const { info, ...rest } = miniDocument([['true', '']])
    writeFileSync('trajectory.json', JSON.stringify({ ...rest, info: { ...(info as object), mini_version: '2.3.0' } }))
    for (const [flags, status] of [
      [['--accept-version'], 0],
      [['--accept-version', '2.3.0'], 0],
      [['--accept-version=2.3.0'], 0],
      [['--accept-version=2.4.7'], 11],
      [[], 11],
    ] as const)
      expect({ flags, status: (await at.replay(...PREPARE, ...flags)).status }).toEqual({ flags, status })
  })
})

describe('a file says it all', () => {
  test('in TOML, its folders from its own', async () => {
    const { root } = at
    writeTrajectory([['true', '']])
    writeFileSync(
      'replay.toml',
      '[replay]\nagent = "auto"\ntrajectory = "trajectory.json"\nafter_step = 1\nreplay_only = true\nrun_id = "r"\nworkspace = "."\nstate_dir = "../state"\noutput_dir = "../output"\nmax_steps = 1\n',
    )
    process.chdir(root)
    const { status, result } = await at.replay('--config', 'ws/replay.toml')
    expect({ status, ...result }).toMatchObject({ status: 0, phase: 'replayed', output_dir: join(root, 'output/r') })
  })

  test('in JSON', async () => {
    writeTrajectory([['true', '']])
    const request = {
      schema_version: 'sandbox-playback.request/v1',
      agent: { type: 'mini-swe-agent', entrypoint: null },
      trajectory: 'trajectory.json',
      after_step: 1,
      prepare_only: true,
      workspace: '.',
      state_dir: '../state',
      output_dir: '../output',
      run_id: 'r',
    }
    writeFileSync('request.json', JSON.stringify(request))
    expect(await at.replay('--request', 'request.json')).toMatchObject({ status: 0, result: { phase: 'prepared', run_id: 'r' } })
  })
})

test('its help says how it is called', async () => {
  const { out } = await at.mirage('replay', '--help')
  expect(out).toContain('usage: mirage replay --agent NAME --trajectory FILE --after-step N [OPTION…]')
  expect(out).toContain('--accept-version[=VERSION]')
})
