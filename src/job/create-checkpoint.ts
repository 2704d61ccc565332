import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import { randomId } from '../host.ts'
import { checkNames, invalid } from '../option-checks.ts'
import type { CheckpointCreated, CheckpointKind, CheckpointManifest, CheckpointReceipt } from './checkpoint-documents.ts'
import { answerAbout } from './checkpoint-documents.ts'
import { contentIn } from './content-store.ts'
import type { JobCore } from './job-core.ts'
import { readDocument, stageRecord, withEndedJob, writeDocuments } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import { openStage, preimagesOf } from './job-stage.ts'
import { launchPolicy } from './launch-policy.ts'
import type { StagedMount } from './stage.ts'
import { checkpointIfAny, checkpointKey, MANIFEST, receiptKey, requestCheckpoint } from './stored-checkpoints.ts'

/** What a checkpoint is made of, and for whom. */
export interface CheckpointOptions {
  /** `workspace`: what the stage holds; `execution`: that, and the state of the running command. `workspace` when left out. */
  readonly kind?: CheckpointKind
  /** The same request makes one checkpoint, however often it comes. */
  readonly requestId?: string
  /** Milliseconds to wait for whoever runs the command, where that is another instance; 120,000 when left out. Of an `execution` only. */
  readonly timeoutMs?: number
}

/** CONFIG_INVALID for options that can't be. */
export function checkCheckpointOptions(options: CheckpointOptions): void {
  checkNames(options, ['kind', 'requestId', 'timeoutMs'], 'checkpoint options')
  checkKind(options.kind)
  const { requestId } = options
  if (requestId !== undefined && !(typeof requestId === 'string' && requestId !== '' && encode(requestId).length <= 256))
    throw invalid('requestId', requestId, 'a text of 1 to 256 bytes')
}

/** CONFIG_INVALID for a kind that there isn't. */
export function checkKind(kind: CheckpointKind | undefined): void {
  if (kind !== undefined && kind !== 'workspace' && kind !== 'execution') throw invalid('kind', kind, '"workspace" or "execution"')
}

/** Keeps what the stage of an ended Job holds. EBUSY and EIO as `withEndedJob`, EINVAL where nothing waits on a stage, EEXIST for a request that meant something else. */
export async function createCheckpoint(core: JobCore, options: CheckpointOptions): Promise<CheckpointCreated> {
  const requestId = options.requestId ?? null
  const reused = await answered(core, 'workspace', requestId)
  if (reused !== null) return reused
  return withEndedJob(core, async (record) => {
    // Somebody may have made the same request meanwhile.
    const late = await answered(core, 'workspace', requestId)
    if (late !== null) return late
    const checkpoint = await checkpointOf(core, record, requestId)
    return { ...answerAbout('checkpoint.create', record), ...made(checkpoint), reused: false, checkpoint }
  })
}

/** As {@link createCheckpoint}, by somebody who holds the Job. */
export async function checkpointOf(core: JobCore, record: RunRecord, requestId: string | null): Promise<CheckpointManifest> {
  const stage = await stageRecord(core)
  if (stage === null) throw new WorkspaceError('EINVAL', `Job ${core.id} changed the workspace itself: it has no stage to keep`)
  if (stage.state !== 'staged')
    throw new WorkspaceError('EINVAL', `the stage of Job ${core.id} is ${stage.state}: only one that is staged can be kept`)
  return sealCheckpoint(core, { record, kind: 'workspace', requestId, stage: await openStage(core), generation: stage.generation })
}

/** What a checkpoint is made of. */
export interface CheckpointParts {
  readonly record: RunRecord
  readonly kind: CheckpointKind
  readonly requestId: string | null
  readonly stage: ReadonlyMap<string, StagedMount>
  readonly generation: number
  /** Other documents of it, by their names in it. */
  readonly documents?: Readonly<Record<string, unknown>>
}

/** Writes a checkpoint: it is there whole or not at all. */
export async function sealCheckpoint(core: JobCore, parts: CheckpointParts): Promise<CheckpointManifest> {
  const { record, kind, requestId, stage, generation } = parts
  const { host, workspace } = core.context
  const id = requestId === null ? `checkpoint-${randomId(host, 16)}` : requestCheckpoint(requestId)
  const content = contentIn(core.place.objects)
  const snapshot: CheckpointManifest['upper_snapshot'][number][] = []
  for (const [prefix, { upper }] of stage) snapshot.push({ prefix, tree: await content.save(upper) })
  const manifest: CheckpointManifest = {
    schema_version: 3,
    kind,
    checkpoint_id: id,
    request_id: requestId,
    run_id: core.id,
    source_attempt_id: record.attempt_id,
    workspace_generation: generation,
    created_at_unix_ms: Math.round(host.now()),
    consistency: kind === 'execution' ? 'agent_quiesced' : 'stopped',
    source_stage: record.storage,
    upper_snapshot: snapshot,
    preimages_snapshot: checkpointKey(id, 'preimages.json'),
    target: workspace,
    lower_dirs: record.overlay_lowers,
    protect_target: true,
    access_policy: (await launchPolicy(core))?.access ?? [],
  }
  const documents = Object.entries(parts.documents ?? {}).map(([name, document]) => [checkpointKey(id, name), document] as const)
  // In this order where the store can't write them in one step: the manifest makes it a checkpoint, the receipt keeps others from making it again.
  await writeDocuments(core, {
    ...Object.fromEntries(documents),
    [manifest.preimages_snapshot]: preimagesOf(stage),
    ...(requestId === null
      ? {}
      : {
          [receiptKey(requestId)]: {
            schema_version: 1,
            request_id: requestId,
            kind,
            checkpoint_id: id,
            deleted: false,
          } satisfies CheckpointReceipt,
        }),
    [checkpointKey(id, MANIFEST)]: manifest,
  })
  return manifest
}

/** What a request that came before was answered; null for a new one. EEXIST where it meant something else, or its checkpoint is deleted. */
export async function answered(core: JobCore, kind: CheckpointKind, requestId: string | null): Promise<CheckpointCreated | null> {
  if (requestId === null) return null
  const receipt = await readDocument<CheckpointReceipt>(core, receiptKey(requestId))
  if (receipt === null) return null
  if (receipt.kind !== kind)
    throw new WorkspaceError('EEXIST', `REQUEST_ID_CONFLICT: request ${requestId} made a checkpoint of kind ${receipt.kind}, not ${kind}`)
  if (receipt.deleted)
    throw new WorkspaceError(
      'EEXIST',
      `request ${requestId} is already committed, and its checkpoint was deleted since: make another one with a new request id`,
    )
  const checkpoint = await checkpointIfAny(core, receipt.checkpoint_id)
  // It was not finished, then.
  if (checkpoint === null) return null
  return { ...answerAbout('checkpoint.create', checkpoint), ...made(checkpoint), reused: true, checkpoint }
}

function made({ request_id, checkpoint_id, kind }: CheckpointManifest): Pick<CheckpointCreated, 'request_id' | 'checkpoint_id' | 'kind'> {
  return { request_id, checkpoint_id, kind }
}
