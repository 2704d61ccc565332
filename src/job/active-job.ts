import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Lease } from '../store/store.ts'
import type { AccessRule } from './access.ts'
import type { RunBundle } from './bundle.ts'
import { bundleOf } from './bundle.ts'
import type { CapturedOutput } from './captured-output.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { sealCheckpoint } from './create-checkpoint.ts'
import type { ExecutionHead } from './execution.ts'
import { EXECUTION, executionDocument, forgetHead, HEAD, releaseHead } from './execution.ts'
import type { Attempt, CommandEnd, Executor, Running, SavedExecution } from './executor.ts'
import type { JobCore } from './job-core.ts'
import { RUN, readDocument, STAGE, stageRecord, writeDocuments } from './job-core.ts'
import type { RunRecord, RunState, StageRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import { answerRequest, clearRequest, watchRequests } from './job-requests.ts'
import { stageDocuments } from './job-stage.ts'
import type { JobMount, StagedMount } from './stage.ts'

/** A Job whose command runs in this instance. */
export interface RunningJob {
  readonly core: JobCore
  readonly record: RunRecord
  readonly captured: CapturedOutput
  /** Resolves with the record when the command has ended or is suspended, and everything of the Job is written. */
  readonly ended: Promise<RunRecord>
  /** Ends the command; the Job is `cancelled` then. */
  kill(): void
  /** Keeps its execution in a checkpoint; then it goes on, or, where `suspends`, stops here. CONFLICT where it ended first, EBUSY where it can't be stopped in time. */
  keep(how: KeepOptions): Promise<CheckpointManifest>
}

export interface KeepOptions {
  readonly suspends: boolean
  /** Nobody asked for the checkpoint: it goes when the Job has got further. */
  readonly isPassing?: boolean
  readonly requestId: string | null
  /** Milliseconds that commands in flight have to end. */
  readonly limitMs: number
}

/** What an attempt at a Job's command is made of. */
export interface Launch {
  readonly core: JobCore
  readonly options: JobOptions
  readonly executor: Executor
  readonly access: readonly AccessRule[]
  /** The Job's; ended with the attempt. */
  readonly lease: Lease
  /** Says `running`. */
  readonly record: RunRecord
  readonly mounts: ReadonlyMap<string, JobMount>
  readonly fields: Attempt['fields']
  readonly isStaged: boolean
  /** Other documents of it, written with its first ones. */
  readonly documents: Readonly<Record<string, unknown>>
  readonly execution: SavedExecution | null
  /** Output of earlier attempts, and the milliseconds they took. */
  readonly earlier: CapturedOutput
  readonly elapsedMs: number
}

/** Milliseconds that commands in flight have to end when a Job suspends itself; then it is tried again. */
const OWN_LIMIT_MS = 10_000

/** Runs an attempt: its command runs when this resolves. */
export async function launch(parts: Launch): Promise<RunningJob> {
  const { core, options, executor, isStaged, mounts } = parts
  const attempt: Attempt = {
    jobId: core.id,
    command: options.command,
    mounts,
    isStaged,
    purpose: 'run',
    fields: parts.fields,
    access: parts.access,
    stdin: inputOf(options.stdin),
    output: (bytes, stream) => {
      if (options.captureOutput !== false) parts.earlier.add(bytes, stream)
      return options.onOutput?.(bytes, stream)
    },
    execution: parts.execution,
    startsPaused: options.suspendAfterMs === 0,
  }
  // What was asked of an earlier attempt isn't meant for this one.
  if (parts.execution !== null) await clearRequest(core)
  await writeDocuments(core, {
    ...parts.documents,
    ...(isStaged ? { [STAGE]: await activeStage(core, stagedOf(mounts).keys()) } : {}),
    [RUN]: parts.record,
  })
  const running = await startOrForget(core, executor, attempt, Object.keys(parts.documents))
  return new ActiveJob(parts, attempt, running)
}

/** What is known of a stage while its command runs, should the runner not be there at the end: where the files of upper layers are, or what it had when it was suspended. */
async function activeStage(core: JobCore, prefixes: Iterable<string>): Promise<StageRecord> {
  const mounts =
    core.place.upper === undefined ? ((await stageRecord(core))?.mounts ?? []) : Array.from(prefixes, (prefix) => ({ prefix, tree: null }))
  return { schema_version: 1, state: 'active', generation: 0, target: core.context.workspace, mounts }
}

/** A command that can't be started at all leaves no Job. */
async function startOrForget({ place }: JobCore, executor: Executor, attempt: Attempt, others: readonly string[]): Promise<Running> {
  try {
    return await executor.start(attempt)
  } catch (error) {
    if (attempt.execution === null) for (const name of [RUN, STAGE, ...others]) await place.store.delete(name)
    throw error
  }
}

class ActiveJob implements RunningJob {
  readonly core: JobCore
  readonly record: RunRecord
  readonly captured: CapturedOutput
  readonly ended: Promise<RunRecord>
  readonly #parts: Launch
  readonly #attempt: Attempt
  readonly #running: Running
  readonly #stage: ReadonlyMap<string, StagedMount>
  readonly #startedAt: number
  readonly #stops: (() => void)[] = []
  #cause: 'killed' | 'timeout' | null = null
  /** The last of what is being kept: one at a time. */
  #keeping: Promise<unknown> = Promise.resolve()
  #suspended: (record: RunRecord) => void = () => undefined
  #isSuspended = false

  constructor(parts: Launch, attempt: Attempt, running: Running) {
    const { core, options } = parts
    const { host } = core.context
    this.core = core
    this.captured = parts.earlier
    this.#parts = parts
    this.#attempt = attempt
    this.#running = running
    this.record = { ...parts.record, pid: running.pid }
    this.#stage = stagedOf(parts.mounts)
    this.#startedAt = host.elapsed()
    const kill = (): void => this.kill()
    this.#stops.push(watchRequests(core, (request) => this.#answer(request)))
    if (options.timeoutMs !== undefined) this.#stops.push(host.timer(options.timeoutMs, () => this.#stop('timeout')))
    if (options.suspendAfterMs !== undefined) this.#suspendAfter(options.suspendAfterMs)
    options.signal?.addEventListener('abort', kill, { once: true })
    this.#stops.push(() => options.signal?.removeEventListener('abort', kill))
    this.ended = Promise.race([
      running.ended.then((end) => this.#finish(end)),
      new Promise<RunRecord>((resolve) => {
        this.#suspended = resolve
      }),
    ]).finally(() => parts.lease.end())
    // Whoever waits for the end hears of it; nobody has to.
    this.ended.catch(() => undefined)
  }

  kill(): void {
    this.#stop('killed')
  }

  keep(how: KeepOptions): Promise<CheckpointManifest> {
    const kept = this.#keeping.then(() => this.#keep(how))
    this.#keeping = kept.catch(() => undefined)
    return kept
  }

  #stop(cause: 'killed' | 'timeout'): void {
    this.#cause ??= cause
    this.#running.kill()
  }

  #suspendAfter(ms: number): void {
    const { host } = this.core.context
    const stop = host.timer(ms, () => {
      this.keep({ suspends: true, isPassing: true, requestId: null, limitMs: OWN_LIMIT_MS }).catch(() => {
        // It ended meanwhile, or a command takes long.
        if (this.#cause === null && !this.#isSuspended) this.#suspendAfter(1000)
      })
    })
    this.#stops.push(stop)
  }

  async #answer({
    id,
    kind,
    options,
  }: {
    id: string
    kind: 'kill' | 'suspend' | 'checkpoint'
    options: Readonly<Record<string, unknown>>
  }): Promise<void> {
    if (kind === 'kill') {
      this.kill()
      return
    }
    const { requestId, limitMs } = options
    await answerRequest(this.core, id, () =>
      this.keep({
        suspends: kind === 'suspend',
        requestId: typeof requestId === 'string' ? requestId : null,
        limitMs: typeof limitMs === 'number' ? limitMs : OWN_LIMIT_MS,
      }),
    )
  }

  async #keep({ suspends, isPassing = false, requestId, limitMs }: KeepOptions): Promise<CheckpointManifest> {
    const { core } = this
    if (this.#isSuspended) throw new WorkspaceError('CONFLICT', `Job ${core.id} is suspended already`)
    const execution = await this.#running.pause?.(limitMs)
    if (execution === undefined || execution === null) throw this.#endedFirst()
    try {
      const manifest = await this.#seal(execution, requestId)
      if (!suspends) return manifest
      await this.#suspend(manifest, isPassing)
      return manifest
    } finally {
      if (!this.#isSuspended && this.#cause === null) this.#running.goOn?.()
    }
  }

  #endedFirst(): WorkspaceError {
    return new WorkspaceError('CONFLICT', `Job ${this.core.id} ended before its execution could be kept`)
  }

  async #seal(execution: SavedExecution, requestId: string | null): Promise<CheckpointManifest> {
    const { core, record } = this
    const { mounts, options, earlier, elapsedMs } = this.#parts
    for (const { fs } of mounts.values()) await fs.sync()
    const elapsed = elapsedMs + core.context.host.elapsed() - this.#startedAt
    return sealCheckpoint(core, {
      record,
      kind: 'execution',
      requestId,
      stage: this.#stage,
      generation: 0,
      documents: { [EXECUTION]: executionDocument(execution, earlier, options.captureOutput !== false, elapsed) },
    })
  }

  /** From here on the command goes on from the checkpoint, wherever that is. One that is being ended meanwhile is not suspended. */
  async #suspend({ checkpoint_id }: CheckpointManifest, isPassing: boolean): Promise<void> {
    const { core } = this
    const { isStaged } = this.#parts
    const before = await readDocument<ExecutionHead>(core, HEAD)
    const head: ExecutionHead = { schema_version: 1, checkpoint_id, is_passing: isPassing }
    const record: RunRecord = { ...this.record, state: 'suspended', pid: null }
    const staged = isStaged ? await stageDocuments(core, this.#stage, 'active', 0) : {}
    const bundle = await this.#bundle(record, { exitCode: null, signal: null, failure: null, warnings: [] })
    if (this.#cause !== null) throw this.#endedFirst()
    await writeDocuments(core, { ...staged, 'run-bundle.json': bundle, [HEAD]: head, [RUN]: record })
    if (this.#cause !== null) throw this.#endedFirst()
    this.#isSuspended = true
    this.#release()
    this.#running.letGo?.()
    await clearRequest(core)
    await forgetHead(core, before)
    this.#suspended(record)
  }

  async #finish(end: CommandEnd): Promise<RunRecord> {
    const { core } = this
    const { host } = core.context
    const { mounts, options, isStaged } = this.#parts
    this.#release()
    await this.#keeping
    for (const { fs } of mounts.values()) await fs.sync()
    const outcome = outcomeOf(end, this.#cause, options.timeoutMs)
    const record: RunRecord = { ...this.record, state: outcome.state, pid: null, finished_at_unix_ms: Math.round(host.now()) }
    const staged = isStaged ? await stageDocuments(core, this.#stage, 'staged', 0) : {}
    const bundle = await this.#bundle(record, outcome.end)
    await writeDocuments(core, { ...staged, 'run-bundle.json': bundle, [RUN]: record })
    await releaseHead(core)
    await clearRequest(core)
    return record
  }

  #bundle(record: RunRecord, end: CommandEnd): Promise<RunBundle> {
    const { core, earlier, executor, isStaged } = this.#parts
    return bundleOf({
      record,
      end,
      captured: earlier,
      executor,
      attempt: this.#attempt,
      stage: isStaged ? this.#stage : null,
      place: core.place,
      host: core.context.host,
    })
  }

  #release(): void {
    for (const stop of this.#stops.splice(0)) stop()
  }
}

/** The staged ones of a Job's mounts. */
export function stagedOf(mounts: ReadonlyMap<string, JobMount>): ReadonlyMap<string, StagedMount> {
  const stage = new Map<string, StagedMount>()
  for (const [prefix, { staged }] of mounts) if (staged !== null) stage.set(prefix, staged)
  return stage
}

interface Outcome {
  readonly state: RunState
  readonly end: CommandEnd
}

function outcomeOf(end: CommandEnd, cause: 'killed' | 'timeout' | null, timeoutMs: number | undefined): Outcome {
  if (cause === 'timeout') {
    const failure = { kind: 'deadline_exceeded', message: `still running after ${timeoutMs} ms` } as const
    return { state: 'failed', end: { ...end, exitCode: null, failure } }
  }
  if (cause === 'killed') return { state: 'cancelled', end: { ...end, exitCode: null } }
  if (end.failure !== null) return { state: 'failed', end }
  if (end.exitCode === 0) return { state: 'completed', end }
  const message = end.exitCode === null ? `ended by ${end.signal ?? 'a signal'}` : `exit status ${end.exitCode}`
  return { state: 'failed', end: { ...end, failure: { kind: 'process_exit', message } } }
}

/** What a command reads, from what it was given. */
export function inputOf(given: JobOptions['stdin']): Attempt['stdin'] {
  if (given === undefined) return new Uint8Array(0)
  if (typeof given === 'string') return encode(given)
  if (given instanceof Uint8Array) return given.slice()
  const chunks = given[Symbol.asyncIterator]()
  return async () => {
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) return null
      if (next.value.length > 0) return next.value.slice()
    }
  }
}
