import { describe, expect, it } from 'vitest'
import { decode } from '../../../src/bytes.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { Executor } from '../../../src/job/executor.ts'
import type { ReplayResult } from '../../../src/replay/documents.ts'
import type { JsonObject } from '../../../src/replay/json.ts'
import type { Model } from '../../../src/replay/model.ts'
import type { Replayed, ReplayRequest } from '../../../src/replay/request.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { miniFile, miniMessages } from './mini-file.ts'

const TURNS = miniMessages([
  {
    text: 'first',
    commands: ['printf historical > marker; cat marker', 'ls /nothing'],
    observed: [{ output: 'historical' }, { output: '', status: 2 }],
  },
  { text: 'second', commands: ['python3 -V 2>/dev/null; wc -c < marker'], observed: [{ output: 'Python 3.12\n10\n' }] },
  { text: 'third', commands: ['cat marker; date +%Y'], observed: [{ output: 'historical1999\n' }] },
])

class Place {
  readonly store: RAMWorkspaceStateStore = new RAMWorkspaceStateStore()
  readonly files: RAMFileSystem = new RAMFileSystem()
  readonly ws: Workspace

  constructor(executors: Readonly<Record<string, Executor>> = {}) {
    this.ws = new Workspace({ '/': this.files }, { workspaceId: 'w', store: this.store, executors })
  }

  replay(request: Partial<ReplayRequest> = {}): Promise<Replayed> {
    return this.ws.replay({
      agent: 'mini-swe-agent',
      trajectory: miniFile(TURNS),
      afterStep: 2,
      mode: 'replay',
      runId: 'run-1',
      ...request,
    })
  }

  async keys(): Promise<readonly string[]> {
    return [...((await this.#objects()).list('replays/') as string[])].map((key) => key.slice('replays/run-1/'.length)).sort()
  }

  async document(key: string): Promise<JsonObject> {
    const stored = await (await this.#objects()).get(`replays/run-1/${key}`)
    if (stored === null || stored === 'same') throw new Error(`no ${key}`)
    return JSON.parse(decode(stored.bytes)) as JsonObject
  }

  async events(): Promise<readonly string[]> {
    const stored = await (await this.#objects()).get('replays/run-1/state/replay-events.jsonl')
    if (stored === null || stored === 'same') return []
    const lines = decode(stored.bytes).trim().split('\n').slice(1)
    return lines.map((line) => (JSON.parse(line) as { event: { data: { name: string } } }).event.data.name)
  }

  async put(key: string, text: string): Promise<void> {
    await (await this.#objects()).put(`replays/run-1/${key}`, new TextEncoder().encode(text))
  }

  async #objects(): Promise<Awaited<ReturnType<RAMWorkspaceStateStore['objects']>>> {
    return this.store.objects('w')
  }
}

describe('prepare', () => {
  it('runs nothing, and writes plan, events, summary and prefix', async () => {
    const place = new Place()
    const { result, exitStatus, report } = await place.replay({ mode: 'prepare', maxSteps: 1 })
    expect(exitStatus).toBe(0)
    expect(report).toBeNull()
    expect(result).toEqual({
      schema_version: 'sandbox-playback.result/v3',
      phase: 'prepared',
      quality: 'verified',
      agent_status: 'not_started',
      run_id: 'run-1',
      agent: { type: 'mini-swe-agent', version: '2.4.6', entrypoint: null, launch_source: 'prepare_only', disallowed_tools: [] },
      after_step: 2,
      replayed_tool_calls: 0,
      prefix_model_turns: 2,
      continued_steps: 0,
      state_dir: 'replays/run-1/state',
      output_dir: 'replays/run-1/output',
      artifacts: [
        ['playback_plan', 'sandbox-playback/plan-v1', 'manifest.json'],
        ['replay_events', 'sandbox-playback/events-v1', 'replay-events.jsonl'],
        ['replay_summary', 'sandbox-playback/summary-v1', 'replay-summary.json'],
        ['prepared_native_prefix', 'mini-swe-agent/native-json-2.4.6', 'native/prepared-prefix.json'],
      ].map(([role, format, path]) => ({ role, format, path: `replays/run-1/output/${path}` })),
      failure: null,
      retryable: false,
      metadata: {
        boundary_user_prompt: { requested: false, injected: false, injection_count: 0, reason: 'not_requested' },
        replay_only_execution: false,
      },
    })
    expect(await place.document('output/result.json')).toEqual(result)
    expect(await place.ws.fs.readdir('/')).not.toContainEqual(expect.objectContaining({ name: 'marker' }))
    expect(await place.ws.jobs.list()).toEqual([])
    expect(await place.events()).toEqual(['run_started', 'plan_validated', 'session_rebuilt', 'run_finished'])
    const plan = await place.document('output/manifest.json')
    expect(plan.boundary).toEqual({ after_step: 2, complete_tool_batch: true, prefix_model_turns: 2, tool_calls: 3 })
    expect(plan.batches).toHaveLength(2)
  })

  it('says what a boundary prompt comes to, and never its words', async () => {
    const place = new Place()
    const { result } = await place.replay({ mode: 'prepare', boundaryUserPrompt: 'SECRET WORDS' })
    expect((result as ReplayResult).metadata.boundary_user_prompt).toMatchObject({
      requested: true,
      injected: false,
      injection_count: 0,
      length: 12,
      reason: 'no_live_phase',
    })
    for (const key of ['output/result.json', 'output/replay-summary.json'])
      expect(JSON.stringify(await place.document(key))).not.toContain('SECRET')
  })
})

describe('replay', () => {
  it('runs the calls on a stage and compares each observation', async () => {
    const place = new Place()
    const progress: string[] = []
    const { result, exitStatus, report } = await place.replay({
      afterStep: 3,
      onProgress: ({ step, of, call }) => progress.push(`${step}/${of} ${call}`),
    })
    expect(exitStatus).toBe(0)
    expect(result).toMatchObject({
      phase: 'replayed',
      quality: 'degraded',
      agent_status: 'completed',
      replayed_tool_calls: 4,
      prefix_model_turns: 3,
    })
    expect(progress).toEqual([
      '1/3 bash printf historical > marker; cat marker',
      '1/3 bash ls /nothing',
      '2/3 bash python3 -V 2>/dev/null; wc -c < marker',
      '3/3 bash cat marker; date +%Y',
    ])
    expect(report?.steps.map(({ calls }) => calls.map((call) => call.class))).toEqual([['exact', 'differs'], ['unsupported'], ['differs']])
    expect(report?.counts).toEqual({ exact: 1, differs: 2, unsupported: 1, stale: 0, missing_commands: { python3: 1 } })
    expect(await place.document('output/observation-comparison.json')).toMatchObject([
      { call_id: 'call-1', tool: 'bash', exact: true, original_is_error: false, replayed_is_error: false },
      { call_id: 'call-2', exact: false, original_is_error: true, replayed_is_error: true },
      { call_id: 'call-3', exact: false, missing_commands: ['python3'] },
      { call_id: 'call-4', exact: false },
    ])
    expect(await place.document('output/replay-summary.json')).toMatchObject({
      exact_observations: 1,
      different_observations: 2,
      unsupported_observations: 1,
      comparison_is_gating: false,
    })
    expect(await place.events()).toEqual([
      'run_started',
      'plan_validated',
      ...Array.from({ length: 4 }, () => ['tool_started', 'tool_finished']).flat(),
      'session_rebuilt',
      'run_finished',
    ])
    // Nothing real was touched; the Job has it, step by step.
    await expect(Promise.resolve().then(() => place.ws.fs.stat('/marker'))).rejects.toMatchObject({ code: 'ENOENT' })
    const job = await place.ws.jobs.open('run-1')
    expect((await job.changes()).map(({ path, kind }) => [path, kind])).toEqual([['marker', 'added']])
    const first = report?.steps[0]?.checkpoint_id ?? ''
    expect(decode(await (await job.files({ checkpoint: first })).read('/marker', 0, 100))).toBe('historical')
    const fork = await place.ws.fork({ job: 'run-1', checkpoint: first })
    expect((await fork.shell('cat /marker')).stdoutText).toBe('historical')
    await job.apply({ all: true } as never)
    expect(decode(await place.ws.fs.read('/marker', 0, 100))).toBe('historical')
  })

  it('starts where the agent worked, where there is such a directory', async () => {
    const place = new Place()
    place.files.mkdir('/testbed')
    const trajectory = miniFile(miniMessages([{ commands: ['pwd'], observed: [{ output: '/testbed\n' }] }]), {
      info: { mini_version: '2.4.6', config: { environment: { cwd: '/testbed', timeout: 30 } } },
    })
    const { report } = await place.replay({ trajectory, afterStep: 1 })
    expect(report?.counts.exact).toBe(1)
  })

  it('has a run id once', async () => {
    const place = new Place()
    await place.replay({ mode: 'prepare' })
    const again = await place.replay({ mode: 'prepare' })
    expect(again.exitStatus).toBe(30)
    expect(again.result).toMatchObject({
      phase: null,
      run_id: 'run-1',
      failure: { category: 'executor_error' },
      retryable: false,
      artifacts: [],
    })
    expect(await place.document('output/result.json')).toMatchObject({ phase: 'prepared' })
  })

  it('refuses for ever to go on from a tool whose end nobody knows', async () => {
    const place = new Place()
    await place.replay()
    const kept = (await place.events()).indexOf('tool_finished')
    const stored = await (await place.store.objects('w')).get('replays/run-1/state/replay-events.jsonl')
    const lines = stored === null || stored === 'same' ? [] : decode(stored.bytes).split('\n')
    for (const [journal, what] of [
      [lines.slice(0, kept + 1).join('\n'), /call-1/],
      [`${lines.slice(0, kept + 2).join('\n')}\n`, /never brought to an end/],
      ['{"format":"another"}\n', /damaged/],
      [`${lines[0]}\n{"x":1}\n`, /damaged: line 2/],
    ] as const) {
      await place.put('state/replay-events.jsonl', journal.endsWith('\n') ? journal : `${journal}\n`)
      for (let time = 0; time < 2; time++) {
        const { exitStatus, result } = await place.replay()
        expect(exitStatus).toBe(31)
        expect(result.failure).toMatchObject({ category: 'ambiguous_execution', message: expect.stringMatching(what) })
      }
    }
  })

  it('may be tried again where it died before a tool was started', async () => {
    const place = new Place()
    await place.replay({ mode: 'prepare' })
    const stored = await (await place.store.objects('w')).get('replays/run-1/state/replay-events.jsonl')
    const lines = stored === null || stored === 'same' ? [] : decode(stored.bytes).split('\n')
    // Two events were written, the third was cut off.
    await place.put('state/replay-events.jsonl', `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 40)}`)
    const { result, exitStatus } = await place.replay()
    expect([exitStatus, result.phase]).toEqual([0, 'replayed'])
  })

  it('is refused while another instance runs it', async () => {
    const place = new Place()
    const other = new Workspace({ '/': place.files }, { workspaceId: 'w', store: place.store })
    let refused: Promise<Replayed> | null = null
    const model: Model = async () => {
      refused ??= other.replay({ agent: 'auto', trajectory: miniFile(TURNS), afterStep: 1, mode: 'prepare', runId: 'run-1' })
      expect(await refused).toMatchObject({ exitStatus: 31, result: { failure: { category: 'ambiguous_execution' } } })
      return { text: 'x', calls: [] }
    }
    expect((await place.replay({ mode: 'continue', model })).exitStatus).toBe(40)
    expect(refused).not.toBeNull()
  })

  it('writes down how it failed, where something was written already', async () => {
    const place = new Place()
    const stop = new AbortController()
    const { exitStatus, result } = await place.replay({ signal: stop.signal, onProgress: ({ step }) => step === 2 && stop.abort() })
    expect(exitStatus).toBe(30)
    expect(result).toMatchObject({
      phase: 'replayed',
      quality: 'degraded',
      agent_status: 'failed',
      replayed_tool_calls: 2,
      failure: { category: 'executor_error' },
      metadata: { replayed_tool_calls_complete: false },
    })
    expect(await place.document('output/result.json')).toEqual(result)
    expect((await place.events()).at(-1)).toBe('run_failed')
    expect((await place.replay()).exitStatus).toBe(30)
  })

  it('ends when its workspace is closed', async () => {
    const place = new Place()
    const trajectory = miniFile(miniMessages([{ commands: ['sleep 1000'], observed: [{ output: '' }] }]))
    const running = place.replay({ trajectory, afterStep: 1, onProgress: () => void place.ws.close() })
    expect((await running).exitStatus).toBe(30)
  })
})

describe('early failures leave nothing behind', () => {
  const CASES: readonly (readonly [what: string, request: Partial<ReplayRequest>, status: number, category: string])[] = [
    ['after-step 0', { afterStep: 0 }, 2, 'configuration_error'],
    ['after-step 1.5', { afterStep: 1.5 }, 2, 'configuration_error'],
    ['max-steps 0', { maxSteps: 0 }, 2, 'configuration_error'],
    ['a blank prompt', { boundaryUserPrompt: ' \n' }, 2, 'configuration_error'],
    ['a run id with a slash', { runId: '../x' }, 2, 'configuration_error'],
    ['an empty run id', { runId: '' }, 2, 'configuration_error'],
    ['a session id of two lines', { sessionId: 'a\nb' }, 2, 'configuration_error'],
    ['disallowed tools of another agent', { disallowedTools: ['Bash'] }, 2, 'configuration_error'],
    ['a budget below the prefix', { maxSteps: 1 }, 2, 'configuration_error'],
    [
      'a budget that leaves no live turn',
      { mode: 'continue', maxSteps: 2, model: async () => ({ text: '', calls: [] }) },
      2,
      'configuration_error',
    ],
    ['no model', { mode: 'continue' }, 2, 'configuration_error'],
    ['an executor that there is not', { executor: 'host' }, 2, 'configuration_error'],
    ['an unknown key', { nonsense: 1 } as Partial<ReplayRequest>, 2, 'configuration_error'],
    ['too many steps', { afterStep: 4 }, 10, 'trajectory_error'],
    ['no JSON', { trajectory: new TextEncoder().encode('{"trajectory_format":') }, 10, 'trajectory_error'],
    ['no UTF-8', { trajectory: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }, 10, 'trajectory_error'],
    ['an empty file', { trajectory: new Uint8Array(0) }, 10, 'trajectory_error'],
    ['deep nesting', { trajectory: new TextEncoder().encode('['.repeat(100_000) + ']'.repeat(100_000)) }, 10, 'trajectory_error'],
    ['ids that occur twice', { trajectory: miniFile([...TURNS, ...TURNS]), afterStep: 4 }, 10, 'trajectory_error'],
    ['an agent that there is not', { agent: 'opencode' }, 11, 'unsupported_agent'],
    ['another version', { trajectory: miniFile(TURNS, { info: { mini_version: '2.4.5' } }) }, 11, 'unsupported_version'],
  ]
  it.each(CASES)('%s', async (_, request, status, category) => {
    const place = new Place()
    const { exitStatus, result, fault } = await place.replay(request)
    expect([exitStatus, result.failure?.category, fault?.category]).toEqual([status, category, category])
    expect(result).toMatchObject({ phase: null, quality: null, agent_status: 'not_started', artifacts: [], retryable: false })
    expect(await place.keys()).toEqual([])
    expect(await place.ws.jobs.list()).toEqual([])
  })

  it('refuses a file that is too large, before it is looked at', async () => {
    const place = new Place()
    const { exitStatus } = await place.replay({ trajectory: new Uint8Array(256 * 1024 * 1024 + 1) })
    expect(exitStatus).toBe(2)
  })
})

describe('continue', () => {
  /** Says turn by turn what it was told to say. */
  function scripted(turns: readonly (readonly string[] | Error)[], seen: unknown[][] = []): Model {
    let at = 0
    return async ({ messages }) => {
      seen.push([...messages])
      const turn = turns[at++] ?? []
      if (turn instanceof Error) throw turn
      return { text: `turn ${at}`, calls: turn.map((command, i) => ({ id: `live-${at}-${i}`, name: 'bash', arguments: { command } })) }
    }
  }

  it('gives a model the conversation with fresh observations, and runs what it calls', async () => {
    const place = new Place()
    const seen: unknown[][] = []
    const { result, report } = await place.replay({
      mode: 'continue',
      boundaryUserPrompt: 'Go on.',
      maxSteps: 10,
      model: scripted([['echo live >> marker'], ['cat marker', 'true'], []], seen),
    })
    expect(result).toMatchObject({
      phase: 'continued',
      agent_status: 'completed',
      replayed_tool_calls: 3,
      continued_steps: 2,
      metadata: { boundary_user_prompt: { requested: true, injected: true, injection_count: 1 } },
    })
    expect(seen[0]?.map((message) => (message as { role: string }).role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'tool',
      'user',
    ])
    expect(seen[0]?.at(3)).toMatchObject({ tool_call_id: 'call-1', content: '<returncode>0</returncode>\n<output>\nhistorical</output>' })
    expect(seen[0]?.at(-1)).toEqual({ role: 'user', content: 'Go on.' })
    expect(report?.steps.at(3)?.calls[0]?.fresh?.value).toBe('historicallive\n')
    expect(report?.steps.map(({ is_live }) => is_live)).toEqual([false, false, true, true, true])
    expect(await place.document('output/next-action-comparison.json')).toMatchObject({
      original: { text: 'third', tools: [{ name: 'bash', arguments: { command: 'cat marker; date +%Y' } }] },
      replayed: { text: 'turn 1' },
      metrics: {
        text_exact: false,
        tool_count_equal: true,
        ordered_tool_names_equal: true,
        tool_arguments_equal: false,
        text_comparison_status: 'comparable',
        reasoning_comparison_status: 'not_applicable_both_empty',
        reasoning_similarity: null,
      },
      gating: false,
      input_condition: 'boundary_user_prompt_appended',
    })
    const continued = await place.document('output/native/continued-trajectory.json')
    expect((continued.messages as readonly JsonObject[]).slice(7).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
  })

  it('ends when the turns of the model are used up, or the work is handed in', async () => {
    const first = await new Place().replay({ mode: 'continue', maxSteps: 4, model: scripted([['true'], ['true'], ['true']]) })
    expect(first.result).toMatchObject({ agent_status: 'max_steps', continued_steps: 2 })
    const second = await new Place().replay({
      mode: 'continue',
      model: scripted([['echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo done'], ['true']]),
    })
    expect(second.result).toMatchObject({ agent_status: 'completed', continued_steps: 1 })
  })

  it('tells faults of a model by their kind', async () => {
    const limited = Object.assign(new Error('slow down'), { category: 'model_rate_limit' })
    for (const [error, category, retryable] of [
      [limited, 'model_rate_limit', true],
      [new Error('broken'), 'continuation_error', false],
    ] as const) {
      const { exitStatus, result } = await new Place().replay({ mode: 'continue', model: scripted([error]) })
      expect([exitStatus, result.failure?.category, result.retryable]).toEqual([40, category, retryable])
    }
  })

  it('answers a call of a tool that there is not', async () => {
    const place = new Place()
    let told = ''
    const model: Model = async ({ messages }) => {
      const last = messages.at(-1)
      if (last?.role === 'tool' && last.content.includes('python')) told = last.content
      return told === '' ? { text: '', calls: [{ id: 'p', name: 'python', arguments: {} }] } : { text: '', calls: [] }
    }
    expect((await place.replay({ mode: 'continue', model })).exitStatus).toBe(0)
    expect(told).toBe('there is no tool python')
  })
})
