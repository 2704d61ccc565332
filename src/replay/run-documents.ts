import type { AgentStatus, Artifact, PlanDocument, ReplayReport, ReplayResult, SummaryDocument } from './documents.ts'
import type { ReplayFault } from './fault.ts'
import { CATEGORIES } from './fault.ts'
import type { JsonObject } from './json.ts'
import { countsOf } from './observations.ts'
import type { ReplayPlan } from './plan.ts'
import type { ReplaySteps } from './replay-steps.ts'

/** What a run has come to. */
export interface RunFacts {
  readonly plan: ReplayPlan
  /** The message after the boundary, and its digest; null for none. */
  readonly prompt: { readonly text: string; readonly sha256: string } | null
  /** Null while nothing was run. */
  readonly steps: ReplaySteps | null
  /** The model was asked. */
  readonly isLive: boolean
  /** Turns with calls of the live phase. */
  readonly continuedSteps: number
}

const PHASES = { prepare: 'prepared', replay: 'replayed', continue: 'continued' } as const

/** `manifest.json`. */
export function planDocument({ adapter, trajectory, request, sha256, boundary, prefix }: ReplayPlan): PlanDocument {
  return {
    schema_version: 'sandbox-replay.plan/v1',
    agent: { name: adapter.agent, version: trajectory.version, profile: adapter.profile },
    source: { path: request.source ?? 'trajectory', sha256 },
    boundary: {
      after_step: request.afterStep,
      complete_tool_batch: true,
      prefix_model_turns: boundary.modelTurns,
      tool_calls: callsIn(prefix),
    },
    batches: prefix.map(({ locator, calls }, i) => ({
      ordinal: i + 1,
      native_locator: locator,
      tool_calls: calls.map(({ id, name, arguments: given }, at) => ({ ordinal: at + 1, call_id: id, name, arguments: given })),
    })),
  }
}

export function callsIn(prefix: ReplayPlan['prefix']): number {
  return prefix.reduce((sum, { calls }) => sum + calls.length, 0)
}

/** `result.json`. */
export function resultDocument(
  facts: RunFacts,
  status: AgentStatus,
  artifacts: readonly Artifact[],
  fault: ReplayFault | null,
): ReplayResult {
  const { plan, steps, continuedSteps } = facts
  const { request, adapter, trajectory, place, runId, boundary } = plan
  const isPrepared = request.mode === 'prepare'
  const counts = countsOf(steps?.compared ?? [])
  return {
    schema_version: 'sandbox-playback.result/v3',
    phase: PHASES[request.mode],
    quality: fault !== null || counts.stale + counts.unsupported > 0 ? 'degraded' : 'verified',
    agent_status: status,
    run_id: runId,
    agent: {
      type: adapter.agent,
      version: trajectory.version,
      entrypoint: null,
      launch_source: isPrepared ? 'prepare_only' : (request.executor ?? 'machine'),
      disallowed_tools: request.disallowedTools ?? [],
    },
    after_step: request.afterStep,
    replayed_tool_calls: fault === null ? replayedCalls(facts) : (steps?.finished ?? 0),
    prefix_model_turns: boundary.modelTurns,
    continued_steps: continuedSteps,
    state_dir: place.stateLocation,
    output_dir: place.outputLocation,
    artifacts,
    failure: fault === null ? null : { category: fault.category, message: fault.message },
    retryable: fault !== null && CATEGORIES[fault.category].retryable,
    metadata: {
      boundary_user_prompt: promptFacts(facts),
      ...(isPrepared ? { replay_only_execution: false } : { job_id: runId, observations: { ...counts } }),
      ...(fault === null ? {} : { replayed_tool_calls_complete: false }),
    },
  }
}

/** `replay-summary.json`. */
export function summaryDocument(facts: RunFacts, status: AgentStatus): SummaryDocument {
  const { plan, steps, continuedSteps } = facts
  const counts = countsOf(steps?.compared ?? [])
  return {
    schema_version: 'sandbox-playback.summary/v1',
    agent: plan.adapter.agent,
    after_step: plan.request.afterStep,
    replayed_tool_calls: replayedCalls(facts),
    exact_observations: counts.exact,
    different_observations: counts.differs,
    unsupported_observations: counts.unsupported,
    stale_observations: counts.stale,
    missing_commands: counts.missing_commands,
    comparison_is_gating: false,
    continuation_status: status,
    continued_steps: continuedSteps,
    boundary_user_prompt: promptFacts(facts),
  }
}

/** `replay-report.json`; null where nothing was run. */
export function reportDocument({ plan: { runId, adapter, trajectory }, steps }: RunFacts): ReplayReport | null {
  if (steps === null) return null
  return {
    schema_version: 'mirage.replay-report/v1',
    run_id: runId,
    job_id: runId,
    agent: { name: adapter.agent, version: trajectory.version },
    counts: countsOf(steps.compared),
    steps: steps.report,
  }
}

/** Fresh observations of the prefix. */
function replayedCalls({ steps }: RunFacts): number {
  return steps?.compared.filter((one) => one.class !== 'stale').length ?? 0
}

/** What became of the message after the boundary, without its words. */
function promptFacts({ prompt, isLive }: RunFacts): JsonObject {
  if (prompt === null) return { requested: false, injected: false, injection_count: 0, reason: 'not_requested' }
  const facts = { requested: true, injected: isLive, injection_count: isLive ? 1 : 0, sha256: prompt.sha256, length: prompt.text.length }
  return isLive ? { ...facts, position: 'after_boundary_observation' } : { ...facts, reason: 'no_live_phase' }
}
