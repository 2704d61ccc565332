import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { MountPoint } from '../fs/mount-table.ts'
import type { Host, MaybePromise } from '../host.ts'
import type { SessionFields } from '../state/session-fields.ts'
import type { Lease, Store } from '../store/store.ts'
import type { Executor } from './executor.ts'
import type { RunRecord, StageRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import type { JobPlace, JobStorage } from './job-storage.ts'

/** What the Jobs of a workspace have in common. */
export interface JobsContext {
  readonly host: Host
  readonly storage: JobStorage
  /** What records call the workspace, and where `apply` writes. */
  readonly workspace: string
  readonly agentId: string | null
  readonly executors: ReadonlyMap<string, Executor>
  /** The mounts that hold the workspace's files, without devices and programs. */
  mounts(): readonly MountPoint[]
  /** True for the prefix of a mount whose changes are made at once, whether the Job is staged or not. None is when left out. */
  isDirect?(prefix: string): boolean
  /** True for the prefix of a mount that is staged with a Job, for checkpoints and forks, and no part of what it proposes. None is when left out. */
  isPrivate?(prefix: string): boolean
  /** What the session of a Job starts with. */
  fields(options: Pick<JobOptions, 'cwd' | 'env' | 'profile'>): Promise<SessionFields>
}

/** What somebody asks whoever runs a Job. */
export interface JobRequest {
  readonly id: string
  readonly kind: 'kill' | 'suspend' | 'checkpoint'
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** What the asker gave besides, such as the id of a request. */
  readonly options: Readonly<Record<string, unknown>>
}

/** One Job, for the files that each do one thing with it. */
export interface JobCore {
  readonly id: string
  readonly place: JobPlace
  readonly context: JobsContext
}

export const RUN = 'run.json'
export const STAGE = 'stage.json'
export const REQUEST = 'request.json'
const LOCK = 'lock'
/** Milliseconds that a look at a lease takes at least; it takes as many times as long as one request does as `LOOK_REQUESTS` says. */
const LOOK_MS = 500
const LOOK_REQUESTS = 5
/** Milliseconds in which whoever runs a Job answers a request. */
const ANSWER_MS = 10_000

/** A document of the Job; null where there is none. CORRUPT where it is no JSON. */
export function readDocument<T>({ id, place }: JobCore, name: string): Promise<T | null> {
  return storedDocument(place.store, name, `Job ${id}`)
}

/** A document of somebody in a store; null where there is none. CORRUPT where it is no JSON. */
export async function storedDocument<T>(store: Pick<Store, 'get'>, key: string, owner: string): Promise<T | null> {
  const stored = await store.get(key)
  if (stored === null || stored === 'same') return null
  try {
    return JSON.parse(decode(stored.bytes)) as T
  } catch (cause) {
    throw new WorkspaceError('CORRUPT', `${key} of ${owner} is no JSON`, { cause })
  }
}

export function documentBytes(document: unknown): Uint8Array {
  return encode(`${JSON.stringify(document, null, 2)}\n`)
}

/** Writes documents: all or none of them where the store can, else one after the other. */
export async function writeDocuments({ place }: JobCore, documents: Readonly<Record<string, unknown>>): Promise<void> {
  const { store } = place
  const changes = Object.entries(documents).map(([key, document]) => ({ type: 'put' as const, key, bytes: documentBytes(document) }))
  if (store.write !== undefined) await store.write(changes)
  else for (const { key, bytes } of changes) await store.put(key, bytes)
}

/** The record of the Job. NOT_FOUND where there is none, VERSION_UNSUPPORTED for one of another schema. */
export async function runRecord(core: JobCore): Promise<RunRecord> {
  const record = await readDocument<RunRecord>(core, RUN)
  if (record === null) throw new WorkspaceError('NOT_FOUND', `there is no Job ${core.id}`)
  if (record.schema_version !== 1)
    throw new WorkspaceError(
      'VERSION_UNSUPPORTED',
      `the record of Job ${core.id} has schema ${record.schema_version}; this version reads 1`,
    )
  return record
}

/** What the Job's stage is; null where nothing was staged. */
export function stageRecord(core: JobCore): Promise<StageRecord | null> {
  return readDocument<StageRecord>(core, STAGE)
}

/** Waits until nobody else works on the Job. */
export function holdJob({ place }: JobCore, signal?: AbortSignal): MaybePromise<Lease> {
  return place.store.lease(LOCK, signal)
}

/**
 * The Job's lease, or null where somebody else has it. Where the store has no leases (S3), whoever runs a Job is taken to do so until it says that it ended, or
 * left a request unanswered.
 */
export async function tryHoldJob(core: JobCore): Promise<Lease | null> {
  const { host } = core.context
  const { store } = core.place
  const started = host.elapsed()
  const record = await readDocument<RunRecord>(core, RUN)
  if (!store.capabilities.leases && record?.state === 'running' && !(await isIgnored(core))) return null
  const controller = new AbortController()
  const stop = host.timer(LOOK_MS + LOOK_REQUESTS * (host.elapsed() - started), () => controller.abort())
  try {
    return await holdJob(core, controller.signal)
  } catch (error) {
    if (controller.signal.aborted) return null
    throw error
  } finally {
    stop()
  }
}

/**
 * Does work on a Job that doesn't run, with nobody else at it. EBUSY (`JOB_BUSY`) where it runs or somebody works on it, EIO (`EXECUTION_UNKNOWN`) where its record
 * says that it runs and nobody runs it.
 */
export async function withStoppedJob<T>(core: JobCore, work: (record: RunRecord) => Promise<T>): Promise<T> {
  const lease = await tryHoldJob(core)
  if (lease === null) throw new WorkspaceError('EBUSY', `JOB_BUSY: Job ${core.id} is running: kill it or wait for its end first`)
  try {
    const record = await runRecord(core)
    if (record.state === 'running') {
      throw new WorkspaceError(
        'EIO',
        `EXECUTION_UNKNOWN: nobody runs Job ${core.id} any more, and how it ended was not written down: kill it to settle that`,
      )
    }
    return await work(record)
  } finally {
    lease.end()
  }
}

/** True where a request lies there for so long that nobody can be there to answer it. */
async function isIgnored(core: JobCore): Promise<boolean> {
  const request = await readDocument<JobRequest>(core, REQUEST)
  return request !== null && core.context.host.now() - request.askedAt > ANSWER_MS
}

/** As {@link withStoppedJob}, and not one that is suspended either. */
export function withEndedJob<T>(core: JobCore, work: (record: RunRecord) => Promise<T>): Promise<T> {
  return withStoppedJob(core, (record) => {
    if (record.state === 'suspended')
      throw new WorkspaceError('EBUSY', `JOB_BUSY: Job ${core.id} is suspended: resume it, or kill it to give up what it was doing`)
    return work(record)
  })
}
