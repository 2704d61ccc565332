import { WorkspaceError } from '../errors.ts'
import type { HistoryEvent, HistoryLog } from '../state/history.ts'
import type { SessionRecord } from '../state/session-record.ts'
import type { WorkspaceStateStore } from '../state/state-store.ts'
import type { HeldSession } from './workspace-parts.ts'

/** A session with its history, apart from any store. */
export interface SavedSession {
  readonly id: string
  /** Null where only the history is left. */
  readonly record: SessionRecord | null
  readonly history: readonly CommandEvent[]
}

export type CommandEvent = HistoryEvent & { readonly type: 'command' }

/** Sessions and histories of a workspace. */
export interface SavedState {
  readonly defaultSession: string
  readonly sessions: readonly SavedSession[]
}

/** What a session is, as a record that no instance has written yet. */
export function recordOf({ state, fields }: HeldSession): SessionRecord {
  return { fields, createdAt: state.createdAt, generation: state.generation, operations: new Map(), unknown: {} }
}

/** Every entry of a session; those that the views don't show are hidden. */
export async function historyOf(log: HistoryLog, session: string): Promise<readonly CommandEvent[]> {
  const all = await log.all(session)
  if (all.length === 0) return []
  const shown = new Set((await log.range(session, 0, Number.MAX_SAFE_INTEGER)).entries.map(({ id }) => id))
  return all.map((entry) => ({ type: 'command', id: entry.id, entry, hidden: !shown.has(entry.id) }))
}

/** Writes the state of a new workspace. EEXIST where there is one with this id; what was written before a failure is removed. */
export async function writeState(store: WorkspaceStateStore, workspaceId: string, saved: SavedState, createdAt: number): Promise<void> {
  const table = store.sessions(workspaceId)
  const log = store.history(workspaceId)
  if ((await table.list()).length + (await log.sessions()).length > 0)
    throw new WorkspaceError('EEXIST', `workspace "${workspaceId}" has sessions or history already: take another workspaceId`)
  try {
    await table.metadata({ defaultSessionId: saved.defaultSession, createdAt: Math.round(createdAt) })
    for (const { id, record, history } of saved.sessions) {
      for (let at = 0; at < history.length; at += BATCH) await log.append(id, history.slice(at, at + BATCH), false)
      if (record === null) continue
      const turn = await table.begin(id, null)
      try {
        const written = await turn.commit({ record, expected: null, events: [], repeated: false, keep: false })
        if (written.state !== 'written') throw new WorkspaceError('EEXIST', `workspace "${workspaceId}" got a session "${id}" meanwhile`)
      } finally {
        turn.end()
      }
    }
  } catch (error) {
    await table.clear()
    await log.clear()
    throw error
  }
}

/** Entries that are appended at once. */
const BATCH = 200
