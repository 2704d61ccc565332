import { WorkspaceError } from '../errors.ts'
import { fromBase64, toBase64 } from '../shell/machine/base64.ts'
import { CapturedOutput } from './captured-output.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import type { SavedExecution } from './executor.ts'
import type { JobCore } from './job-core.ts'
import { readDocument } from './job-core.ts'
import { checkpointIfAny, checkpointKey, referencesTo, removeCheckpoint } from './stored-checkpoints.ts'

export const EXECUTION = 'execution.json'
export const HEAD = 'execution-head.json'

/** `checkpoints/ID/execution.json`: the running command, and what it had written. */
export interface ExecutionDocument {
  readonly schema_version: 1
  readonly execution: SavedExecution
  /** What is kept of its output, as base64, and how much there was. */
  readonly output: { readonly [stream in 'stdout' | 'stderr']: { readonly kept: string; readonly size: number } }
  readonly captures: boolean
  /** Milliseconds that it ran so far. */
  readonly elapsed_ms: number
}

/** `execution-head.json`: where a suspended Job goes on, or where one goes on whose runner died. */
export interface ExecutionHead {
  readonly schema_version: 1
  readonly checkpoint_id: string
  /** The Job suspended itself, and nobody asked for the checkpoint: it goes when the Job has got further. */
  readonly is_passing: boolean
}

export function executionDocument(
  execution: SavedExecution,
  captured: CapturedOutput,
  captures: boolean,
  elapsedMs: number,
): ExecutionDocument {
  const kept = (stream: 'stdout' | 'stderr'): ExecutionDocument['output']['stdout'] => ({
    kept: toBase64(captured.bytes(stream)),
    size: captured.size(stream),
  })
  return {
    schema_version: 1,
    execution,
    output: { stdout: kept('stdout'), stderr: kept('stderr') },
    captures,
    elapsed_ms: Math.round(elapsedMs),
  }
}

/** The output that a saved command had written. */
export function capturedBefore({ output }: ExecutionDocument): CapturedOutput {
  const captured = new CapturedOutput()
  for (const stream of ['stdout', 'stderr'] as const) captured.bringBack(fromBase64(output[stream].kept), output[stream].size, stream)
  return captured
}

/** The running command that a checkpoint of kind `execution` keeps. CORRUPT where it is gone, VERSION_UNSUPPORTED for another schema. */
export async function executionOf(core: JobCore, manifest: CheckpointManifest): Promise<ExecutionDocument> {
  const document = await readDocument<ExecutionDocument>(core, checkpointKey(manifest.checkpoint_id, EXECUTION))
  if (document === null) throw new WorkspaceError('CORRUPT', `checkpoint ${manifest.checkpoint_id} has lost its ${EXECUTION}`)
  if (document.schema_version === 1) return document
  throw new WorkspaceError(
    'VERSION_UNSUPPORTED',
    `the execution in checkpoint ${manifest.checkpoint_id} has schema ${document.schema_version}; this version reads 1`,
  )
}

/** The checkpoint at which a Job goes on; null where it never was suspended. */
export async function headOf(core: JobCore): Promise<CheckpointManifest | null> {
  const head = await readDocument<ExecutionHead>(core, HEAD)
  return head === null ? null : checkpointIfAny(core, head.checkpoint_id)
}

/** The Job has got further than `head`: a checkpoint that nobody asked for goes, unless a Job was forked from it. */
export async function forgetHead(core: JobCore, head: ExecutionHead | null): Promise<void> {
  if (head === null || !head.is_passing || (await referencesTo(core, head.checkpoint_id)) > 0) return
  await removeCheckpoint(core, head.checkpoint_id)
}

/** The Job has ended: there is nothing to go on from any more. */
export async function releaseHead(core: JobCore): Promise<void> {
  const head = await readDocument<ExecutionHead>(core, HEAD)
  if (head === null) return
  await core.place.store.delete(HEAD)
  await forgetHead(core, head)
}
