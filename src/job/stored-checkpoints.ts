import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { checkpointById } from './checkpoint-ids.ts'
import { digestOf } from './digest.ts'
import type { JobCore } from './job-core.ts'
import { readDocument } from './job-core.ts'
import type { PreimagesRecord } from './job-stage.ts'
import { openStage, openStageOf } from './job-stage.ts'
import type { StagedMount } from './stage.ts'

export const CHECKPOINTS = 'checkpoints/'
export const MANIFEST = 'checkpoint.json'

/** Where a document of a checkpoint is. */
export function checkpointKey(id: string, document: string): string {
  return `${CHECKPOINTS}${id}/${document}`
}

/** Where is written what a request made. */
export function receiptKey(requestId: string): string {
  return `${CHECKPOINTS}.requests/${digestOf(encode(requestId))}`
}

/** The id of the checkpoint that a request makes. */
export function requestCheckpoint(requestId: string): string {
  return `request-${digestOf(encode(requestId))}`
}

/** All checkpoints of a Job, by time. */
export async function storedCheckpoints(core: JobCore): Promise<readonly CheckpointManifest[]> {
  const ids = await checkpointIds(core)
  const found = await Promise.all(ids.map((id) => checkpointIfAny(core, id)))
  return found
    .flatMap((manifest) => manifest ?? [])
    .sort((a, b) => a.created_at_unix_ms - b.created_at_unix_ms || (a.checkpoint_id < b.checkpoint_id ? -1 : 1))
}

/** The checkpoint of an id, or of the only one that begins so; `checkpoint-` may be left out. NOT_FOUND, CONFIG_INVALID where several begin so. */
export function findCheckpoint(core: JobCore, given: string): Promise<CheckpointManifest> {
  return checkpointById(given, {
    owner: `Job ${core.id}`,
    all: () => checkpointIds(core),
    read: (id) => checkpointIfAny(core, id),
  })
}

/** The stage as it was at a checkpoint: its changes, what was there before them, and below it the workspace of today. */
export async function checkpointStage(core: JobCore, manifest: CheckpointManifest): Promise<ReadonlyMap<string, StagedMount>> {
  return openStageOf(core, manifest.upper_snapshot, await checkpointPreimages(core, manifest))
}

/** What was there before the changes of a checkpoint. */
export async function checkpointPreimages(core: JobCore, manifest: CheckpointManifest): Promise<PreimagesRecord> {
  const preimages = await readDocument<PreimagesRecord>(core, manifest.preimages_snapshot)
  if (preimages !== null) return preimages
  throw new WorkspaceError('CORRUPT', `checkpoint ${manifest.checkpoint_id} has lost ${manifest.preimages_snapshot}`)
}

/** The stage of a Job as it is, or as it was at a checkpoint. For somebody who holds the Job. */
export async function stageAt(core: JobCore, checkpoint: string | undefined): Promise<ReadonlyMap<string, StagedMount>> {
  return checkpoint === undefined ? openStage(core) : checkpointStage(core, await findCheckpoint(core, checkpoint))
}

/** How many Jobs were forked from a checkpoint. */
export async function referencesTo({ place }: JobCore, id: string): Promise<number> {
  return (await place.store.list(checkpointKey(id, 'references/'))).length
}

/** Takes a checkpoint away: it is none once its manifest is gone. */
export async function removeCheckpoint({ place }: JobCore, id: string): Promise<void> {
  const { store } = place
  await store.delete(checkpointKey(id, MANIFEST))
  for (const key of await store.list(checkpointKey(id, ''))) await store.delete(key)
}

async function checkpointIds({ place }: JobCore): Promise<readonly string[]> {
  const ids: string[] = []
  for (const key of await place.store.list(CHECKPOINTS)) {
    const [, id, document] = key.split('/')
    if (id !== undefined && document === MANIFEST) ids.push(id)
  }
  return ids
}

/** The checkpoint of an id; null where there is none. */
export async function checkpointIfAny(core: JobCore, id: string): Promise<CheckpointManifest | null> {
  const manifest = await readDocument<CheckpointManifest>(core, checkpointKey(id, MANIFEST))
  if (manifest === null || manifest.schema_version === 3) return manifest
  throw new WorkspaceError('VERSION_UNSUPPORTED', `checkpoint ${id} has schema ${manifest.schema_version}; this version reads 3`)
}
