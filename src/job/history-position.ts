import type { HistoryLog } from '../state/history.ts'

/** How far the history of a session had come. */
export interface HistoryPosition {
  /** How many entries the views showed. */
  readonly total: number
  /** Whether entries were taken out since. */
  readonly mark: string
  /** Id of the last of them. */
  readonly last: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

export async function historyPosition(log: HistoryLog, session: string, now: number): Promise<HistoryPosition> {
  const { total, mark, entries } = await log.tail(session, 1)
  return { total, mark, last: entries.at(-1)?.id ?? null, at: now }
}

/** How many of the entries that the views show now they showed then: the first ones, up to that number. What was taken out since stays out. */
export async function shownThen(log: HistoryLog, session: string, { total, mark, last, at }: HistoryPosition): Promise<number> {
  const now = await log.tail(session, 0)
  if (now.mark === mark) return Math.min(total, now.total)
  if (last === null) return 0
  const { entries } = await log.range(session, 0, now.total)
  const found = entries.findLastIndex(({ id }) => id === last)
  if (found >= 0) return found + 1
  const later = entries.findIndex(({ timestamp }) => timestamp > at)
  return later < 0 ? entries.length : later
}
