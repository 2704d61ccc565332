import { randomId } from '../host.ts'
import type { JobCore, JobRequest } from './job-core.ts'
import { documentBytes, REQUEST, readDocument } from './job-core.ts'

/** Milliseconds between looks where a store doesn't tell of changes. */
const POLL_MS = 150

/** Leaves a request for whoever runs the Job; a later one takes its place, unless it is the same. */
export async function askRunner(core: JobCore, kind: JobRequest['kind'], options: JobRequest['options'] = {}): Promise<void> {
  const { host } = core.context
  const before = await readDocument<JobRequest>(core, REQUEST)
  if (before?.kind === kind && JSON.stringify(before.options) === JSON.stringify(options)) return
  const request: JobRequest = { id: randomId(host), kind, askedAt: Math.round(host.now()), options }
  await core.place.store.put(REQUEST, documentBytes(request))
}

/** Calls `take` with each request that is left for the Job's runner, until what is given back is called. */
export function watchRequests(core: JobCore, take: (request: JobRequest) => void): () => void {
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
  const poll = (): void => {
    if (isOver) return
    cancel = host.timer(POLL_MS, () => void look().then(poll))
  }
  const unwatch = store.watch((key) => {
    if (key === REQUEST) void look()
  })
  if (store.capabilities.watch) void look()
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
