import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { drive, type Steps } from '../fs/maybe.ts'
import type { RAMSnapshot } from '../fs/memory.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import { isPromise } from '../host.ts'
import type { ApplyRecord } from './apply-ledger.ts'
import { newRecord, readLedger, withRecord, writeLedger } from './apply-ledger.ts'
import type { MountPlan, Seen } from './apply-plan.ts'
import { conflictsOf } from './apply-plan.ts'
import { removeTemporary, writeChanges } from './apply-writes.ts'
import type { NetChange } from './changes.ts'
import { netChanges } from './changes.ts'
import type { JobCore } from './job-core.ts'
import { stageRecord, withEndedJob } from './job-core.ts'
import type { StageRecord } from './job-documents.ts'
import { openStage, stageDocuments } from './job-stage.ts'
import { uuid } from './run-job.ts'
import type { Selection } from './selection.ts'
import { checkSelection, selectChanges } from './selection.ts'
import type { StagedMount } from './stage.ts'

export interface ApplyOptions extends Selection {
  /** Where changes go instead of the mounts they were staged over, by mount prefix. What is applied there stays staged, too. */
  readonly target?: { readonly name: string; readonly mounts: ReadonlyMap<string, FileSystem> }
}

/** What `apply` did. */
export interface Applied {
  /** Null where everything had been applied before. */
  readonly applyId: string | null
  /** Paths of the changes that were made. */
  readonly paths: readonly string[]
  /** Changes that are still staged. */
  readonly remaining: number
  readonly target: string
  /** Everything had been applied before: nothing was done. */
  readonly alreadyApplied: boolean
}

/**
 * Makes staged changes in the files they were staged over: all that are selected, or, where somebody changed one of the paths since, none of them (CONFLICT). What a
 * crash cuts off is finished by the next call. EINVAL for a Job without a stage, or whose stage was dropped.
 */
export function applyJob(core: JobCore, options: ApplyOptions = {}): Promise<Applied> {
  checkSelection(options, ['target'])
  return withEndedJob(core, async () => {
    const { target: other, ...selection } = options
    const { workspace, storage } = core.context
    const lease = await storage.lockTarget?.(other?.name ?? workspace)
    try {
      await finishInterrupted(core)
      const record = await demandStage(core)
      const target = other?.name ?? workspace
      if (record.state === 'applied') return { applyId: null, paths: [], remaining: 0, target, alreadyApplied: true }
      if (record.state === 'discarded')
        throw new WorkspaceError('EINVAL', `the stage of Job ${core.id} was dropped: there is nothing to apply`)
      const stage = await openStage(core)
      const chosen = selectChanges(await netChanges(stage), selection)
      const plans = plansOf(stage, chosen, other?.mounts ?? null)
      const entry = newRecord(core, { applyId: uuid(core.context.host), generation: record.generation, target, selection, changes: chosen })
      await makeChanges(core, plans, entry)
      const remaining = await settle(core, stage, record, entry, other === undefined)
      return { applyId: entry.apply_id, paths: entry.planned_paths, remaining, target, alreadyApplied: false }
    } finally {
      lease?.end()
    }
  })
}

/** Finishes what an earlier `apply` began and a crash cut off. */
export async function finishInterrupted(core: JobCore): Promise<void> {
  const ledger = await readLedger(core)
  const entry = ledger.records.find(({ state }) => state !== 'committed')
  if (entry === undefined) return
  if (entry.target !== core.context.workspace) {
    // Somewhere else than here: whoever applies there again does it anew.
    await writeLedger(core, { ...ledger, records: ledger.records.filter((one) => one !== entry) })
    return
  }
  const stage = await openStage(core)
  if (entry.state === 'prepared') {
    const settings = { temporary: entry.apply_id, seen: null }
    for (const plan of plansOf(stage, entry.changes, null)) {
      await drive(removeTemporary(plan, entry.apply_id))
      await drive(writeChanges(plan, settings))
      await plan.target.sync()
    }
  }
  await settle(core, stage, await demandStage(core), entry, true)
}

/** The record of the Job's stage. EINVAL where nothing was staged. */
export async function demandStage(core: JobCore): Promise<StageRecord> {
  const record = await stageRecord(core)
  if (record === null) throw new WorkspaceError('EINVAL', `Job ${core.id} has no stage: what it changed was written at once`)
  return record
}

async function makeChanges(core: JobCore, plans: readonly MountPlan[], entry: ApplyRecord): Promise<void> {
  const seen = plans.map((): Seen => new Map())
  if (plans.every(({ target, staged }) => target instanceof RAMFileSystem && staged.upper instanceof RAMFileSystem)) {
    makeAtOnce(plans, entry.apply_id)
    return
  }
  const conflicts: string[] = []
  for (const [at, plan] of plans.entries()) conflicts.push(...(await drive(conflictsOf(plan, seen[at] as Seen))))
  if (conflicts.length > 0) throw conflict(conflicts)
  await writeLedger(core, withRecord(await readLedger(core), entry))
  for (const [at, plan] of plans.entries()) {
    await drive(writeChanges(plan, { temporary: entry.apply_id, seen: seen[at] as Seen }))
    await plan.target.sync()
  }
}

/** In memory nobody sees anything between the look and the last change. */
function makeAtOnce(plans: readonly MountPlan[], temporary: string): void {
  const before = plans.map(({ target }): [RAMFileSystem, RAMSnapshot] => [target as RAMFileSystem, (target as RAMFileSystem).snapshot()])
  try {
    const done = drive(allAtOnce(plans, temporary))
    if (isPromise(done)) throw new WorkspaceError('EIO', 'files in memory did not answer at once')
  } catch (error) {
    for (const [fs, snapshot] of before) fs.restore(snapshot)
    throw error
  }
}

function* allAtOnce(plans: readonly MountPlan[], temporary: string): Steps<void> {
  const seen = plans.map((): Seen => new Map())
  const conflicts: string[] = []
  for (const [at, plan] of plans.entries()) conflicts.push(...(yield* conflictsOf(plan, seen[at] as Seen)))
  if (conflicts.length > 0) throw conflict(conflicts)
  for (const [at, plan] of plans.entries()) yield* writeChanges(plan, { temporary, seen: seen[at] as Seen })
}

/** Takes what was applied out of the stage, and writes down that it was: how many changes remain. */
async function settle(
  core: JobCore,
  stage: ReadonlyMap<string, StagedMount>,
  record: StageRecord,
  entry: ApplyRecord,
  takesOut: boolean,
): Promise<number> {
  const ledger = await readLedger(core)
  if (!takesOut) {
    const { length } = await netChanges(stage)
    await writeLedger(core, withRecord(ledger, { ...entry, state: 'committed', remaining_changes: length }))
    return length
  }
  if (entry.state === 'prepared' && core.place.upper !== undefined)
    await writeLedger(core, withRecord(ledger, { ...entry, state: 'target_applied' }))
  await takeOut(stage, entry.changes)
  const remaining = (await netChanges(stage)).length
  const isAll = remaining === 0
  const documents = await stageDocuments(core, isAll ? new Map() : stage, isAll ? 'applied' : 'staged', record.generation + 1)
  await writeLedger(core, withRecord(ledger, { ...entry, state: 'committed', remaining_changes: remaining }), documents)
  if (isAll) for (const { prefix } of record.mounts) await core.place.clearUpper?.(prefix)
  return remaining
}

async function takeOut(stage: ReadonlyMap<string, StagedMount>, changes: readonly NetChange[]): Promise<void> {
  for (const [prefix, { overlay, baseline }] of stage) {
    const own = changes.filter(({ mount }) => mount === prefix)
    for (const { inner } of own.toReversed()) await overlay.forget(inner)
    const gone = own.filter(({ before, after }) => before.type === 'directory' && after.type !== 'directory').map(({ inner }) => inner)
    for (const { inner } of own) baseline.delete(inner)
    if (gone.length === 0) continue
    const roots = new Set(gone)
    for (const [path] of [...baseline.entries()]) if (isBelow(path, roots)) baseline.delete(path)
  }
}

function isBelow(path: string, roots: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) if (roots.has(path.slice(0, end))) return true
  return false
}

function plansOf(
  stage: ReadonlyMap<string, StagedMount>,
  changes: readonly NetChange[],
  targets: ReadonlyMap<string, FileSystem> | null,
): readonly MountPlan[] {
  const plans: MountPlan[] = []
  for (const [prefix, staged] of stage) {
    const own = changes.filter(({ mount }) => mount === prefix)
    if (own.length === 0) continue
    const target = targets === null ? staged.lower : targets.get(prefix)
    if (target === undefined)
      throw new WorkspaceError('EINVAL', `the target has nothing for the mount '${prefix}', where '${own[0]?.path}' was changed`)
    plans.push({ prefix, staged, target, changes: own })
  }
  return plans
}

const SHOWN = 10

function conflict(paths: readonly string[]): WorkspaceError {
  const shown = paths.slice(0, SHOWN).map((path) => `'${path}'`)
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : ''
  return new WorkspaceError(
    'CONFLICT',
    `the target changed after staging, and what others wrote is not overwritten: ${shown.join(', ')}${more}; nothing was applied`,
  )
}
