import type { Job, JobStatus, StagedChange } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'

/** A Job, and how it stood when it was read. */
export interface SeenJob {
  readonly job: Job
  readonly status: JobStatus
}

/** What a Job that has ended did, and proposes. */
export interface JobReview {
  readonly changes: readonly StagedChange[]
  /** Why it failed; '' where it didn't. */
  readonly outcome: string
  /** What it wrote, first to its output and then to its error output. */
  readonly output: string
}

/** Reads Jobs; how those stand that have ended is read once, until `forget`. */
export interface JobReader {
  /** The latest Jobs, latest first. */
  latest(limit: number): Promise<{ readonly jobs: readonly SeenJob[]; readonly total: number }>
  /** One Job; null where there is none. */
  one(id: string): Promise<SeenJob | null>
  /** What it did and proposes, or proposed at a checkpoint; nothing while it runs. */
  review(seen: SeenJob, checkpoint: string | null): Promise<JobReview>
  /** Something of a Job, or where none is named of any, is another now. */
  forget(id?: string): void
}

export function jobReader({ workspace }: App): JobReader {
  const known = new Map<string, SeenJob>()
  const one = async (id: string): Promise<SeenJob | null> => {
    const seen = known.get(id)
    if (seen !== undefined) return seen
    try {
      const job = await workspace.jobs.open(id)
      const found: SeenJob = { job, status: await job.status() }
      if (!isRunning(found)) known.set(id, found)
      return found
    } catch (error) {
      if (codeOf(error) === 'NOT_FOUND') return null
      throw error
    }
  }
  return {
    one,
    latest: async (limit) => {
      const ids = [...(await workspace.jobs.list())].reverse()
      const jobs: SeenJob[] = []
      for (const id of ids.slice(0, limit)) {
        const found = await one(id)
        if (found !== null) jobs.push(found)
      }
      return { jobs, total: ids.length }
    },
    review: async (seen, checkpoint) => {
      if (isRunning(seen)) return { changes: [], outcome: '', output: '' }
      const { run, filesystem } = await seen.job.review(checkpoint === null ? {} : { checkpoint })
      return { changes: filesystem?.changes ?? [], outcome: run.failure?.message ?? '', output: run.output.stdout + run.output.stderr }
    },
    forget: (id) => {
      if (id === undefined) known.clear()
      else known.delete(id)
    },
  }
}

/** The record says so: somebody runs it, or whoever did is gone. */
export function isRunning({ status }: SeenJob): boolean {
  return status.run.state === 'running'
}
