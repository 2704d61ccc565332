import type { Workspace } from 'mirage-runtime'
import type { Limits } from './limits.ts'
import type { Scripts } from './scripts.ts'

/** The agent that a request is for. */
export interface Agent {
  readonly workspace: Workspace
  readonly limits: Limits
  /** What goes on by itself, over many requests. */
  readonly scripts: Scripts
  /** Counts one more line; what is given back ends it. 429 where there are too many. */
  beginLine(): () => void
  /** Drops sessions, history, scripts and files. */
  forget(): Promise<void>
}
