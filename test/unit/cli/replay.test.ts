import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { jobCommand } from '../../../platforms/node/cli/job-command.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-replay-')))
const home = process.cwd()
let root = ''
let count = 0

beforeEach(() => {
  root = join(folder, `case-${count++}`)
  mkdirSync(join(root, 'ws'), { recursive: true })
  process.chdir(join(root, 'ws'))
  vi.stubEnv('MIRAGE_RUN_HOME', join(root, 'runs'))
  return () => {
    process.chdir(home)
    vi.unstubAllEnvs()
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A turn of mini-swe-agent with one command, and what it gave. */
type Step = readonly [command: string, output: string, status?: number]

function trajectory(steps: readonly Step[], cwd?: string): string {
  const messages = steps.flatMap(([command, output, status = 0], i) => [
    { role: 'assistant', content: `step ${i + 1}`, extra: { response: {}, actions: [{ tool_call_id: `call-${i + 1}`, command }] } },
    { role: 'tool', tool_call_id: `call-${i + 1}`, content: output, extra: { raw_output: output, returncode: status } },
  ])
  const info = { mini_version: '2.4.6', ...(cwd !== undefined && { config: { environment: { cwd } } }) }
  return JSON.stringify({ trajectory_format: 'mini-swe-agent-1.1', info, messages })
}

interface Answer {
  readonly status: number
  readonly result: Readonly<Record<string, unknown>>
}

async function mirage(...argv: readonly string[]): Promise<{ readonly status: number; readonly out: string }> {
  let out = ''
  const status = await jobCommand(argv, (text) => {
    out += typeof text === 'string' ? text : new TextDecoder().decode(text)
  })
  return { status, out }
}

/** Runs the word on `trajectory.json` of the folder: one line of JSON, whatever comes of it. */
async function replay(...flags: readonly string[]): Promise<Answer> {
  const roots = ['--state-dir', join(root, 'state'), '--output-dir', join(root, 'output')]
  const { status, out } = await mirage('replay', ...flags, ...roots)
  expect(out).toMatch(/^\{.*\}\n$/)
  return { status, result: JSON.parse(out) }
}

const FLAGS = ['--agent', 'mini-swe-agent', '--trajectory', 'trajectory.json'] as const

function document(name: string): unknown {
  return JSON.parse(readFileSync(join(root, 'output/r', name), 'utf8'))
}

describe('mirage replay', () => {
  test('prepares without running anything', async () => {
    writeFileSync('trajectory.json', trajectory([['printf historical > marker', 'old observation']]))
    const { status, result } = await replay(...FLAGS, '--after-step', '1', '--prepare-only', '--run-id', 'r')
    expect({ status, names: readdirSync('.') }).toEqual({ status: 0, names: ['trajectory.json'] })
    const output = join(root, 'output/r')
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
      state_dir: join(root, 'state/r'),
      output_dir: output,
      artifacts: [
        { role: 'playback_plan', format: 'sandbox-playback/plan-v1', path: `${output}/manifest.json` },
        { role: 'replay_events', format: 'sandbox-playback/events-v1', path: `${output}/replay-events.jsonl` },
        { role: 'replay_summary', format: 'sandbox-playback/summary-v1', path: `${output}/replay-summary.json` },
        {
          role: 'prepared_native_prefix',
          format: 'mini-swe-agent/native-json-2.4.6',
          path: `${output}/native/prepared-prefix.json`,
        },
      ],
      failure: null,
      retryable: false,
      metadata: {
        boundary_user_prompt: { requested: false, injected: false, injection_count: 0, reason: 'not_requested' },
        replay_only_execution: false,
      },
    })
    expect(document('result.json')).toEqual(result)
    expect(existsSync(join(root, 'runs'))).toBe(false)
    for (const name of ['manifest.json', 'native/prepared-prefix.json', 'result.json'])
      expect({ name, mode: statSync(join(output, name)).mode & 0o777 }).toEqual({ name, mode: 0o600 })
    expect(readdirSync(join(root, 'state/r')).sort()).toEqual(['replay-events.jsonl', 'run.lock'])
  })
})
