import { conversation, turnMessages } from './chat.ts'
import type { AgentStatus } from './documents.ts'
import type { FailureCategory } from './fault.ts'
import { CATEGORIES, ReplayFault } from './fault.ts'
import type { ChatMessage, Model, ModelTurn } from './model.ts'
import type { ReplaySteps } from './replay-steps.ts'
import type { LivePhase, LiveTurn, Trajectory } from './trajectory.ts'

export interface LiveOptions {
  readonly trajectory: Trajectory
  readonly model: Model
  readonly boundaryPrompt: string | null
  readonly sessionId: string
  readonly disableThinking: boolean
  readonly disallowedTools: readonly string[]
  /** Turns of the model that are left. */
  readonly turns: number
  readonly signal: AbortSignal | undefined
}

export interface LiveEnd {
  readonly phase: LivePhase
  readonly status: Extract<AgentStatus, 'completed' | 'max_steps'>
  /** Turns with calls. */
  readonly steps: number
}

/** Lets the model go on after the boundary until it calls no tool any more, hands in its work, or has no turns left. */
export async function livePhase(steps: ReplaySteps, options: LiveOptions): Promise<LiveEnd> {
  const { trajectory, boundaryPrompt, disallowedTools } = options
  const tools = trajectory.toolset.definitions.filter(({ name }) => !disallowedTools.includes(name))
  const messages: ChatMessage[] = [...conversation(trajectory, steps.fresh)]
  if (boundaryPrompt !== null) messages.push({ role: 'user', content: boundaryPrompt })
  const turns: LiveTurn[] = []
  const end = (status: LiveEnd['status']): LiveEnd => {
    const done = turns.filter(({ calls }) => calls.length > 0).length
    if (done === 0) throw new ReplayFault('continuation_error', 'the model went on without calling a tool')
    return { phase: { boundaryPrompt, turns }, status, steps: done }
  }
  while (turns.length < options.turns) {
    const asked = await ask(options, { messages: [...messages], tools })
    const forbidden = asked.calls.find(({ name }) => disallowedTools.includes(name))
    if (forbidden !== undefined) throw new ReplayFault('continuation_error', `the model calls ${forbidden.name}, which it may not`)
    const turn = await steps.live({ text: asked.text, reasoning: asked.reasoning ?? null, calls: asked.calls })
    turns.push(turn)
    messages.push(...turnMessages(turn.text, turn.calls, turn.outcomes))
    const isOver =
      turn.calls.length === 0 || turn.calls.some((call, i) => trajectory.toolset.ends?.(call, turn.outcomes[i] ?? null) === true)
    if (isOver) return end('completed')
  }
  return end('max_steps')
}

async function ask(
  { model, sessionId, disableThinking, signal }: LiveOptions,
  request: Pick<Parameters<Model>[0], 'messages' | 'tools'>,
): Promise<ModelTurn> {
  signal?.throwIfAborted()
  try {
    return await model({ ...request, sessionId, disableThinking, signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw new ReplayFault(categoryOf(error), `the model failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** An error of a model may have a `category` of its own: one that begins with `model_`. */
function categoryOf(error: unknown): FailureCategory {
  const category = error instanceof Error && 'category' in error ? String(error.category) : ''
  return category.startsWith('model_') && Object.hasOwn(CATEGORIES, category) ? (category as FailureCategory) : 'continuation_error'
}
