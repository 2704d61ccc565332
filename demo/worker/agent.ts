import type { Workspace } from 'mirage-runtime'
import type { Limits } from './limits.ts'

/** The agent that a request is for. */
export interface Agent {
  readonly workspace: Workspace
  readonly limits: Limits
  /** Counts one more line; what is given back ends it. 429 where there are too many. */
  beginLine(): () => void
  /** Drops sessions, history and files. */
  forget(): Promise<void>
}
