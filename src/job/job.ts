import type { FileSystem } from '../fs/file-system.ts'
import type { Inspection, InspectOptions } from './inspect-job.ts'
import { inspectJob } from './inspect-job.ts'
import type { JobCore } from './job-core.ts'
import { runRecord } from './job-core.ts'
import type { RunRecord, StagedChange } from './job-documents.ts'
import { jobChanges, jobFiles } from './job-files.ts'
import type { JobStatus } from './job-status.ts'
import { jobStatus } from './job-status.ts'
import type { KillAnswer } from './kill-job.ts'
import { killJob } from './kill-job.ts'
import type { RunningJob } from './run-job.ts'

/** A command that was run, or runs, as a Job; what it changed waits on its stage, if it has one. */
export class Job {
  readonly id: string
  readonly #core: JobCore
  #running: RunningJob | null

  constructor(core: JobCore, running: RunningJob | null) {
    this.id = core.id
    this.#core = core
    this.#running = running
    const forget = (): void => {
      if (this.#running === running) this.#running = null
    }
    running?.ended.then(forget, forget)
  }

  /** The Job's record once its command, if this instance runs it, has ended or is suspended and all is written; else as it is stored. */
  get ended(): Promise<RunRecord> {
    return this.#running?.ended ?? runRecord(this.#core)
  }

  /** How it stands: the document that `mirage status --json` prints. */
  status(): Promise<JobStatus> {
    return jobStatus(this.#core, this.#running !== null)
  }

  /** Ends the command: resolves when it has ended, or whoever runs it was asked to. */
  kill(): Promise<KillAnswer> {
    return killJob(this.#core, this.#running)
  }

  /** Runs a command over the files as the Job left them, by the Job's own executor. Nothing it changes stays. */
  inspect(command: string | readonly string[], options?: InspectOptions): Promise<Inspection> {
    return inspectJob(this.#core, command, options)
  }

  /** What waits on its stage, in the order of paths: the net effect. EBUSY while it runs. */
  changes(): Promise<readonly StagedChange[]> {
    return jobChanges(this.#core)
  }

  /** The files as the Job left them, by the paths of the workspace, to be read beside `ws.fs`. EBUSY while it runs; every change of them fails with EROFS. */
  files(): Promise<FileSystem> {
    return jobFiles(this.#core)
  }
}
