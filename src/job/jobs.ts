import { hasCode } from '../errors.ts'
import type { RunningJob } from './active-job.ts'
import { Job } from './job.ts'
import type { JobCore, JobsContext } from './job-core.ts'
import { runRecord } from './job-core.ts'
import type { JobOptions } from './job-options.ts'
import { startJob } from './run-job.ts'

/** The Jobs of a workspace: commands whose changes can be looked at before they are made. */
export class Jobs {
  /** What they have in common, for what is made of Jobs. */
  readonly context: JobsContext
  /** Those that run here: who opens one gets the same. */
  readonly #running = new Map<string, Job>()

  constructor(context: JobsContext) {
    this.context = context
  }

  /** Runs a command as a Job; resolves when it has ended or is suspended. A status other than 0 is a result. */
  async run(options: JobOptions): Promise<Job> {
    const job = await this.start(options)
    await job.ended
    return job
  }

  /** Starts a Job; resolves when its command runs. CONFIG_INVALID, CAPABILITY_UNSUPPORTED, EEXIST. */
  async start(options: JobOptions): Promise<Job> {
    return this.#adopt(await startJob(this.context, options))
  }

  /** The Job of an id. NOT_FOUND where there is none. */
  async open(id: string): Promise<Job> {
    const running = this.#running.get(id)
    if (running !== undefined) return running
    return new Job(await this.core(id), null, (started) => this.#adopt(started))
  }

  /** What is kept of a Job, for what works on it besides its own methods. NOT_FOUND where there is none. */
  async core(id: string): Promise<JobCore> {
    const core: JobCore = { id, context: this.context, place: await this.context.storage.place(id) }
    await runRecord(core)
    return core
  }

  /** Ids of all Jobs, latest last. */
  async list(): Promise<readonly string[]> {
    const found: { id: string; startedAt: number }[] = []
    for (const id of await this.context.storage.list()) {
      try {
        const { started_at_unix_ms } = await runRecord({ id, context: this.context, place: await this.context.storage.place(id) })
        found.push({ id, startedAt: started_at_unix_ms })
      } catch (error) {
        // One that is being made, or was removed meanwhile.
        if (!hasCode(error, 'NOT_FOUND')) throw error
      }
    }
    return found.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
  }

  /** Ends what runs here. */
  async close(): Promise<void> {
    const all = [...this.#running.values()]
    for (const job of all) await job.kill()
    await Promise.allSettled(all.map((job) => job.ended))
  }

  #adopt(running: RunningJob): Job {
    const job = new Job(running.core, running, (started) => this.#adopt(started))
    this.#running.set(job.id, job)
    const forget = (): void => {
      this.#running.delete(job.id)
    }
    running.ended.then(forget, forget)
    return job
  }
}
