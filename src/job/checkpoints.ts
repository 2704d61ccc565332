import { WorkspaceError } from '../errors.ts'
import { checkNames } from '../option-checks.ts'
import type { RunningJob } from './active-job.ts'
import type {
  CheckpointCreated,
  CheckpointDeleted,
  CheckpointKind,
  CheckpointList,
  CheckpointReceipt,
  CheckpointShown,
  CheckpointsSwept,
} from './checkpoint-documents.ts'
import { answerAbout } from './checkpoint-documents.ts'
import { namedTrees } from './content-roots.ts'
import { contentIn } from './content-store.ts'
import type { CheckpointOptions } from './create-checkpoint.ts'
import { checkCheckpointOptions, checkKind, createCheckpoint } from './create-checkpoint.ts'
import { headOf } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { RUN, runRecord, withStoppedJob, writeDocuments } from './job-core.ts'
import { keepExecution } from './keep-execution.ts'
import {
  CHECKPOINTS,
  checkpointKey,
  findCheckpoint,
  MANIFEST,
  receiptKey,
  referencesTo,
  removeCheckpoint,
  storedCheckpoints,
} from './stored-checkpoints.ts'

/** The checkpoints of a Job: states of its stage that never change, to be looked at and forked from. */
export class JobCheckpoints {
  readonly #core: JobCore
  readonly #running: () => RunningJob | null

  constructor(core: JobCore, running: () => RunningJob | null) {
    this.#core = core
    this.#running = running
  }

  /**
   * Keeps the state of an ended Job. A request id makes it safe to ask again. EBUSY (`JOB_BUSY`) while it runs or is suspended, EIO (`EXECUTION_UNKNOWN`) where
   * nobody knows how it ended, EINVAL where nothing waits on its stage, CONFLICT where, for `execution`, it doesn't run any more, EEXIST
   * (`REQUEST_ID_CONFLICT`) for a request that meant something else,
   * CAPABILITY_UNSUPPORTED for a kind that its executor can't do.
   */
  async create(options: CheckpointOptions = {}): Promise<CheckpointCreated> {
    checkCheckpointOptions(options)
    if (options.kind !== 'execution') return createCheckpoint(this.#core, options)
    const checkpoint = await keepExecution(this.#core, this.#running(), options)
    const { request_id, checkpoint_id, kind } = checkpoint.manifest
    return {
      ...answerAbout('checkpoint.create', checkpoint.manifest),
      request_id,
      checkpoint_id,
      kind,
      reused: checkpoint.reused,
      checkpoint: checkpoint.manifest,
    }
  }

  async list(options: { readonly kind?: CheckpointKind } = {}): Promise<CheckpointList> {
    checkNames(options, ['kind'], 'checkpoint list')
    checkKind(options.kind)
    const record = await runRecord(this.#core)
    const { executors } = this.#core.context
    const executor = executors.get(record.executor.name)
    const all = await storedCheckpoints(this.#core)
    return {
      ...answerAbout('checkpoint.list', record),
      kind_filter: options.kind ?? null,
      execution_blocker: executor === undefined ? `this workspace has no executor "${record.executor.name}"` : executor.executionBlocker,
      checkpoints: options.kind === undefined ? all : all.filter(({ kind }) => kind === options.kind),
    }
  }

  /** One of them by its id or the beginning of that: NOT_FOUND, CONFIG_INVALID where several begin so. */
  async show(id: string): Promise<CheckpointShown> {
    const checkpoint = await findCheckpoint(this.#core, id)
    const { kind, checkpoint_id } = checkpoint
    return {
      ...answerAbout('checkpoint.show', checkpoint),
      kind,
      branch_references: await referencesTo(this.#core, checkpoint_id),
      checkpoint,
    }
  }

  /** Deletes one of them. EBUSY (`CHECKPOINT_REFERENCED`) where a Job was forked from it, or its own Job is suspended there. */
  delete(id: string): Promise<CheckpointDeleted> {
    return withStoppedJob(this.#core, async (record) => {
      const manifest = await findCheckpoint(this.#core, id)
      const { checkpoint_id, request_id, kind } = manifest
      const references = await referencesTo(this.#core, checkpoint_id)
      if (references > 0)
        throw new WorkspaceError(
          'EBUSY',
          `CHECKPOINT_REFERENCED: ${references} Job(s) were forked from checkpoint ${checkpoint_id}, which has to stay`,
        )
      const head = record.state === 'suspended' ? await headOf(this.#core) : null
      if (head?.checkpoint_id === checkpoint_id)
        throw new WorkspaceError(
          'EBUSY',
          `CHECKPOINT_REFERENCED: Job ${this.#core.id} is suspended at checkpoint ${checkpoint_id}, which has to stay until it goes on or is killed`,
        )
      if (request_id !== null) {
        const receipt: CheckpointReceipt = { schema_version: 1, request_id, kind, checkpoint_id, deleted: true }
        await writeDocuments(this.#core, { [receiptKey(request_id)]: receipt })
      }
      await removeCheckpoint(this.#core, checkpoint_id)
      return { ...answerAbout('checkpoint.delete', manifest), checkpoint_id, deleted: true }
    })
  }

  /** Removes what was left of checkpoints that were never finished, or whose deletion wasn't, and content that nothing needs any more. Never a checkpoint. */
  gc(options: { readonly kind?: CheckpointKind } = {}): Promise<CheckpointsSwept> {
    checkNames(options, ['kind'], 'checkpoint gc')
    checkKind(options.kind)
    return withStoppedJob(this.#core, async (record) => {
      const removed = (await this.#sweep()) + (await this.#releaseUnborn())
      await contentIn(this.#core.place.objects).gc(() => namedTrees(this.#core.place))
      return {
        ...answerAbout('checkpoint.gc', record),
        scope: options.kind === 'workspace' ? 'job_workspace_transactions' : 'job_checkpoint_transactions',
        kind_filter: options.kind ?? null,
        root: CHECKPOINTS.slice(0, -1),
        removed_transactions: removed,
        execution_removed_transactions: 0,
        published_checkpoints_deleted: 0,
      }
    })
  }

  /** Removes references of forks that were never started: how many. Only where every Job is kept in one place can it be known that there is no such fork. */
  async #releaseUnborn(): Promise<number> {
    const { context, place } = this.#core
    if (place.documents === undefined) return 0
    let removed = 0
    for (const key of await place.store.list(CHECKPOINTS)) {
      const [, , folder, child] = key.split('/')
      if (folder !== 'references' || child === undefined) continue
      const isThere = (await (await context.storage.place(child)).store.get(RUN)) !== null
      if (!isThere && (await place.store.delete(key))) removed += 1
    }
    return removed
  }

  /** How many unpublished checkpoints were removed. */
  async #sweep(): Promise<number> {
    const { store } = this.#core.place
    const all = new Map<string, string[]>()
    for (const key of await store.list(CHECKPOINTS)) {
      const [, id, document] = key.split('/')
      if (id === undefined || document === undefined || id === '.requests') continue
      const keys = all.get(id)
      if (keys === undefined) all.set(id, [key])
      else keys.push(key)
    }
    let removed = 0
    for (const [id, keys] of all) {
      if (keys.includes(checkpointKey(id, MANIFEST))) continue
      for (const key of keys) await store.delete(key)
      removed += 1
    }
    return removed
  }
}
