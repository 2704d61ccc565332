import { CATEGORIES, faultOf } from './fault.ts'
import type { ReplayPlace } from './place.ts'
import type { Replayed } from './request.ts'

/** The answer of a replay that failed before anything was written. */
export function earlyFailure(
  error: unknown,
  runId: string | null,
  place: Pick<ReplayPlace, 'stateLocation' | 'outputLocation'> | null,
): Replayed {
  const fault = faultOf(error)
  const { category, message } = fault
  const { exitStatus, retryable } = CATEGORIES[category]
  return {
    result: {
      schema_version: 'sandbox-playback.result/v3',
      phase: null,
      quality: null,
      agent_status: 'not_started',
      run_id: runId,
      state_dir: place?.stateLocation ?? null,
      output_dir: place?.outputLocation ?? null,
      artifacts: [],
      failure: { category, message },
      retryable,
    },
    exitStatus,
    fault,
    report: null,
  }
}
