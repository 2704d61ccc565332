import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { Store } from '../store/store.ts'
import { Watchers } from '../store/watchers.ts'
import type { HistoryLog } from './history.ts'
import { RamHistoryLog } from './ram-history-log.ts'
import type { SessionRecord } from './session-record.ts'
import type {
  SessionRead,
  SessionTable,
  SessionWrite,
  SessionWritten,
  StateChange,
  StateStoreOverrides,
  Turn,
  WorkspaceMetadata,
  WorkspaceStateStore,
} from './state-store.ts'
import { closeOverrides, overridesFrom, watchOverrides } from './state-store-overrides.ts'
import { Turnstile } from './turnstile.ts'

/** Keeps the state in the process's memory, until it exits. Several workspaces of the process may share it. */
export class RAMWorkspaceStateStore implements WorkspaceStateStore {
  readonly #overrides: StateStoreOverrides
  readonly #workspaces = new Map<string, RamSessionTable>()
  #closed = false

  /** CONFIG_INVALID for an unknown option, CAPABILITY_UNSUPPORTED for an override that can't keep its group (`observer` or `namespace` in a bucket). */
  constructor(overrides: StateStoreOverrides = {}) {
    this.#overrides = overridesFrom(overrides, 'RAMWorkspaceStateStore')
  }

  sessions(workspaceId: string): SessionTable {
    return this.#overrides.workspace?.sessions(workspaceId) ?? this.#own(workspaceId)
  }

  objects(workspaceId: string): MaybePromise<Store> {
    return this.#overrides.workspace?.objects?.(workspaceId) ?? this.#own(workspaceId).objects()
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? this.#own(workspaceId).log
  }

  watch(workspaceId: string, changed: (change: StateChange) => void): () => void {
    const stopOverrides = watchOverrides(this.#overrides, workspaceId, changed)
    const stopOwn = this.#own(workspaceId).watchers.add(changed)
    return () => {
      stopOverrides()
      stopOwn()
    }
  }

  close(): Promise<void> {
    this.#closed = true
    return closeOverrides(this.#overrides)
  }

  #own(workspaceId: string): RamSessionTable {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the state store is closed')
    let table = this.#workspaces.get(workspaceId)
    if (table === undefined) {
      table = new RamSessionTable()
      this.#workspaces.set(workspaceId, table)
    }
    return table
  }
}

interface Kept {
  readonly turnstile: Turnstile
  record: SessionRecord | null
  version: string
}

const DONE: SessionWritten = { state: 'written', version: null, size: 0 }
const SAME: SessionRead = { state: 'same' }
const MISSING: SessionRead = { state: 'missing' }

class RamSessionTable implements SessionTable {
  readonly watchers: Watchers<StateChange> = new Watchers<StateChange>()
  readonly log: RamHistoryLog = new RamHistoryLog((session) => this.watchers.tell({ group: 'observer', session }))
  #objects: Promise<Store> | null = null
  readonly #sessions = new Map<string, Kept>()
  #metadata: WorkspaceMetadata | null = null
  /** Counts writes of the whole table: a session that is removed and made again never gets an old version. */
  #writes = 0

  objects(): Promise<Store> {
    this.#objects ??= import('../store/memory.ts').then(({ MemoryStore }) => new MemoryStore())
    return this.#objects
  }

  metadata(candidate: WorkspaceMetadata): WorkspaceMetadata {
    this.#metadata ??= { ...candidate }
    return this.#metadata
  }

  list(): readonly string[] {
    return Array.from(this.#sessions.keys()).filter((id) => this.#sessions.get(id)?.record !== null)
  }

  read(id: string, known: string | null): SessionRead {
    const kept = this.#sessions.get(id)
    return kept === undefined ? MISSING : readKept(kept, known)
  }

  begin(id: string, known: string | null, signal?: AbortSignal): MaybePromise<Turn> {
    let kept = this.#sessions.get(id)
    if (kept === undefined) {
      kept = { turnstile: new Turnstile(), record: null, version: '' }
      this.#sessions.set(id, kept)
    }
    const session = kept
    const entered = session.turnstile.enter(signal)
    if (!isPromise(entered)) return this.#turn(id, session, known)
    return entered.then(() => this.#turn(id, session, known))
  }

  remove(id: string): boolean {
    const kept = this.#sessions.get(id)
    if (kept === undefined || kept.record === null) return false
    kept.record = null
    this.watchers.tell({ group: 'workspace', session: id })
    return true
  }

  clear(): void {
    for (const kept of this.#sessions.values()) kept.record = null
    this.#metadata = null
    this.watchers.tell({ group: 'workspace', session: null })
  }

  #turn(id: string, kept: Kept, known: string | null): Turn {
    let ended = false
    const end = (): void => {
      if (ended) return
      ended = true
      kept.turnstile.leave()
    }
    return {
      read: readKept(kept, known),
      commit: (write) => {
        const written = this.#write(id, kept, write)
        if (written.state === 'written' && !write.keep) end()
        return written
      },
      end,
    }
  }

  #write(id: string, kept: Kept, write: SessionWrite): SessionWritten {
    if (write.record !== null) {
      if ((kept.record === null ? null : kept.version) !== write.expected) return { state: 'conflict', read: readKept(kept, null) }
      kept.record = write.record
      kept.version = String(++this.#writes)
      this.watchers.tell({ group: 'workspace', session: id })
    }
    if (write.events.length > 0) this.log.append(id, write.events, write.repeated)
    return write.record === null ? DONE : { state: 'written', version: kept.version, size: 0 }
  }
}

function readKept(kept: Kept, known: string | null): SessionRead {
  if (kept.record === null) return MISSING
  return kept.version === known ? SAME : { state: 'found', record: kept.record, version: kept.version }
}
