import type { FileSystem } from '../fs/file-system.ts'
import type { RunningJob } from './active-job.ts'
import type { Applied, ApplyOptions } from './apply-job.ts'
import { applyJob } from './apply-job.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { JobCheckpoints } from './checkpoints.ts'
import type { Dropped } from './drop-job.ts'
import { dropJob } from './drop-job.ts'
import type { ForkOptions } from './fork-job.ts'
import { forkJob } from './fork-job.ts'
import type { Inspection, InspectOptions } from './inspect-job.ts'
import { inspectJob } from './inspect-job.ts'
import type { JobCore } from './job-core.ts'
import { runRecord } from './job-core.ts'
import type { RunRecord, StagedChange } from './job-documents.ts'
import type { StageAt } from './job-files.ts'
import { jobChanges, jobFiles } from './job-files.ts'
import type { JobOutput } from './job-output.ts'
import { jobOutput } from './job-output.ts'
import type { JobStatus } from './job-status.ts'
import { jobStatus } from './job-status.ts'
import type { KeepExecutionOptions } from './keep-execution.ts'
import { keepExecution } from './keep-execution.ts'
import type { KillAnswer } from './kill-job.ts'
import { killJob } from './kill-job.ts'
import type { ResumeOptions } from './resume-job.ts'
import { resumeJob } from './resume-job.ts'
import type { Review } from './review-job.ts'
import { diffJob, reviewJob } from './review-job.ts'
import type { DiffLimits } from './stage-diff.ts'

/** A command that was run, or runs, as a Job; what it changed waits on its stage, if it has one. */
export class Job {
  readonly id: string
  /** States of its stage that never change. */
  readonly checkpoints: JobCheckpoints
  readonly #core: JobCore
  readonly #adopt: (running: RunningJob) => Job
  #running: RunningJob | null

  constructor(core: JobCore, running: RunningJob | null, adopt: (running: RunningJob) => Job) {
    this.id = core.id
    this.checkpoints = new JobCheckpoints(core, () => this.#running)
    this.#core = core
    this.#adopt = adopt
    this.#running = running
    if (running !== null) this.#follow(running)
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

  /** What it has written so far, where this instance runs it; else until it was suspended last, or ended. */
  output(): Promise<JobOutput> {
    return jobOutput(this.#core, this.#running)
  }

  /** Runs a command over the files as the Job left them, by the Job's own executor. Nothing it changes stays. */
  inspect(command: string | readonly string[], options?: InspectOptions): Promise<Inspection> {
    return inspectJob(this.#core, command, options)
  }

  /** What it did and how it ended, and what waits on its stage now: the document that `mirage review --json` prints. EBUSY while it runs. */
  review(at?: StageAt): Promise<Review> {
    return reviewJob(this.#core, at)
  }

  /** What waits on its stage, line by line, as `git diff` shows it. EBUSY while it runs. */
  diff(limits?: DiffLimits & StageAt): Promise<string> {
    return diffJob(this.#core, limits)
  }

  /** What waits on its stage, in the order of paths: the net effect. EBUSY while it runs. */
  changes(at?: StageAt): Promise<readonly StagedChange[]> {
    return jobChanges(this.#core, at)
  }

  /** The files as the Job left them, by the paths of the workspace, to be read beside `ws.fs`. EBUSY while it runs; every change of them fails with EROFS. */
  files(at?: StageAt): Promise<FileSystem> {
    return jobFiles(this.#core, at)
  }

  /**
   * Starts another Job with a command of its own on a copy of what this one has staged; resolves when that runs. EBUSY, EIO and EINVAL as `checkpoints.create`; NOT_FOUND
   * where there is no such checkpoint.
   */
  async fork(options: ForkOptions = {}): Promise<Job> {
    return this.#adopt(await forkJob(this.#core, this.#running, options))
  }

  /**
   * Makes staged changes in the files they were staged over: all that are selected, or none of them and CONFLICT, where somebody changed one of the paths since they were
   * staged. What a crash cut off is finished first. EINVAL where nothing was staged, or the stage was dropped; EBUSY while the Job runs or is suspended.
   */
  apply(options?: ApplyOptions): Promise<Applied> {
    return applyJob(this.#core, options)
  }

  /** Throws away what is still staged; the Job's record and checkpoints stay. EINVAL where everything was applied. */
  drop(): Promise<Dropped> {
    return dropJob(this.#core)
  }

  /**
   * Stops a running Job where it can go on later, in any instance and runtime: resolves when that is written down. CAPABILITY_UNSUPPORTED for a process of the host, before
   * anything is touched; EBUSY where a command in flight takes longer than `limitMs`, and it runs on; CONFLICT where it ended.
   */
  async suspend(options: KeepExecutionOptions = {}): Promise<Suspended> {
    const { manifest } = await keepExecution(this.#core, this.#running, options, true)
    return {
      schema_version: 1,
      operation: 'suspend',
      job_id: this.id,
      state: 'suspended',
      request_id: manifest.request_id,
      checkpoint_id: manifest.checkpoint_id,
      kind: 'execution',
      checkpoint: manifest,
    }
  }

  /** Goes on where it was suspended; resolves with the running Job. One whose runner died goes on from where it was suspended last. Fails as `suspend`. */
  async resume(options: ResumeOptions = {}): Promise<Job> {
    const running = await resumeJob(this.#core, options)
    this.#follow(running)
    return this.#adopt(running)
  }

  #follow(running: RunningJob): void {
    this.#running = running
    const forget = (): void => {
      if (this.#running === running) this.#running = null
    }
    running.ended.then(forget, forget)
  }
}

/** What `suspend` did. */
export interface Suspended {
  readonly schema_version: 1
  readonly operation: 'suspend'
  readonly job_id: string
  readonly state: 'suspended'
  readonly request_id: string | null
  readonly checkpoint_id: string
  readonly kind: 'execution'
  readonly checkpoint: CheckpointManifest
}
