import type { JsonObject } from './json.ts'
import { sameJson } from './json.ts'
import { textSimilarity } from './text-similarity.ts'
import type { Batch, LiveTurn, Trajectory } from './trajectory.ts'

interface Action {
  readonly text: string
  readonly reasoning: string
  readonly tools: readonly { readonly name: string; readonly arguments: JsonObject }[]
}

/** `next-action-comparison.json`: what the agent did after the boundary, then and now; null where the recorded one did nothing any more. */
export function nextActionComparison(
  trajectory: Trajectory,
  afterStep: number,
  live: LiveTurn,
  promptInjected: boolean,
): JsonObject | null {
  const next = trajectory.batches[afterStep]
  if (next === undefined) return null
  const original = recordedAction(trajectory, next)
  const replayed: Action = {
    text: live.text,
    reasoning: live.reasoning ?? '',
    tools: live.calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
  }
  const names = (action: Action): string => action.tools.map(({ name }) => name).join('\n')
  return {
    schema_version: 'sandbox-playback.next-action-comparison/v2',
    original: { ...original },
    replayed: { ...replayed },
    metrics: {
      ...textMetrics('text', original.text, replayed.text),
      ...textMetrics('reasoning', original.reasoning, replayed.reasoning),
      tool_count_equal: original.tools.length === replayed.tools.length,
      ordered_tool_names_equal: names(original) === names(replayed),
      tool_arguments_equal: sameJson(
        original.tools.map((tool) => tool.arguments),
        replayed.tools.map((tool) => tool.arguments),
      ),
    },
    gating: false,
    input_condition: promptInjected ? 'boundary_user_prompt_appended' : 'replayed_boundary_only',
    boundary_user_prompt_injected: promptInjected,
  }
}

function recordedAction({ atif }: Trajectory, { step, calls }: Batch): Action {
  const turn = atif.steps[step]
  return {
    text: turn?.message ?? '',
    reasoning: turn?.reasoning_content ?? '',
    tools: calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
  }
}

function textMetrics(name: string, original: string, replayed: string): JsonObject {
  const had = original.trim() !== ''
  const has = replayed.trim() !== ''
  const status = had && has ? 'comparable' : had ? 'replayed_empty' : has ? 'original_empty' : 'not_applicable_both_empty'
  return {
    [`${name}_exact`]: had || has ? original === replayed : null,
    [`${name}_similarity`]: had || has ? textSimilarity(original, replayed) : null,
    [`${name}_comparison_status`]: status,
    [`original_${name}_present`]: had,
    [`replayed_${name}_present`]: has,
  }
}
