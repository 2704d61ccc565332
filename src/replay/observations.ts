import type { ComparedObservation, ObservationClass, ObservationCounts } from './documents.ts'
import { sameJson } from './json.ts'
import type { ToolOutcome } from './toolset.ts'
import type { Call } from './trajectory.ts'

/** How a fresh observation stands to the recorded one. */
export function compared(call: Call, outcome: ToolOutcome, isStale: boolean): ComparedObservation {
  const exact = !isStale && sameJson(call.recorded.value, outcome.value) && call.recorded.isError === outcome.isError
  return {
    call_id: call.id,
    tool: call.name,
    exact,
    original_is_error: call.recorded.isError,
    replayed_is_error: outcome.isError,
    class: classOf(exact, outcome, isStale),
    missing_commands: outcome.missing,
  }
}

/** The same observation is the same, even where a command was missing: the agent's machine lacked it, too, or it made no difference. */
function classOf(exact: boolean, { missing }: ToolOutcome, isStale: boolean): ObservationClass {
  if (isStale) return 'stale'
  if (exact) return 'exact'
  return missing.length > 0 ? 'unsupported' : 'differs'
}

export function countsOf(all: readonly ComparedObservation[]): ObservationCounts {
  const counts = { exact: 0, differs: 0, unsupported: 0, stale: 0 }
  const missing = new Map<string, number>()
  for (const { class: kind, missing_commands } of all) {
    counts[kind] += 1
    if (kind === 'unsupported') for (const name of missing_commands) missing.set(name, (missing.get(name) ?? 0) + 1)
  }
  const byCount = [...missing].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return { ...counts, missing_commands: Object.fromEntries(byCount) }
}
