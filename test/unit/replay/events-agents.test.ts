import { describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'
import { trajectoryFacts } from '../../../src/replay/read-trajectory.ts'
import type { Replayed, ReplayRequest } from '../../../src/replay/request.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { bytesOf } from './mini-file.ts'

const COMMANDS = ['mkdir -p sub; printf historical > sub/marker', 'cat sub/marker', 'echo third'] as const
const OUTPUTS = ['', 'historical', 'third'] as const

/** Trajectories of three steps, of which the first leaves a marker. */
const FILES: Readonly<Record<string, JsonValue>> = {
  openhands: [
    { id: 0, source: 'user', action: 'message', args: { content: 'go' } },
    ...COMMANDS.flatMap((command, i): JsonObject[] => [
      { id: 2 * i + 1, source: 'agent', action: 'run', args: { command, thought: 'hm' } },
      {
        id: 2 * i + 2,
        source: 'agent',
        observation: 'run',
        cause: 2 * i + 1,
        content: OUTPUTS[i] ?? '',
        extras: { metadata: { exit_code: 0 } },
      },
    ]),
  ],
  'swe-agent': {
    trajectory: COMMANDS.map((action, i) => ({ action, observation: OUTPUTS[i] ?? '', response: 'hm', thought: 'hm', state: {} })),
    history: [
      { role: 'user', content: 'go' },
      ...COMMANDS.flatMap((action, i): JsonObject[] => [
        { role: 'assistant', content: 'hm', action },
        { role: 'user', content: OUTPUTS[i] ?? '' },
      ]),
    ],
    replay_config: {},
  },
  inspect: {
    version: 2,
    eval: {},
    samples: [
      {
        id: 1,
        epoch: 1,
        messages: COMMANDS.flatMap((cmd, i): JsonObject[] => [
          { role: 'assistant', content: 'hm', tool_calls: [{ id: `c${i}`, function: 'bash', arguments: { cmd }, type: 'function' }] },
          { role: 'tool', tool_call_id: `c${i}`, function: 'bash', content: i === 2 ? 'third\n' : (OUTPUTS[i] ?? '') },
        ]),
      },
    ],
  },
}

class Place {
  readonly files: RAMFileSystem = new RAMFileSystem()
  readonly store: RAMWorkspaceStateStore = new RAMWorkspaceStateStore()
  readonly ws: Workspace = new Workspace({ '/': this.files }, { workspaceId: 'w', store: this.store })

  replay(agent: string, request: Partial<ReplayRequest>): Promise<Replayed> {
    return this.ws.replay({ agent, trajectory: bytesOf(FILES[agent] ?? null), afterStep: 2, mode: 'replay', runId: 'run', ...request })
  }

  async native({ result }: Replayed, role: string): Promise<Uint8Array> {
    const path = result.artifacts.find((artifact) => artifact.role === role)?.path ?? ''
    const stored = await (await this.store.objects('w')).get(path)
    if (stored === null || stored === 'same') throw new Error(`no ${path}`)
    return stored.bytes
  }
}

describe.each(Object.keys(FILES))('%s', (agent) => {
  it('is prepared without running anything', async () => {
    const place = new Place()
    const prepared = await place.replay(agent, { mode: 'prepare' })
    expect(prepared.fault).toBeNull()
    expect(prepared.result).toMatchObject({
      phase: 'prepared',
      quality: 'verified',
      agent_status: 'not_started',
      replayed_tool_calls: 0,
      prefix_model_turns: 2,
      agent: { type: agent },
    })
    expect(place.files.readdir('/')).toEqual([])
    // Of the boundary nothing is there that was observed.
    expect((await trajectoryFacts(await place.native(prepared, 'prepared_native_prefix'))).steps).toBe(1)
    await place.ws.close()
  })

  it('is replayed on a stage, each observation as it was', async () => {
    const place = new Place()
    const replayed = await place.replay(agent, { afterStep: 3 })
    expect(replayed.fault).toBeNull()
    expect(replayed.result).toMatchObject({ phase: 'replayed', quality: 'verified', replayed_tool_calls: 3 })
    expect(replayed.report?.steps.flatMap(({ calls }) => calls.map((call) => call.class))).toEqual(['exact', 'exact', 'exact'])
    expect(place.files.readdir('/')).toEqual([])
    const rebuilt = await place.native(replayed, 'reconstructed_native_trajectory')
    expect((await trajectoryFacts(rebuilt)).steps).toBe(3)
    await place.ws.close()
  })

  it('goes on with a model, which is shown what was observed now', async () => {
    const place = new Place()
    const asked: string[] = []
    const bash = { openhands: 'execute_bash', 'swe-agent': 'bash', inspect: 'bash' }[agent] ?? ''
    const parameter = agent === 'inspect' ? 'cmd' : 'command'
    const continued = await place.replay(agent, {
      mode: 'continue',
      boundaryUserPrompt: 'go on',
      model: async ({ messages, tools }) => {
        expect(tools.map(({ name }) => name)).toContain(bash)
        asked.push(JSON.stringify(messages.at(-1)))
        if (asked.length > 2) return { text: 'done', calls: [] }
        return {
          text: 'more',
          calls: [{ id: `live-${asked.length}`, name: bash, arguments: { [parameter]: 'cat sub/marker; echo " again"' } }],
        }
      },
    })
    expect(continued.fault).toBeNull()
    expect(continued.result).toMatchObject({ phase: 'continued', agent_status: 'completed', continued_steps: 2 })
    expect(asked[0]).toContain('go on')
    expect(asked[1]).toContain('historical again')
    const facts = await trajectoryFacts(await place.native(continued, 'continued_native_trajectory'))
    expect(facts.steps).toBe(4)
    expect(facts.atif.steps.at(-1)?.message).toBe('done')
    await place.ws.close()
  })

  it('says what is wrong with a file that was cut off', async () => {
    const place = new Place()
    const whole = decode(bytesOf(FILES[agent] ?? null))
    for (const length of [1, 10, Math.floor(whole.length / 2), whole.length - 1]) {
      const { fault, result } = await place.replay(agent, { mode: 'prepare', trajectory: encode(whole.slice(0, length)) })
      expect(fault?.category).toBe('trajectory_error')
      expect(fault?.message).toMatch(/line 1, column \d+/)
      expect(result.artifacts).toEqual([])
    }
    await place.ws.close()
  })
})
