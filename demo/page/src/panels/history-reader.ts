import type { HistoryEntry, Session } from 'mirage-runtime'
import type { App } from '../app.ts'

/** Entries that are read after a line. */
const TAIL = 100

/** What was run in all sessions, oldest first, as far as it was read. */
export interface HistoryReader {
  /** Reads everything. */
  all(): Promise<readonly HistoryEntry[]>
  /** Reads the end of one session's history, where that is enough to know it all. */
  after(session: string): Promise<readonly HistoryEntry[]>
}

/** Reads the sessions that are open as they show themselves (without what was taken out), closed ones from the record. */
export function historyReader(app: App): HistoryReader {
  let entries: readonly HistoryEntry[] = []
  const keep = (session: string, own: readonly HistoryEntry[]): void => {
    const others = entries.filter((entry) => entry.session !== session)
    entries = [...others, ...own].sort((a, b) => a.timestamp - b.timestamp)
  }
  const all = async (): Promise<readonly HistoryEntry[]> => {
    entries = await app.workspace.history()
    for (const id of app.sessions.get()) {
      const session = app.openSession(id)
      if (session !== undefined) keep(id, await session.history())
    }
    return entries
  }
  return {
    all,
    after: async (id) => {
      const session: Session | undefined = app.openSession(id)
      if (session === undefined) return all()
      const tail = await session.history(TAIL)
      const since = tail[0]?.timestamp ?? 0
      const ids = new Set(tail.map((entry) => entry.id))
      const older = entries.filter((entry) => entry.session === id && entry.timestamp <= since && !ids.has(entry.id))
      keep(id, tail.length < TAIL ? tail : [...older, ...tail])
      return entries
    },
  }
}
