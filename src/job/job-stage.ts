import type { FileSystem } from '../fs/file-system.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import { contentIn } from './content-store.ts'
import type { JobCore } from './job-core.ts'
import { readDocument, STAGE, stageRecord } from './job-core.ts'
import type { Fingerprint, StageRecord, StageState } from './job-documents.ts'
import type { JobMount, StagedMount } from './stage.ts'
import { stagedMount } from './stage.ts'

export const PREIMAGES = 'preimages.json'

/** `preimages.json`: what was where before the Job touched it. */
export interface PreimagesRecord {
  readonly schema_version: 1
  readonly mounts: readonly { readonly prefix: string; readonly paths: readonly (readonly [path: string, fingerprint: Fingerprint])[] }[]
}

/** What the stage of a mount begins with: an upper layer, and what is known of the time before it. */
export interface StageSeed {
  readonly upper: FileSystem | undefined
  readonly known: Iterable<readonly [path: string, fingerprint: Fingerprint]>
}

/**
 * The workspace's mounts as a Job that starts has them: each that can be written to staged, if changes are. Where `seed` is given, it fills the upper layer of the Job's
 * place, or gives another one.
 */
export async function newMounts(
  { context, place }: JobCore,
  isStaged: boolean,
  seed?: (prefix: string, upper: FileSystem | undefined) => Promise<StageSeed>,
): Promise<ReadonlyMap<string, JobMount>> {
  const mounts = new Map<string, JobMount>()
  for (const { prefix, fs, mode } of context.mounts()) {
    if (!isStaged || mode === 'read' || context.isDirect?.(prefix) === true) {
      mounts.set(prefix, { mode, fs, staged: null })
      continue
    }
    const own = await place.upper?.(prefix)
    const { upper, known } = (await seed?.(prefix, own)) ?? { upper: own, known: [] }
    const staged = stagedMount(fs, upper, known, context.isPrivate?.(prefix))
    mounts.set(prefix, { mode, fs: staged.overlay, staged })
  }
  return mounts
}

/** The stage as it was left: an empty map where nothing was staged, or nothing is any more. */
export async function openStage(core: JobCore): Promise<ReadonlyMap<string, StagedMount>> {
  const record = await stageRecord(core)
  if (record === null) return new Map()
  return openStageOf(core, record.mounts, (await readDocument<PreimagesRecord>(core, PREIMAGES)) ?? NO_PREIMAGES)
}

/** The stage that trees and preimages make: those of the Job itself, or of a checkpoint. A mount without a tree has the place's own upper layer. */
export async function openStageOf(
  { context, place }: JobCore,
  saved: StageRecord['mounts'],
  preimages: PreimagesRecord,
): Promise<ReadonlyMap<string, StagedMount>> {
  const content = contentIn(place.objects)
  const known = new Map(preimages.mounts.map(({ prefix, paths }) => [prefix, paths]))
  const stage = new Map<string, StagedMount>()
  for (const { prefix, fs } of context.mounts()) {
    const mount = saved.find((one) => one.prefix === prefix)
    if (mount === undefined) continue
    const upper: FileSystem = mount.tree === null ? ((await place.upper?.(prefix)) ?? new RAMFileSystem()) : await content.open(mount.tree)
    stage.set(prefix, stagedMount(fs, upper, known.get(prefix), context.isPrivate?.(prefix)))
  }
  return stage
}

/** What is to be written of a stage, so that it can be opened again. Trees are in the store when it is given. */
export async function stageDocuments(
  { context, place }: JobCore,
  stage: ReadonlyMap<string, StagedMount>,
  state: StageState,
  generation: number,
): Promise<Readonly<Record<string, StageRecord | PreimagesRecord>>> {
  const content = contentIn(place.objects)
  const mounts: StageRecord['mounts'][number][] = []
  for (const [prefix, { upper }] of stage) {
    await upper.sync()
    mounts.push({ prefix, tree: place.upper === undefined ? await content.save(upper) : null })
  }
  return { [PREIMAGES]: preimagesOf(stage), [STAGE]: { schema_version: 1, state, generation, target: context.workspace, mounts } }
}

/** What is known of the time before a stage's changes. */
export function preimagesOf(stage: ReadonlyMap<string, StagedMount>): PreimagesRecord {
  return { schema_version: 1, mounts: Array.from(stage, ([prefix, { baseline }]) => ({ prefix, paths: [...baseline.entries()] })) }
}

const NO_PREIMAGES: PreimagesRecord = { schema_version: 1, mounts: [] }
