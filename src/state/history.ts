import type { MaybePromise } from '../host.ts'
import type { HistoryEntry } from './session-fields.ts'

/** An entry before the log has it: `id` and `session` are the log's business. */
export interface HistoryLine extends Omit<HistoryEntry, 'id' | 'session'> {
  /** Kept in the record, but in neither view (`HISTCONTROL=ignorespace`, the line that was `history -c`). */
  readonly hidden?: boolean
}

/** What a log is made of. `id` tells a repeated append from a new one. */
export type HistoryEvent =
  | { readonly type: 'command'; readonly id: string; readonly entry: HistoryEntry; readonly hidden: boolean }
  /** Takes the entries of these positions (see {@link HistoryPage}; `to` is not included) out of the views. */
  | { readonly type: 'delete'; readonly id: string; readonly from: number; readonly to: number }
  /** Takes everything before it out of the views. */
  | { readonly type: 'clear'; readonly id: string }

/** Part of what the views show. Positions count shown entries from 0, the oldest. */
export interface HistoryPage {
  /** How many entries the views show in all. */
  readonly total: number
  /** Position of the first entry of the page. */
  readonly first: number
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[]
  /** Changes when entries were taken out: pages with the same mark number the same entries alike. */
  readonly mark: string
}

/** The history of one workspace in one store: append-only, one log a session. */
export interface HistoryLog {
  /** `repeated`: some of the events may be there already and are not appended twice. */
  append(session: string, events: readonly HistoryEvent[], repeated: boolean): MaybePromise<void>
  /** The last `count` shown entries. */
  tail(session: string, count: number): MaybePromise<HistoryPage>
  /** The shown entries from position `from` up to, without, `to`. */
  range(session: string, from: number, to: number): MaybePromise<HistoryPage>
  /** Every entry, deleted and hidden ones too. */
  all(session: string): MaybePromise<readonly HistoryEntry[]>
  /** Ids of the sessions that have a history. */
  sessions(): MaybePromise<readonly string[]>
  /** Drops everything. */
  clear(): MaybePromise<void>
}

/** The history of one session, as the `history` builtin and `/.bash_history` show it. */
export interface SessionHistory {
  /** The last `count` entries; `tail(0).total` is the number of all. */
  tail(count: number): MaybePromise<HistoryPage>
  range(from: number, to: number): MaybePromise<HistoryPage>
  /** Adds entries at once (`history -s`), outside of any commit. */
  add(lines: readonly HistoryLine[]): MaybePromise<void>
  /** Takes the entries at these positions out of the views. */
  remove(from: number, to: number): MaybePromise<void>
  /** Takes all entries out of the views. */
  clear(): MaybePromise<void>
}
