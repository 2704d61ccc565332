import { WorkspaceError } from '../errors.ts'
import type { Host, MaybePromise } from '../host.ts'
import { randomId } from '../host.ts'
import type { SessionContext, SessionState } from './session.ts'
import { Session } from './session.ts'
import { copyFields } from './session-changes.ts'
import type { HistoryEntry, SessionFields } from './session-fields.ts'
import type { SessionRecord } from './session-record.ts'
import type { SessionTable, WorkspaceStateStore } from './state-store.ts'

/** The sessions of one workspace, as one instance of it sees them. */
export interface Sessions {
  /** Names this instance among those that share the store. */
  readonly instance: string
  /** The id of the default session: `wanted`, or the one the store knows, or a new one, which the store then knows. */
  defaultSession(wanted?: string): MaybePromise<string>
  /** The session, made from `initial` and stored where there is none. Calls for one id give the same state until it is removed. */
  open(id: string, initial: SessionFields): Promise<OpenedSession>
  /** The state this instance has opened, if it has. */
  get(id: string): SessionState | undefined
  exists(id: string): MaybePromise<boolean>
  /** Ids of all stored sessions, in code unit order. */
  list(): Promise<readonly string[]>
  /** What is stored of a session, without waiting for its turn; null where there is none. */
  inspect(id: string): Promise<StoredSession | null>
  /** Deletes the session in the store and here; its history stays. False where there was none. */
  remove(id: string): Promise<boolean>
  /** Every entry of every session by time, deleted and hidden ones too. */
  history(): Promise<readonly HistoryEntry[]>
  /** Brings all that is pending to the store; throws the first failure after trying all. */
  flush(): Promise<void>
  /** Flushes, then fails every further call with CLOSED. What is stored stays. */
  close(): Promise<void>
  /** Drops sessions, history, the workspace's record, Jobs and checkpoints, then closes. */
  delete(): Promise<void>
}

export interface OpenedSession {
  readonly session: SessionState
  /** It was not stored before. */
  readonly created: boolean
}

/** A session at rest. */
export interface StoredSession {
  readonly fields: SessionFields
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly generation: number
}

export interface SessionsOptions {
  readonly store: WorkspaceStateStore
  readonly workspaceId: string
  readonly host: Host
  /** Milliseconds a commit may keep its line waiting before its result says `pending`; 10,000 when left out. */
  readonly commitLimitMs?: number
  /** Told when a session's record grows over 1 MiB; `console.warn` when left out. */
  readonly warn?: (message: string) => void
}

/** Opens the state of a workspace. Touches nothing yet; throws CAPABILITY_UNSUPPORTED where a store can't keep its group. */
export function openSessions(options: SessionsOptions): Sessions {
  const { store, workspaceId, host } = options
  if (workspaceId === '') throw new WorkspaceError('EINVAL', 'a workspace id must not be empty')
  const table = store.sessions(workspaceId)
  const log = store.history(workspaceId)
  const instance = randomId(host)
  let operations = 0
  let closed = false
  const opened = new Map<string, Promise<OpenedSession>>()
  const states = new Map<string, Session>()
  const context: SessionContext = {
    host,
    table,
    log,
    instance,
    commitLimitMs: options.commitLimitMs ?? 10_000,
    nextOperation: () => ++operations,
    warn: options.warn ?? ((message) => console.warn(message)),
  }
  const check = (): void => {
    if (closed) throw new WorkspaceError('CLOSED', 'the workspace is closed')
  }

  async function open(id: string, initial: SessionFields): Promise<OpenedSession> {
    const { known, created } = await adopt(context, id, initial)
    const session = new Session(context, id, initial, known, created ? initial : copyFields(known.record.fields))
    states.set(id, session)
    return { session, created }
  }

  async function flush(): Promise<void> {
    const outcomes = await Promise.allSettled(Array.from(states.values(), (session) => session.flush()))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  return {
    instance,
    async defaultSession(wanted) {
      check()
      const candidate = wanted ?? randomId(host)
      const stored = await table.metadata({ defaultSessionId: candidate, createdAt: Math.round(host.now()) })
      return wanted ?? stored.defaultSessionId
    },
    async open(id, initial) {
      check()
      if (id === '') throw new WorkspaceError('EINVAL', 'a session id must not be empty')
      const running = opened.get(id)
      if (running !== undefined) return { session: (await running).session, created: false }
      const opening = open(id, initial)
      opened.set(id, opening)
      opening.catch(() => opened.delete(id))
      return opening
    },
    get: (id) => states.get(id),
    async exists(id) {
      check()
      return (await table.read(id, null)).state !== 'missing'
    },
    async list() {
      check()
      return [...(await table.list())].sort()
    },
    async inspect(id) {
      check()
      const read = await table.read(id, null)
      if (read.state !== 'found') return null
      const { fields, createdAt, generation } = read.record
      return { fields: copyFields(fields), createdAt, generation }
    },
    async remove(id) {
      check()
      states.get(id)?.close()
      states.delete(id)
      opened.delete(id)
      return table.remove(id)
    },
    async history() {
      check()
      const logs = await Promise.all(Array.from(await log.sessions(), (session) => log.all(session)))
      return logs.flat().sort((a, b) => a.timestamp - b.timestamp)
    },
    async flush() {
      check()
      await flush()
    },
    async close() {
      if (closed) return
      closed = true
      await flush()
    },
    async delete() {
      check()
      closed = true
      for (const session of states.values()) session.close()
      await table.clear()
      await log.clear()
      const objects = await store.objects?.(workspaceId)
      for (const key of (await objects?.list('')) ?? []) await objects?.delete(key)
    },
  }
}

/** The stored session, or a new one. */
async function adopt(
  { table, host }: { table: SessionTable; host: Host },
  id: string,
  initial: SessionFields,
): Promise<{ known: { record: SessionRecord; version: string }; created: boolean }> {
  const stored = await table.read(id, null)
  if (stored.state === 'found') return { known: stored, created: false }
  const record: SessionRecord = {
    fields: copyFields(initial),
    createdAt: Math.round(host.now()),
    generation: 1,
    operations: new Map(),
    unknown: {},
  }
  for (;;) {
    const turn = await table.begin(id, null)
    try {
      if (turn.read.state === 'found') return { known: turn.read, created: false }
      const written = await turn.commit({ record, expected: null, events: [], repeated: false, keep: false })
      if (written.state === 'written') return { known: { record, version: written.version ?? '' }, created: true }
      if (written.state === 'conflict' && written.read.state === 'found') return { known: written.read, created: false }
    } finally {
      turn.end()
    }
  }
}
