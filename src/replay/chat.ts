import type { ChatMessage } from './model.ts'
import type { ToolOutcome } from './toolset.ts'
import type { LiveTurn, Trajectory } from './trajectory.ts'

/** The conversation up to the boundary as a model is given it: fresh observations in the place of the recorded ones. */
export function conversation({ atif, batches }: Trajectory, fresh: readonly (readonly ToolOutcome[])[]): readonly ChatMessage[] {
  const observed = new Map(fresh.map((outcomes, i) => [batches[i]?.step, outcomes]))
  const last = batches[fresh.length - 1]?.step ?? -1
  return atif.steps.slice(0, last + 1).flatMap((step, index): readonly ChatMessage[] => {
    if (step.source !== 'agent') return [{ role: step.source, content: step.message }]
    const calls = step.tool_calls ?? []
    const outcomes = observed.get(index) ?? []
    return turnMessages(
      step.message,
      calls.map(({ tool_call_id, function_name, arguments: given }) => ({ id: tool_call_id, name: function_name, arguments: given })),
      outcomes,
    )
  })
}

/** A turn of the agent and what it was shown. */
export function turnMessages(text: string, calls: LiveTurn['calls'], outcomes: readonly ToolOutcome[]): readonly ChatMessage[] {
  // Endpoints refuse a call without its answer.
  if (calls.length === 0 || outcomes.length < calls.length) return [{ role: 'assistant', content: text }]
  return [
    {
      role: 'assistant',
      content: text,
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(given) },
      })),
    },
    ...outcomes.map((outcome, i): ChatMessage => ({ role: 'tool', tool_call_id: calls[i]?.id ?? '', content: outcome.text })),
  ]
}
