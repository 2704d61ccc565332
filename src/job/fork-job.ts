import { WorkspaceError } from '../errors.ts'
import { checkNames, invalid } from '../option-checks.ts'
import type { RunningJob } from './active-job.ts'
import type { CheckpointManifest, CheckpointReference } from './checkpoint-documents.ts'
import { commandOf, seedsOf } from './checkpoint-seeds.ts'
import { checkpointOf } from './create-checkpoint.ts'
import type { JobCore } from './job-core.ts'
import { documentBytes, holdJob, runRecord, withEndedJob } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import { newMounts } from './job-stage.ts'
import { demandKeepable, keepExecution } from './keep-execution.ts'
import { LAUNCH_POLICY, launchPolicy } from './launch-policy.ts'
import { goOnFrom } from './resume-job.ts'
import type { JobOrigin } from './run-job.ts'
import { demandNew, newJobId, startJob, uuid } from './run-job.ts'
import { checkpointKey, findCheckpoint } from './stored-checkpoints.ts'

/** What a fork does otherwise than the Job it comes from. */
export interface ForkOptions
  extends Pick<JobOptions, 'id' | 'name' | 'timeoutMs' | 'env' | 'stdin' | 'onOutput' | 'captureOutput' | 'signal'> {
  /** `workspace`: a new command begins with the files of a checkpoint; `execution`: the command goes on from one. `workspace` when left out. */
  readonly state?: 'workspace' | 'execution'
  /** The checkpoint it begins with, or the beginning of its id; a new one when left out. */
  readonly checkpoint?: string
  /** The command of the Job it comes from when left out. */
  readonly command?: JobOptions['command']
}

const KEYS: readonly string[] = [
  'state',
  'checkpoint',
  'command',
  'id',
  'name',
  'timeoutMs',
  'env',
  'stdin',
  'onOutput',
  'captureOutput',
  'signal',
]

/**
 * Starts a Job on its own copy of what an ended one has staged. It inherits executor, directory, profile, access and time limit, but no variables: pass `env` again.
 * The checkpoint it comes from can't be deleted any more.
 */
export async function forkJob(core: JobCore, running: RunningJob | null, options: ForkOptions): Promise<RunningJob> {
  checkNames(options, KEYS, 'fork options')
  const { state, checkpoint, command, ...rest } = options
  if (state !== undefined && state !== 'workspace' && state !== 'execution') throw invalid('state', state, '"workspace" or "execution"')
  if (state === 'execution') return forkExecution(core, running, options)
  return withEndedJob(core, async (record) => {
    const policy = await launchPolicy(core)
    if (policy === null)
      throw new WorkspaceError(
        'CAPABILITY_UNSUPPORTED',
        `Job ${core.id} didn't write down how it was started, so a fork can't inherit its bounds`,
      )
    const manifest = checkpoint === undefined ? await checkpointOf(core, record, null) : await findCheckpoint(core, checkpoint)
    return withReference(core, manifest, options.id, async (id, reference) => {
      const child: JobOptions = {
        ...rest,
        id,
        command: command ?? commandOf(record),
        stage: true,
        executor: policy.executor,
        access: policy.access,
        ...given('cwd', policy.cwd),
        ...given('profile', policy.profile),
        ...given('timeoutMs', options.timeoutMs ?? policy.timeout_ms),
      }
      return startJob(core.context, child, originOf(core, manifest, reference))
    })
  })
}

/** The command of a running or suspended Job goes on twice from where it is: as that Job, and as one of its own. */
async function forkExecution(core: JobCore, running: RunningJob | null, options: ForkOptions): Promise<RunningJob> {
  await demandKeepable(core)
  for (const name of ['command', 'timeoutMs', 'env'] as const) {
    if (options[name] !== undefined) throw invalid(name, options[name], 'left out: the command goes on as it is')
  }
  const source = await runRecord(core)
  if (source.overlay === null)
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `CAPABILITY_UNSUPPORTED: Job ${core.id} has no stage: two that go on would change the same files; stage the Job`,
    )
  const manifest =
    options.checkpoint === undefined ? (await keepExecution(core, running, {})).manifest : await findCheckpoint(core, options.checkpoint)
  if (manifest.kind !== 'execution')
    throw new WorkspaceError(
      'CONFLICT',
      `checkpoint ${manifest.checkpoint_id} is of kind ${manifest.kind}: it keeps no execution to go on with`,
    )
  return withReference(core, manifest, options.id, async (id, reference) => {
    const { context } = core
    const child: JobCore = { id, context, place: await context.storage.place(id) }
    await demandNew(child)
    const lease = await holdJob(child, options.signal)
    try {
      await demandNew(child)
      const lineage = { parent_run_id: core.id, checkpoint_id: manifest.checkpoint_id }
      const record: RunRecord = {
        ...source,
        run_id: id,
        attempt_id: `attempt-${uuid(context.host)}`,
        parent_run_id: core.id,
        name: options.name ?? source.name,
        storage: child.place.location ?? id,
        state: 'running',
        pid: null,
        started_at_unix_ms: Math.round(context.host.now()),
        finished_at_unix_ms: null,
        lineage,
      }
      const { state: _state, checkpoint: _checkpoint, command: _command, id: _id, ...rest } = options
      const documents = { [LAUNCH_POLICY]: await launchPolicy(core), 'source-checkpoint.json': reference }
      return await goOnFrom(core, manifest, child, record, lease, rest, documents)
    } catch (error) {
      lease.end()
      throw error
    }
  })
}

/** Starts a child of a checkpoint, which keeps the checkpoint from being deleted. */
async function withReference<T>(
  core: JobCore,
  { checkpoint_id }: CheckpointManifest,
  wantedId: string | undefined,
  start: (id: string, reference: CheckpointReference) => Promise<T>,
): Promise<T> {
  const id = wantedId ?? newJobId(core.context)
  const reference: CheckpointReference = { schema_version: 1, run_id: core.id, checkpoint_id, child_run_id: id }
  const key = checkpointKey(checkpoint_id, `references/${id}`)
  const written = await core.place.store.put(key, documentBytes(reference), null)
  if (written.state !== 'written') throw new WorkspaceError('EEXIST', `there is a Job ${id} already`)
  try {
    return await start(id, reference)
  } catch (error) {
    await core.place.store.delete(key)
    throw error
  }
}

function originOf(source: JobCore, manifest: CheckpointManifest, reference: CheckpointReference): JobOrigin {
  return {
    lineage: { parent_run_id: source.id, checkpoint_id: manifest.checkpoint_id },
    documents: { 'source-checkpoint.json': reference },
    mounts: async (core) => newMounts(core, true, await seedsOf(source, manifest)),
  }
}

function given<K extends string, V>(key: K, value: V | null): { readonly [name in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { readonly [name in K]: V })
}
