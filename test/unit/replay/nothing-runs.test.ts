import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { HostFileSystem, hostExecutor } from '../../../platforms/node/index.ts'
import { AGENTS } from '../../../src/replay/adapters.ts'
import type { JsonValue } from '../../../src/replay/json.ts'
import { Workspace } from '../../../src/workspace.ts'
import { bytesOf, miniFile, miniMessages } from './mini-file.ts'

/** A trajectory of every agent, whose one call makes a file. */
function samples(command: string): Readonly<Record<string, Uint8Array>> {
  const lines = (...values: readonly JsonValue[]): Uint8Array =>
    new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  const claude = (uuid: string, parentUuid: string | null, type: string, content: JsonValue): JsonValue => ({
    type,
    uuid,
    parentUuid,
    sessionId: 's',
    version: '2.1.220',
    cwd: '/',
    message: { role: type, id: uuid, content },
  })
  const call = { type: 'function_call', call_id: 'c', name: 'shell', arguments: JSON.stringify({ command: ['bash', '-lc', command] }) }
  const output = { type: 'function_call_output', call_id: 'c', output: 'done' }
  const task = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'work' }] }
  const toolCall = { id: 'c', function: 'bash', arguments: { command }, type: 'function' }
  const sample = {
    id: 1,
    epoch: 1,
    messages: [
      { role: 'user', content: 'work' },
      { role: 'assistant', content: '', tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: 'c', function: 'bash', content: 'done' },
    ],
  }
  const log = { version: 2, status: 'success', eval: { task: 't', model: 'm' } }
  return {
    'mini-swe-agent': miniFile(miniMessages([{ commands: [command], observed: [{ output: 'done' }] }])),
    'mini-swe-agent-v1': bytesOf([
      { role: 'assistant', content: `now\n\`\`\`bash\n${command}\n\`\`\`` },
      { role: 'user', content: '<returncode>0</returncode>\n<output>\ndone\n</output>' },
    ]),
    'claude-code': lines(
      claude('a', null, 'user', 'work'),
      claude('b', 'a', 'assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }]),
      claude('c', 'b', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'done' }]),
    ),
    openhands: bytesOf([
      { id: 0, source: 'user', action: 'message', args: { content: 'work' } },
      { id: 1, source: 'agent', action: 'run', args: { command } },
      { id: 2, source: 'agent', observation: 'run', cause: 1, content: 'done', extras: {} },
    ]),
    'swe-agent': bytesOf({
      environment: 'main',
      trajectory: [{ action: command, observation: 'done', response: 'now', thought: 'now', state: {} }],
      history: [
        { role: 'system', content: 'help' },
        { role: 'assistant', content: 'now', action: command, thought: 'now' },
        { role: 'user', content: 'done' },
      ],
      info: {},
      replay_config: '{}',
    }),
    codex: lines(...[task, call, output].map((payload) => ({ type: 'response_item', payload }))),
    atif: bytesOf({
      schema_version: 'ATIF-v1.5',
      session_id: 's',
      agent: { name: 'a', version: '1' },
      steps: [
        {
          step_id: 1,
          source: 'agent',
          message: 'now',
          tool_calls: [{ tool_call_id: 'c', function_name: 'bash', arguments: { command } }],
          observation: { results: [{ source_call_id: 'c', content: 'done' }] },
        },
      ],
    }),
    inspect: zipSync({ 'header.json': strToU8(JSON.stringify(log)), 'samples/1_epoch_1.json': strToU8(JSON.stringify(sample)) }),
    mirage: bytesOf([{ id: 'e', session: 'main', agent: null, timestamp: 1, cwd: '/', command, exitCode: 0, durationMs: 1 }]),
    'openai-responses': bytesOf([task, call, output]),
    'openai-chat': bytesOf([
      { role: 'user', content: 'work' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ]),
  }
}

it('has a sample of every agent', () => {
  expect(Object.keys(samples('')).sort()).toEqual([...AGENTS].sort())
})

it.each(AGENTS)('%s: nothing is run to prepare it, and its call is run to replay it', async (agent) => {
  const folder = mkdtempSync(join(tmpdir(), 'nothing-runs-'))
  const marker = join(folder, 'marker')
  // A process would find it by its place on the machine, too.
  const trajectory = samples(`touch marker ${marker}; echo done`)[agent] ?? new Uint8Array()
  const ws = new Workspace({ '/': new HostFileSystem({ root: folder }) }, { executors: { host: hostExecutor() } })
  for (const executor of ['machine', 'host'] as const) {
    const { result } = await ws.replay({ agent: 'auto', trajectory, afterStep: 1, mode: 'prepare', executor, runId: executor })
    expect(result).toMatchObject({ phase: 'prepared', agent: { type: agent }, replayed_tool_calls: 0, failure: null })
    expect(existsSync(marker)).toBe(false)
    expect(await ws.jobs.list()).toEqual([])
  }
  const { result, report } = await ws.replay({ agent, trajectory, afterStep: 1, mode: 'replay', runId: 'replayed' })
  expect(result).toMatchObject({ phase: 'replayed', replayed_tool_calls: 1, failure: null })
  // On the stage, where it is to be found; what it names elsewhere is not there for the machine.
  expect(existsSync(marker)).toBe(false)
  expect((await (await ws.jobs.open('replayed')).changes()).map(({ path }) => path)).toContain('marker')
  expect(report?.steps).toHaveLength(1)
  await ws.close()
  rmSync(folder, { recursive: true })
})
