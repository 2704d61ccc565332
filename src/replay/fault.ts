import type { ErrorCode } from '../errors.ts'
import { codeOf, WorkspaceError } from '../errors.ts'

/** Why a replay failed. */
export type FailureCategory =
  | 'configuration_error'
  | 'trajectory_error'
  | 'unsupported_agent'
  | 'unsupported_version'
  | 'workspace_error'
  | 'executor_error'
  | 'ambiguous_execution'
  | 'continuation_error'
  | 'model_rate_limit'
  | 'model_internal_error'
  | 'model_connection_error'
  | 'internal_error'

interface CategoryFacts {
  readonly exitStatus: number
  /** The same request may succeed later. */
  readonly retryable: boolean
  readonly code: ErrorCode
}

/** What each category means to who asked. */
export const CATEGORIES: Readonly<Record<FailureCategory, CategoryFacts>> = {
  configuration_error: { exitStatus: 2, retryable: false, code: 'CONFIG_INVALID' },
  trajectory_error: { exitStatus: 10, retryable: false, code: 'CORRUPT' },
  unsupported_agent: { exitStatus: 11, retryable: false, code: 'CAPABILITY_UNSUPPORTED' },
  unsupported_version: { exitStatus: 11, retryable: false, code: 'VERSION_UNSUPPORTED' },
  workspace_error: { exitStatus: 20, retryable: false, code: 'NOT_FOUND' },
  executor_error: { exitStatus: 30, retryable: false, code: 'EIO' },
  ambiguous_execution: { exitStatus: 31, retryable: false, code: 'CONFLICT' },
  continuation_error: { exitStatus: 40, retryable: false, code: 'EIO' },
  model_rate_limit: { exitStatus: 40, retryable: true, code: 'EAGAIN' },
  model_internal_error: { exitStatus: 40, retryable: true, code: 'EIO' },
  model_connection_error: { exitStatus: 40, retryable: true, code: 'EIO' },
  internal_error: { exitStatus: 50, retryable: false, code: 'EIO' },
}

/** A replay that can't be. */
export class ReplayFault extends WorkspaceError {
  readonly category: FailureCategory

  constructor(category: FailureCategory, message: string, options?: { cause?: unknown }) {
    super(CATEGORIES[category].code, message, options)
    this.category = category
  }
}

/** A file that isn't what its format says. */
export function trajectoryFault(message: string): ReplayFault {
  return new ReplayFault('trajectory_error', message)
}

/** A version, tool or action that can't be replayed. */
export function versionFault(message: string): ReplayFault {
  return new ReplayFault('unsupported_version', message)
}

export function configurationFault(message: string): ReplayFault {
  return new ReplayFault('configuration_error', message)
}

/** Any failure as one of a category. */
export function faultOf(error: unknown): ReplayFault {
  if (error instanceof ReplayFault) return error
  if (error instanceof Error && error.name === 'AbortError')
    return new ReplayFault('executor_error', 'the replay was ended', { cause: error })
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return new ReplayFault(categoryOf(code), message, { cause: error })
}

function categoryOf(code: ErrorCode | undefined): FailureCategory {
  if (code === undefined) return 'internal_error'
  return code === 'CAPABILITY_UNSUPPORTED' || code === 'CONFIG_INVALID' ? 'configuration_error' : 'executor_error'
}
