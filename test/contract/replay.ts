import { deepEqual, equal, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'
import type { WorkspaceSubject } from './workspace.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What an agent did in another place: it was shown what comes out here, too, but for a tool that no workspace has. */
function trajectory(): Uint8Array {
  const turns = [
    ['printf historical > marker; cat marker', 'historical'],
    ['tool-that-is-not-here; wc -c < marker', '10\n'],
    ['rm marker; ls', 'kept\n'],
  ]
  const messages = turns.flatMap(([command, output], i) => [
    { role: 'assistant', content: `turn ${i}`, extra: { response: {}, actions: [{ tool_call_id: `call-${i}`, command }] } },
    { role: 'tool', content: output, extra: { raw_output: output, returncode: 0 } },
  ])
  const info = { mini_version: '2.4.6', config: { environment: { cwd: '/data' } } }
  return encoder.encode(JSON.stringify({ trajectory_format: 'mini-swe-agent-1.1', info, messages }))
}

/** How trajectories are prepared and replayed, whichever runtime and store the workspace has. */
export const replayContract: readonly ContractCase<WorkspaceSubject>[] = [
  {
    name: 'a trajectory is prepared without running anything, once under an id',
    run: async (subject) => {
      const ws = subject.open({ '/data': subject.files() })
      const request = { agent: 'auto', trajectory: trajectory(), afterStep: 3, mode: 'prepare', runId: 'run-1' } as const
      const { result, exitStatus, report } = await ws.replay(request)
      deepEqual([exitStatus, result.phase, report], [0, 'prepared', null])
      if (result.phase === null) throw new Error('not prepared')
      deepEqual([result.quality, result.replayed_tool_calls, result.prefix_model_turns, result.artifacts.length], ['verified', 0, 3, 4])
      equal((await ws.shell('ls -A /data')).stdoutText, '')
      const other = subject.open({})
      const again = await other.replay(request)
      deepEqual([again.exitStatus, again.result.failure?.category], [30, 'executor_error'])
      await ws.close()
      await other.close()
    },
  },
  {
    name: 'a trajectory is replayed on a stage, step by step, and another instance looks at it and forks from a step',
    run: async (subject) => {
      const files = subject.files()
      files.write('/kept', encoder.encode('as it is'))
      const ws = subject.open({ '/data': files })
      const { result, report } = await ws.replay({
        agent: 'mini-swe-agent',
        trajectory: trajectory(),
        afterStep: 3,
        mode: 'replay',
        runId: 'run-1',
      })
      deepEqual([result.phase, result.failure], ['replayed', null])
      deepEqual(
        report?.steps.flatMap(({ calls }) => calls.map((call) => call.class)),
        ['exact', 'unsupported', 'exact'],
      )
      equal((await ws.shell('ls /data')).stdoutText, 'kept\n')

      const other = subject.open({ '/data': files })
      const seen = await other.replayReport('run-1')
      deepEqual(seen.counts.missing_commands, { 'tool-that-is-not-here': 1 })
      const checkpoint = seen.steps[1]?.checkpoint_id ?? ''
      const job = await other.jobs.open(seen.job_id)
      deepEqual([(await job.changes()).length, (await job.changes({ checkpoint })).map(({ path }) => path)], [0, ['data/marker']])
      equal(decoder.decode(await (await job.files({ checkpoint })).read('/data/marker')), 'historical')
      const fork = await other.fork({ job: seen.job_id, checkpoint, workspaceId: 'fork' })
      equal((await fork.shell('cat /data/marker; ls /data')).stdoutText, 'historicalkept\nmarker\n')
      await rejects(() => other.replayReport('run-2'), 'NOT_FOUND')
      for (const one of [fork, other, ws]) await one.close()
    },
  },
  {
    name: 'a model goes on where a replay came to',
    run: async (subject) => {
      const ws = subject.open({ '/data': subject.files() })
      const lines = ['cat marker', 'echo more >> marker; cat marker']
      const { result, report } = await ws.replay({
        agent: 'auto',
        trajectory: trajectory(),
        afterStep: 1,
        mode: 'continue',
        boundaryUserPrompt: 'Go on.',
        model: async ({ messages }) => {
          const command = lines.shift()
          const call = { id: `live-${messages.length}`, name: 'bash', arguments: { command: command ?? '' } }
          return { text: messages.at(-1)?.content ?? '', calls: command === undefined ? [] : [call] }
        },
      })
      deepEqual([result.phase, result.agent_status], ['continued', 'completed'])
      deepEqual(
        report?.steps.map(({ is_live, text }) => (is_live ? text.split('\n')[2] : 'recorded')),
        ['recorded', undefined, 'historical</output>', 'historicalmore'],
      )
      equal(report?.steps[1]?.text, 'Go on.')
      await ws.close()
    },
  },
]
