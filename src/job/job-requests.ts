import type { JobCore } from './job-core.ts'
import { documentBytes, readDocument } from './job-core.ts'

const REQUEST = 'request.json'
/** Milliseconds between looks where a store doesn't tell of changes. */
const POLL_MS = 150

/** What somebody asks whoever runs a Job. */
export interface JobRequest {
  readonly id: string
  readonly kind: 'kill' | 'suspend' | 'checkpoint'
  /** What the asker gave besides, such as the id of a request. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Leaves a request for whoever runs the Job. A later one takes its place. */
export async function askRunner({ place }: JobCore, request: JobRequest): Promise<void> {
  await place.store.put(REQUEST, documentBytes(request))
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
