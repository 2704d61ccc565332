import type { ChildProcess, SpawnSyncReturns } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { FLAGS, PREPARE, replayCases, rootFlags, writeTrajectory } from './replay-case.ts'

// What runs is the built program: `npm run build` first.

const program = resolve('dist/platforms/node/cli.js')
const drive = resolve('test/unit/cli/pty-drive.py')
const LONG = 120_000
const at = replayCases()
const REPLAY = [...FLAGS, '--after-step', '2', '--replay-only', '--run-id', 'r'] as const

beforeAll(() => {
  if (!existsSync(program)) throw new Error('nothing is built: npm run build')
})

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<{
    readonly status: number | null
    readonly signal: string | null
    readonly stdout: string
    readonly stderr: string
  }>
}

/** The program with the case's run home. */
function mirage(...argv: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [program, ...argv], { encoding: 'utf8', input: '' })
}

function start(...flags: readonly string[]): Started {
  const child = spawn(process.execPath, [program, 'replay', ...flags, ...rootFlags(at.root)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const ended: Started['ended'] = new Promise((done) => {
    child.once('close', (status, signal) => done({ status, signal, stdout, stderr }))
  })
  return { child, ended }
}

const journal = (): string => join(at.root, 'state/r/replay-events.jsonl')

/** Waits until the journal says that a call runs. */
async function inCall(id: string): Promise<void> {
  const isThere = (): boolean => existsSync(journal()) && new RegExp(`"tool_started".*"${id}"`).test(readFileSync(journal(), 'utf8'))
  while (!isThere()) await new Promise((done) => setTimeout(done, 20))
}

test('of a process that is killed in a call, nobody knows what was done: 31, for ever', { timeout: LONG }, async () => {
  writeTrajectory([
    ['echo 1 > a', ''],
    ['echo 2 > b; sleep 1000', ''],
  ])
  const { child, ended } = start(...REPLAY)
  await inCall('call-2')
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ signal: 'SIGKILL', stdout: '' })
  const output = readdirSync(join(at.root, 'output/r'), { recursive: true })
  for (const flags of [REPLAY, [...PREPARE, '--run-id', 'r']]) {
    const { status, result } = await at.replay(...flags)
    expect({ status, result }).toMatchObject({
      status: 31,
      result: { phase: null, run_id: 'r', failure: { category: 'ambiguous_execution', message: expect.stringContaining('call-2') } },
    })
  }
  expect(readdirSync(join(at.root, 'output/r'), { recursive: true })).toEqual(output)
  expect(readdirSync('.')).toEqual(['trajectory.json'])
  // The Job is there, with the files as they were after the first step.
  expect((await at.mirage('status', 'r')).out).toContain('stale')
  expect((await at.mirage('kill', 'r')).status).toBe(0)
  const { checkpoints } = JSON.parse((await at.mirage('checkpoint', 'list', 'r', '--json')).out)
  expect(checkpoints).toHaveLength(1)
  const { filesystem } = JSON.parse((await at.mirage('review', 'r', '--checkpoint', checkpoints[0].checkpoint_id, '--json')).out)
  expect(filesystem.changes).toMatchObject([{ path: 'a', kind: 'added' }])
})

test('of a process that is killed before its first call, all is made again', { timeout: LONG }, async () => {
  writeTrajectory([
    ['sleep 1000', ''],
    ['echo 2 > b', ''],
  ])
  const { child, ended } = start(...REPLAY)
  await inCall('call-1')
  child.kill('SIGKILL')
  await ended
  // As it was a moment before.
  const before = readFileSync(journal(), 'utf8')
    .split('\n')
    .filter((line) => !line.includes('"tool_started"'))
  writeFileSync(journal(), before.join('\n'))
  writeTrajectory([
    ['echo 1 > a', ''],
    ['echo 2 > b', ''],
  ])
  const { status, result } = await at.replay(...REPLAY)
  expect({ status, result }).toMatchObject({ status: 0, result: { phase: 'replayed', replayed_tool_calls: 2, quality: 'verified' } })
  const { filesystem } = JSON.parse((await at.mirage('review', 'r', '--json')).out)
  expect(filesystem.changes).toMatchObject([{ path: 'a' }, { path: 'b' }])
  expect(await at.replay(...REPLAY)).toMatchObject({ status: 30 })
})

test('one that runs keeps others out with 31, and ends when it is told to', { timeout: LONG }, async () => {
  writeTrajectory([
    ['echo 1 > a', ''],
    ['sleep 1000', ''],
  ])
  const { child, ended } = start(...REPLAY)
  await inCall('call-2')
  const { status, result } = await at.replay(...PREPARE, '--run-id', 'r')
  expect({ status, result }).toMatchObject({
    status: 31,
    result: { phase: null, failure: { message: 'run r is being run by somebody else' } },
  })
  child.kill('SIGINT')
  const { stdout, stderr, ...end } = await ended
  expect({ ...end, stderr }).toEqual({ status: 30, signal: null, stderr: '' })
  const told = JSON.parse(stdout)
  expect(told).toMatchObject({
    phase: 'replayed',
    agent_status: 'failed',
    replayed_tool_calls: 1,
    failure: { message: 'the replay was ended' },
  })
  expect(at.document('result.json')).toEqual(told)
  expect(await at.replay(...REPLAY)).toMatchObject({ status: 31 })
  expect(JSON.parse((await at.mirage('status', 'r', '--json')).out)).toMatchObject({ live: false })
})

test('tells a line that is none on standard error alone, and a failure on standard output alone', { timeout: LONG }, async () => {
  writeTrajectory([['true', '']])
  expect(await start('--after-step', 'x').ended).toEqual({
    status: 2,
    signal: null,
    stdout: '',
    stderr: "mirage: option '--after-step' holds 'x'; it may hold a whole number\nTry 'mirage --help' for more information.\n",
  })
  const failed = await start(...FLAGS, '--after-step', '2', '--prepare-only').ended
  expect(failed).toMatchObject({ status: 10, stderr: '', stdout: expect.stringMatching(/^\{"schema_version":.*\}\n$/) })
})

test('runs the calls as processes of this machine, on a copy', { timeout: LONG }, async () => {
  writeFileSync('a.txt', 'one\n')
  writeTrajectory(
    [
      ['cat a.txt; [ -n "$BASH_VERSION" ] && echo bash', 'one\nbash\n'],
      ['echo two > b.txt; cat a.txt b.txt', 'one\ntwo\n'],
    ],
    '/testbed',
  )
  const { status, result } = await at.replay(...REPLAY, '--executor', 'host')
  expect({ status, result }).toMatchObject({ status: 0, result: { quality: 'verified', agent: { launch_source: 'host' } } })
  expect(readdirSync('.').sort()).toEqual(['a.txt', 'trajectory.json'])
  expect(readdirSync(join(at.root, 'runs/r')).filter((name) => name.startsWith('work-'))).toEqual([])
  expect((await at.mirage('apply', 'r')).status).toBe(0)
  expect(readFileSync('b.txt', 'utf8')).toBe('two\n')
})

test('of processes of this machine, nothing is left where their replay was killed, once its Job is', { timeout: LONG }, async () => {
  const { root } = at
  mkdirSync(join(root, 'tmp'))
  vi.stubEnv('TMPDIR', join(root, 'tmp'))
  writeTrajectory([
    ['echo 1 > a', ''],
    ['echo $$ > pid; sleep 1000; echo late > late', ''],
  ])
  const { child, ended } = start(...REPLAY, '--executor', 'host')
  await inCall('call-2')
  const works = (): readonly string[] => readdirSync(join(root, 'runs/r')).filter((name) => name.startsWith('work-'))
  expect(works()).toHaveLength(1)
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(join(root, 'tmp'))).toEqual([])
  expect((await at.mirage('kill', 'r')).out).toBe('Job r is over: terminated\n')
  expect(works()).toEqual([])
  expect(
    spawnSync('pgrep', ['-f', `sleep 1000`], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((pid) => isOfJob(pid)),
  ).toEqual([])
})

/** Whether a process belongs to the Job of this case. */
function isOfJob(pid: string): boolean {
  try {
    return pid !== '' && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`MIRAGE_RUN_HOME=${join(at.root, 'runs')}\0`)
  } catch {
    return false
  }
}

test('from each step, a Job can be forked with the files as they were', { timeout: LONG }, async () => {
  writeFileSync('a.txt', 'one\n')
  writeTrajectory(
    [
      ['echo two >> /testbed/a.txt; echo kept > /tmp/t', ''],
      ['rm a.txt /tmp/t', ''],
    ],
    '/testbed',
  )
  expect((await at.replay(...REPLAY)).status).toBe(0)
  const { checkpoints } = JSON.parse((await at.mirage('checkpoint', 'list', 'r', '--json')).out)
  const line = 'cat a.txt /tmp/t; pwd; echo three > b.txt'
  const forked = mirage('fork', 'r', '--checkpoint', checkpoints[0].checkpoint_id, '--name', 'forked', '--', 'eval', line)
  expect(forked).toMatchObject({ status: 0, stdout: 'one\ntwo\nkept\n/testbed\n', stderr: '' })
  const gone = mirage('fork', 'r', '--checkpoint', checkpoints[1].checkpoint_id, '--', 'ls', '/testbed', '/tmp')
  expect(gone).toMatchObject({ status: 0, stdout: '/testbed:\ntrajectory.json\n\n/tmp:\n' })
  expect(mirage('inspect', 'r', '--checkpoint', checkpoints[0].checkpoint_id, '--', 'cat', '/testbed/a.txt').stdout).toBe('one\ntwo\n')
  await expect(at.mirage('fork', 'r')).rejects.toThrow(
    "fork: Job r is a replay, which is no command that could be run again: give one after '--'",
  )
  const job = JSON.parse((await at.mirage('status', 'last', '--json')).out).run
  expect(job.lineage).toMatchObject({ parent_run_id: 'r', checkpoint_id: checkpoints[1].checkpoint_id })
  expect(readFileSync('a.txt', 'utf8')).toBe('one\n')
})

test('tells a person at a terminal what it is at, and ends with ^C', { timeout: LONG }, () => {
  writeTrajectory([
    ['echo 1 > a', ''],
    ['sleep 1000', ''],
  ])
  const argv = [drive, '80', '24', process.execPath, program, 'replay', ...REPLAY, ...rootFlags(at.root)]
  const steps = [{ expect: 'step 2 of 2: bash sleep 1000' }, { send: '\x03' }]
  const { stdout } = spawnSync('python3', argv, { encoding: 'utf8', input: JSON.stringify(steps) })
  const { output, status, failed } = JSON.parse(stdout)
  expect({ status, failed }).toEqual({ status: 30, failed: null })
  expect(output).toContain('\r\u001b[Kstep 1 of 2: bash echo 1 > a')
  expect(output).toMatch(/\{"schema_version".*\}\r\nmirage: executor_error: the replay was ended\r\n$/)
})
