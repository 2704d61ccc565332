import type { HistoryEntry } from 'mirage-runtime'

/** What of the history is shown. */
export interface HistoryFilter {
  /** Words that the command holds, in any order. */
  readonly text: string
  /** '' for all. */
  readonly session: string
  readonly status: 'any' | 'succeeded' | 'failed'
  /** Not older than this many milliseconds; 0 for any age. */
  readonly age: number
}

/** The entries that fit, newest first. */
export function filterHistory(entries: readonly HistoryEntry[], filter: HistoryFilter, now: number): readonly HistoryEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .filter(({ command, session, exitCode, timestamp }) => {
      if (filter.session !== '' && session !== filter.session) return false
      if (filter.status !== 'any' && (exitCode === 0) !== (filter.status === 'succeeded')) return false
      if (filter.age > 0 && timestamp < now - filter.age) return false
      const text = command.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .reverse()
}
