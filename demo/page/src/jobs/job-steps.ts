import type { Job } from 'mirage-runtime'
import { confirmed } from '../dialog.ts'
import { nameOf } from '../format.ts'
import { notify, notifyFailure } from '../notices.ts'
import { askLine } from './ask-line.ts'
import type { JobOutputs } from './job-outputs.ts'
import type { SeenJob } from './job-reader.ts'
import { isRunning } from './job-reader.ts'
import { commandOf, countOf } from './job-words.ts'

type ForkOptions = NonNullable<Parameters<Job['fork']>[0]>

/** What a person does with a Job. Each says what came of it. */
export interface JobSteps {
  /** Applies a path and what is below it, or with null everything. */
  apply(seen: SeenJob, path: string | null): Promise<void>
  drop(seen: SeenJob): Promise<void>
  stop(seen: SeenJob): Promise<void>
  /** Stops it where it can go on later, after a reload, too. */
  suspend(seen: SeenJob): Promise<void>
  /** Goes on with one that is suspended, after what it has written so far. */
  resume(seen: SeenJob, output: string): Promise<void>
  /** Makes a checkpoint: of what a Job that has ended proposes, or of one that runs as it runs. */
  keep(seen: SeenJob): Promise<void>
  /** Runs another line over what the Job, or one of its checkpoints, holds; the new Job. */
  fork(seen: SeenJob, checkpoint: string | null): Promise<Job | null>
  /** Lets the command of a Job go on twice, from where it is or was at a checkpoint; the new Job. */
  split(seen: SeenJob, checkpoint: string | null): Promise<Job | null>
  /** Makes a Job that holds what a checkpoint does. */
  restore(seen: SeenJob, checkpoint: string): Promise<Job | null>
  remove(seen: SeenJob, checkpoint: string): Promise<void>
}

/** What the steps need of the panel. */
export interface JobStepsOptions {
  /** Something of a Job is another now; `files`: the workspace's files are, too. */
  readonly changed: (job: string, files: boolean) => void
  /** A Job runs here. */
  readonly follow: (job: Job) => void
  readonly outputs: JobOutputs
}

export function jobSteps({ changed, follow, outputs }: JobStepsOptions): JobSteps {
  const attempt = async <T>(what: string, seen: SeenJob, step: () => Promise<T>, files = false): Promise<T | null> => {
    try {
      return await step()
    } catch (error) {
      notifyFailure(what, error)
      return null
    } finally {
      changed(seen.job.id, files)
    }
  }
  const forked = async (seen: SeenJob, checkpoint: string | null, how: ForkOptions): Promise<Job | null> => {
    const output = outputs.begin('')
    const from = checkpoint === null ? {} : { checkpoint }
    const child = await attempt('Could not fork the Job', seen, () => seen.job.fork({ ...from, ...how, onOutput: output.write }))
    if (child === null) return null
    output.named(child.id)
    follow(child)
    return child
  }
  return {
    apply: async (seen, path) => {
      const selection = path === null ? { all: true } : { paths: [path] }
      const done = await attempt('Could not apply the changes', seen, () => seen.job.apply(selection), true)
      if (done === null) return
      const count = countOf(done.paths.length, 'change')
      notify({
        kind: 'success',
        title: `Applied ${path === null ? count : nameOf(`/${path}`)}`,
        text: done.remaining === 0 ? '' : `${countOf(done.remaining, 'change')} left.`,
      })
    },
    drop: async (seen) => {
      const text = 'What the Job changed and was not applied will be gone. Its record and its checkpoints stay.'
      if (!(await confirmed('Drop the changes?', text, 'Drop'))) return
      await attempt('Could not drop the changes', seen, () => seen.job.drop())
    },
    stop: async (seen) => void (await attempt('Could not stop the Job', seen, () => seen.job.kill())),
    suspend: async (seen) => void (await attempt('Could not suspend the Job', seen, () => seen.job.suspend())),
    resume: async (seen, before) => {
      const output = outputs.begin(before)
      const job = await attempt('Could not resume the Job', seen, () => seen.job.resume({ onOutput: output.write }))
      if (job === null) return
      output.named(job.id)
      follow(job)
    },
    keep: async (seen) => {
      const kind = isRunning(seen) ? 'execution' : 'workspace'
      await attempt('Could not make a checkpoint', seen, () => seen.job.checkpoints.create({ kind }))
    },
    fork: async (seen, checkpoint) => {
      const text = 'Runs a line over these changes, as a Job of its own. This one stays as it is.'
      const line = await askLine('Fork the Job', text, 'Run', commandOf(seen.status))
      return line === null ? null : forked(seen, checkpoint, { command: line })
    },
    split: (seen, checkpoint) => forked(seen, checkpoint, { state: 'execution' }),
    restore: (seen, checkpoint) => forked(seen, checkpoint, { command: ':' }),
    remove: async (seen, checkpoint) => {
      if (!(await confirmed('Delete the checkpoint?', 'It can not be looked at or forked any more. There is no undo.', 'Delete'))) return
      await attempt('Could not delete the checkpoint', seen, () => seen.job.checkpoints.delete(checkpoint))
    },
  }
}
