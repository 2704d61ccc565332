import type { ErrorCode } from '../errors.ts'
import { codeOf, WorkspaceError } from '../errors.ts'
import { randomId } from '../host.ts'
import { sleep } from '../sleep.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { headOf } from './execution.ts'
import type { JobCore, JobRequest } from './job-core.ts'
import { documentBytes, REQUEST, readDocument, runRecord } from './job-core.ts'

const ANSWER = 'answer.json'
/** Milliseconds between looks where a store doesn't tell of changes, and where it does: it may miss one. */
const POLL_MS = 150
const TOLD_POLL_MS = 1000

/** Leaves a request for whoever runs the Job; a later one takes its place, unless it is the same. */
export async function askRunner(core: JobCore, kind: JobRequest['kind'], options: JobRequest['options'] = {}): Promise<string> {
  const { host } = core.context
  const before = await readDocument<JobRequest>(core, REQUEST)
  if (before?.kind === kind && JSON.stringify(before.options) === JSON.stringify(options)) return before.id
  const request: JobRequest = { id: randomId(host), kind, askedAt: Math.round(host.now()), options }
  await core.place.store.put(REQUEST, documentBytes(request))
  return request.id
}

/** Waits for the answer to a request: the checkpoint that was made for it. Fails as that did; EBUSY (`JOB_BUSY`) where nobody answers within `timeoutMs`. */
export async function answerOf(core: JobCore, id: string, timeoutMs: number): Promise<string> {
  const { host } = core.context
  const late = host.now() + timeoutMs
  for (;;) {
    const answer = await readDocument<RunnerAnswer>(core, ANSWER)
    if (answer?.id === id && answer.error !== null) throw new WorkspaceError(answer.error.code, answer.error.message)
    if (answer?.id === id && answer.checkpoint_id !== null) return answer.checkpoint_id
    const { state } = await runRecord(core)
    // Whoever suspends a Job writes that down before it answers.
    const head = state === 'suspended' ? await headOf(core) : null
    if (head !== null) return head.checkpoint_id
    // The answer may have come just before the end.
    if (state !== 'running' && (await readDocument<RunnerAnswer>(core, ANSWER))?.id !== id)
      throw new WorkspaceError('CONFLICT', `Job ${core.id} ended before its execution could be kept`)
    if (host.now() >= late)
      throw new WorkspaceError(
        'EBUSY',
        `JOB_BUSY: whoever runs Job ${core.id} did not answer within ${timeoutMs} ms; what was asked may still be done`,
      )
    await sleep(host, POLL_MS)
  }
}

/** Does what a request asks for, and leaves the answer. */
export async function answerRequest(core: JobCore, id: string, work: () => Promise<CheckpointManifest>): Promise<void> {
  let answer: RunnerAnswer
  try {
    answer = { id, checkpoint_id: (await work()).checkpoint_id, error: null }
  } catch (error) {
    answer = {
      id,
      checkpoint_id: null,
      error: { code: codeOf(error) ?? 'EIO', message: error instanceof Error ? error.message : String(error) },
    }
  }
  try {
    await core.place.store.put(ANSWER, documentBytes(answer))
  } catch {
    // The asker hears of it by its time limit.
  }
}

/** What whoever runs a Job says to a request. */
interface RunnerAnswer {
  readonly id: string
  readonly checkpoint_id: string | null
  readonly error: { readonly code: ErrorCode; readonly message: string } | null
}

/** Calls `take` with each request that is left for the Job's runner, until what is given back is called. */
export function watchRequests(core: JobCore, take: (request: JobRequest) => unknown): () => void {
  const { host } = core.context
  const { store } = core.place
  let isOver = false
  let seen: string | null = null
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    try {
      const request = await readDocument<JobRequest>(core, REQUEST)
      if (isOver || request === null || request.id === seen) return
      seen = request.id
      take(request)
    } catch {
      // A store that can't be read now is looked at again; a request that can't be read is none.
    }
  }
  const pause = store.capabilities.watch ? TOLD_POLL_MS : POLL_MS
  const poll = (): void => {
    if (isOver) return
    cancel = host.timer(pause, () => void look().then(poll))
  }
  const unwatch = store.watch((key) => {
    if (key === REQUEST) void look()
  })
  if (store.capabilities.watch) void look().then(poll)
  else poll()
  return () => {
    isOver = true
    cancel()
    unwatch()
  }
}

/** Takes the request away that was answered. */
export async function clearRequest({ place }: JobCore): Promise<void> {
  await place.store.delete(REQUEST)
}
