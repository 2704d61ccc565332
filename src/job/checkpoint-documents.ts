import type { RunRecord } from './job-documents.ts'

export type CheckpointKind = 'workspace' | 'execution'

/** `checkpoints/ID/checkpoint.json`: the names are those of the format. A checkpoint is there when its manifest is. */
export interface CheckpointManifest {
  readonly schema_version: 3
  readonly kind: CheckpointKind
  readonly checkpoint_id: string
  readonly request_id: string | null
  readonly run_id: string
  readonly source_attempt_id: string
  readonly workspace_generation: number
  readonly created_at_unix_ms: number
  readonly consistency: 'stopped' | 'agent_quiesced'
  readonly source_stage: string
  /** What the Job had changed in each mount: the tree of its upper layer. */
  readonly upper_snapshot: readonly { readonly prefix: string; readonly tree: string }[]
  /** Name of the document that says what was there before. */
  readonly preimages_snapshot: string
  readonly target: string
  readonly lower_dirs: readonly string[]
  readonly protect_target: true
  readonly access_policy: readonly string[]
}

/** What a request id stands for, in `checkpoints/.requests/`. It stays when the checkpoint is deleted. */
export interface CheckpointReceipt {
  readonly schema_version: 1
  readonly request_id: string
  readonly kind: CheckpointKind
  readonly checkpoint_id: string
  readonly deleted: boolean
}

/** `source-checkpoint.json` of a fork, and, in `checkpoints/ID/references/` of the Job that it was forked from, what keeps the checkpoint. */
export interface CheckpointReference {
  readonly schema_version: 1
  readonly run_id: string
  readonly checkpoint_id: string
  readonly child_run_id: string
}

interface Answer<O extends string> {
  readonly schema_version: 1
  readonly operation: O
  readonly job_id: string
}

export interface CheckpointCreated extends Answer<'checkpoint.create'> {
  readonly request_id: string | null
  readonly checkpoint_id: string
  readonly kind: CheckpointKind
  /** It was there already: the same request came before. */
  readonly reused: boolean
  readonly checkpoint: CheckpointManifest
}

export interface CheckpointList extends Answer<'checkpoint.list'> {
  readonly kind_filter: CheckpointKind | null
  /** Why the execution of the Job can't be saved; null where it can. */
  readonly execution_blocker: string | null
  /** By time. */
  readonly checkpoints: readonly CheckpointManifest[]
}

export interface CheckpointShown extends Answer<'checkpoint.show'> {
  readonly kind: CheckpointKind
  /** Jobs that were forked from it. */
  readonly branch_references: number
  readonly checkpoint: CheckpointManifest
}

export interface CheckpointDeleted extends Answer<'checkpoint.delete'> {
  readonly checkpoint_id: string
  readonly deleted: true
}

export interface CheckpointsSwept extends Answer<'checkpoint.gc'> {
  readonly scope: 'job_workspace_transactions' | 'job_checkpoint_transactions'
  readonly kind_filter: CheckpointKind | null
  readonly root: string
  /** Checkpoints that were left half-made or half-deleted. */
  readonly removed_transactions: number
  readonly execution_removed_transactions: number
  readonly published_checkpoints_deleted: 0
}

/** The first fields of an answer about a Job. */
export function answerAbout<O extends string>(operation: O, { run_id }: Pick<RunRecord, 'run_id'>): Answer<O> {
  return { schema_version: 1, operation, job_id: run_id }
}
