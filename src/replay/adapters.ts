import type { Adapter } from './adapter.ts'
import { ReplayFault, trajectoryFault } from './fault.ts'
import type { TrajectorySource } from './source.ts'

/** Adapters by what `--agent` calls them: loaded when they are needed. In the order in which `auto` asks them. */
const ADAPTERS: Readonly<Record<string, () => Promise<Adapter>>> = {
  'mini-swe-agent': async () => (await import('./adapters/mini-swe-agent.ts')).miniSweAgent,
  'mini-swe-agent-v1': async () => (await import('./adapters/mini-swe-agent-v1.ts')).miniSweAgentV1,
  'claude-code': async () => (await import('./adapters/claude-code.ts')).claudeCode,
  openhands: async () => (await import('./adapters/openhands.ts')).openHands,
  'swe-agent': async () => (await import('./adapters/swe-agent.ts')).sweAgent,
  codex: async () => (await import('./adapters/codex.ts')).codex,
  atif: async () => (await import('./adapters/atif.ts')).atif,
  inspect: async () => (await import('./adapters/inspect.ts')).inspect,
  mirage: async () => (await import('./adapters/mirage.ts')).mirage,
  'openai-responses': async () => (await import('./adapters/openai-responses.ts')).openAIResponses,
  'openai-chat': async () => (await import('./adapters/openai-chat.ts')).openAIChat,
}

/** What `--agent` may be, besides `auto`. */
export const AGENTS: readonly string[] = Object.keys(ADAPTERS)

/** The adapter of an agent, or for `auto` the one that recognises the source. A ReplayFault: `unsupported_agent`; `trajectory_error` where none recognises it. */
export async function adapterFor(agent: string, source: TrajectorySource): Promise<Adapter> {
  if (agent !== 'auto') {
    const load = Object.hasOwn(ADAPTERS, agent) ? ADAPTERS[agent] : undefined
    if (load === undefined)
      throw new ReplayFault(
        'unsupported_agent',
        `there is no adapter for the agent ${JSON.stringify(agent)}: there are ${AGENTS.join(', ')}, and auto`,
      )
    return load()
  }
  for (const load of Object.values(ADAPTERS)) {
    const adapter = await load()
    if (adapter.recognises(source)) return adapter
  }
  if (source.form === 'json') source.json()
  throw trajectoryFault(`the trajectory is in no form that is known: there are adapters for ${AGENTS.join(', ')}`)
}
