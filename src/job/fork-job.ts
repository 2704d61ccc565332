import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { checkNames, invalid } from '../option-checks.ts'
import type { CheckpointManifest, CheckpointReference } from './checkpoint-documents.ts'
import { contentIn } from './content-store.ts'
import { checkpointOf } from './create-checkpoint.ts'
import type { JobCore } from './job-core.ts'
import { documentBytes, runRecord, withEndedJob } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import { newMounts } from './job-stage.ts'
import { launchPolicy } from './launch-policy.ts'
import type { JobOrigin, RunningJob } from './run-job.ts'
import { demandExecution, executorOf, newJobId, startJob } from './run-job.ts'
import { checkpointKey, checkpointPreimages, findCheckpoint } from './stored-checkpoints.ts'

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
export async function forkJob(core: JobCore, options: ForkOptions): Promise<RunningJob> {
  checkNames(options, KEYS, 'fork options')
  const { state, checkpoint, command, ...rest } = options
  if (state !== undefined && state !== 'workspace' && state !== 'execution') throw invalid('state', state, '"workspace" or "execution"')
  if (state === 'execution') {
    const record = await runRecord(core)
    demandExecution(executorOf(core.context, record.executor.name), core.id)
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `CAPABILITY_UNSUPPORTED: Job ${core.id}: its execution can't be forked yet`)
  }
  return withEndedJob(core, async (record) => {
    const policy = await launchPolicy(core)
    if (policy === null)
      throw new WorkspaceError(
        'CAPABILITY_UNSUPPORTED',
        `Job ${core.id} didn't write down how it was started, so a fork can't inherit its bounds`,
      )
    const manifest = checkpoint === undefined ? await checkpointOf(core, record, null) : await findCheckpoint(core, checkpoint)
    const id = options.id ?? newJobId(core.context)
    const reference: CheckpointReference = {
      schema_version: 1,
      run_id: core.id,
      checkpoint_id: manifest.checkpoint_id,
      child_run_id: id,
    }
    const key = checkpointKey(manifest.checkpoint_id, `references/${id}`)
    const written = await core.place.store.put(key, documentBytes(reference), null)
    if (written.state !== 'written') throw new WorkspaceError('EEXIST', `there is a Job ${id} already`)
    try {
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
      return await startJob(core.context, child, originOf(core, manifest, reference))
    } catch (error) {
      await core.place.store.delete(key)
      throw error
    }
  })
}

function originOf(source: JobCore, manifest: CheckpointManifest, reference: CheckpointReference): JobOrigin {
  return {
    lineage: { parent_run_id: source.id, checkpoint_id: manifest.checkpoint_id },
    documents: { 'source-checkpoint.json': reference },
    mounts: async (core) => newMounts(core, true, await seedsOf(source, manifest)),
  }
}

/** What a checkpoint has, as the beginning of a stage. */
async function seedsOf(source: JobCore, manifest: CheckpointManifest): Promise<NonNullable<Parameters<typeof newMounts>[2]>> {
  const content = contentIn(source.place.objects)
  const preimages = await checkpointPreimages(source, manifest)
  return async (prefix, upper) => {
    const tree = manifest.upper_snapshot.find((one) => one.prefix === prefix)?.tree
    const known = preimages.mounts.find((one) => one.prefix === prefix)?.paths ?? []
    if (upper === undefined) return { upper: tree === undefined ? undefined : await content.open(tree), known }
    await demandEmpty(upper)
    if (tree !== undefined) await content.restore(tree, upper)
    return { upper, known }
  }
}

async function demandEmpty(upper: FileSystem): Promise<void> {
  if ((await upper.readdir('/')).length > 0)
    throw new WorkspaceError('EEXIST', 'the stage of a fork has to be empty, and there are files in it')
}

function commandOf({ command, command_line }: RunRecord): JobOptions['command'] {
  return command_line ? (command[0] ?? '') : command
}

function given<K extends string, V>(key: K, value: V | null): { readonly [name in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { readonly [name in K]: V })
}
