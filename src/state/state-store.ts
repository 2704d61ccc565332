import type { MaybePromise } from '../host.ts'
import type { Store } from '../store/store.ts'
import type { HistoryEvent, HistoryLog } from './history.ts'
import type { SessionRecord } from './session-record.ts'

/** Where a workspace's sessions, history and namespace are kept. One store serves any number of workspaces, told apart by their id. */
export interface WorkspaceStateStore {
  /** The sessions of a workspace, from the store that has the group `workspace`. CAPABILITY_UNSUPPORTED where it can't keep them. */
  sessions(workspaceId: string): SessionTable
  /** The history of a workspace, from the store that has the group `observer`. CAPABILITY_UNSUPPORTED where it can't keep it. */
  history(workspaceId: string): HistoryLog
  /**
   * Bytes by key for the Jobs and checkpoints of a workspace, from the store that has the group `workspace`. Left out where a store can't keep them:
   * they are then in memory.
   */
  objects?(workspaceId: string): MaybePromise<Store>
  /**
   * Calls `changed` soon after the state of a workspace changed, by this instance or another one, until the function that is given back is
   * called. A hint: it may come more than once. Never called where the store can't tell (files on a server).
   */
  watch(workspaceId: string, changed: (change: StateChange) => void): () => void
  /** Closes the stores given for single groups, then itself. What is stored stays. May be called twice. */
  close(): Promise<void>
}

/** What changed in the state of a workspace. */
export interface StateChange {
  /** `workspace` for sessions and the workspace's own record, `observer` for history. */
  readonly group: 'workspace' | 'observer'
  /** Whose; null where it is no single session's. */
  readonly session: string | null
}

/** Another store for a group of the state; what is left out stays with the store that is given these options. */
export interface StateStoreOverrides {
  /** Sessions and the workspace's own record. */
  readonly workspace?: WorkspaceStateStore
  /** History. */
  readonly observer?: WorkspaceStateStore
  /** Links and attributes of files whose mounts can't keep them. */
  readonly namespace?: WorkspaceStateStore
}

/** The workspace's own record. */
export interface WorkspaceMetadata {
  readonly defaultSessionId: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** What reading a session against a known version gives. */
export type SessionRead =
  | { readonly state: 'same' }
  | { readonly state: 'missing' }
  | { readonly state: 'found'; readonly record: SessionRecord; readonly version: string }

/** What one commit writes. */
export interface SessionWrite {
  /** The whole record; null leaves it as it is. */
  readonly record: SessionRecord | null
  /** The version the record was made from; null: there must be none. Not looked at where `record` is null. */
  readonly expected: string | null
  /** Appended after the record, in the same step where the store has one. Always empty when the history is kept elsewhere. */
  readonly events: readonly HistoryEvent[]
  /** An earlier attempt may have come through: events that are in the log already are not appended again. */
  readonly repeated: boolean
  /** The turn goes on after the commit. */
  readonly keep: boolean
}

/** How a commit ended: `conflict` with what the store has now, `lost` where another instance took the turn over. Neither wrote anything. */
export type SessionWritten =
  /** `version` is null where only events were written; `size` is the stored record's bytes, 0 where the store has no such thing. */
  | { readonly state: 'written'; readonly version: string | null; readonly size: number }
  | { readonly state: 'conflict'; readonly read: SessionRead }
  | { readonly state: 'lost' }

/** One instance's turn on one session. */
export interface Turn {
  /** What the session was when the turn began. */
  readonly read: SessionRead
  /** Ends the turn when the state is `written` and `keep` is false. A rejection leaves open whether it was written. */
  commit(write: SessionWrite): MaybePromise<SessionWritten>
  end(): void
}

/** The sessions of one workspace in one store. Records are taken by value. */
export interface SessionTable {
  /** The log `Turn.commit` may append to, or null. */
  readonly log: HistoryLog | null
  /** The workspace's record; stores `candidate` where there is none. */
  metadata(candidate: WorkspaceMetadata): MaybePromise<WorkspaceMetadata>
  /** Ids in no particular order. */
  list(): MaybePromise<readonly string[]>
  /** CORRUPT or VERSION_UNSUPPORTED for a record that can't be read; it stays as it is. */
  read(id: string, known: string | null): MaybePromise<SessionRead>
  /** Waits for the turn where the store can give one, then reads. Rejects with the signal's reason while it waits. */
  begin(id: string, known: string | null, signal?: AbortSignal): MaybePromise<Turn>
  /** Deletes a record, whoever has the turn; false where there was none. */
  remove(id: string): MaybePromise<boolean>
  /** Drops the sessions and the workspace's record. */
  clear(): MaybePromise<void>
}
