/**
 * The documents of a Job as they are stored and printed: their names are those of the format, which is why they are not written as the rest of the
 * library is.
 */

export type RunState = 'running' | 'suspended' | 'completed' | 'cancelled' | 'failed' | 'terminated'

export type FailureKind = 'invalid_spec' | 'unsupported' | 'spawn' | 'process_exit' | 'workload' | 'deadline_exceeded' | 'infrastructure'

/** `run.json`: who ran what, and how it stands. */
export interface RunRecord {
  readonly schema_version: 1
  readonly run_id: string
  readonly attempt_id: string
  readonly parent_run_id: string | null
  readonly task_id: string | null
  readonly session_id: string | null
  readonly name: string | null
  readonly agent: string | null
  readonly pid: number | null
  readonly command: readonly string[]
  /** The command was given as a line of shell. */
  readonly command_line: boolean
  readonly executor: { readonly name: string; readonly kind: string; readonly isolation: string }
  readonly state: RunState
  readonly started_at_unix_ms: number
  readonly finished_at_unix_ms: number | null
  readonly storage: string
  readonly workspace: string
  readonly network: null
  readonly network_policy: null
  readonly environment: {
    readonly inherits_host: boolean
    readonly projected_keys: readonly string[]
    readonly runtime_injected_keys: readonly string[]
  }
  readonly resource_limits: { readonly timeout_ms: number | null }
  /** Null where nothing was staged. */
  readonly overlay: { readonly target: string; readonly mounts: readonly string[] } | null
  readonly overlay_lowers: readonly string[]
  readonly lineage: { readonly parent_run_id: string; readonly checkpoint_id: string | null } | null
  readonly orchestration: null
}

/** One net change of a stage. */
export interface StagedChange {
  /** Relative to the root of the Job's files. */
  readonly path: string
  readonly kind: 'added' | 'modified' | 'deleted' | 'type_changed' | 'opaque'
  readonly old_type?: ChangedType
  readonly new_type?: ChangedType
  readonly size_bytes?: number
  readonly mode?: number
}

export type ChangedType = 'file' | 'directory' | 'symlink' | 'other'

/** What was at a path before the Job first touched it. */
export type Fingerprint =
  | { readonly type: 'absent' }
  | {
      readonly type: 'file'
      readonly mode: number
      /** SHA-256 of the content, in hexadecimal; null where it was not read in time, and `stamp` must do. */
      readonly sha256: string | null
      readonly size: number
      /** Tells one version of the file from another where the file system has such a thing: times and numbers, as a text. */
      readonly stamp: string | null
    }
  | { readonly type: 'directory'; readonly mode: number }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'other'; readonly mode: number }

export type StageState = 'active' | 'staged' | 'applied' | 'discarded'

/** `stage.json`: what the stage holds, and what came of it. */
export interface StageRecord {
  readonly schema_version: 1
  readonly state: StageState
  /** Counts changes of the stage since the command stopped: apply and drop. */
  readonly generation: number
  readonly target: string
  readonly mounts: readonly { readonly prefix: string; readonly tree: string | null }[]
}
