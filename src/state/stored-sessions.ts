import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Lease, Store, StoreChange, StoredValue } from '../store/store.ts'
import { writeChanges } from '../store/write-changes.ts'
import { decodeId, encodeId } from './id.ts'
import { JsonReader } from './json-reader.ts'
import type { SessionRecord } from './session-record.ts'
import { decodeRecord, encodeRecord, largestVariables } from './session-record.ts'
import type { SessionRead, SessionTable, SessionWrite, SessionWritten, Turn, WorkspaceMetadata } from './state-store.ts'
import type { StoredHistoryLog } from './stored-history-log.ts'

const FORMAT = 1
const RECORD = '.json'
/** How often an append may find that others changed the history. */
const ATTEMPTS = 20

/** The sessions of a workspace in a store of bytes: `workspaces/{id}/workspace.json` and `workspaces/{id}/sessions/{session}.json`. */
export class StoredSessionTable implements SessionTable {
  readonly log: StoredHistoryLog | null
  readonly #store: Store
  readonly #workspaceId: string
  readonly #folder: string

  /** `log` where the history is kept in the same store. */
  constructor(store: Store, workspaceId: string, log: StoredHistoryLog | null) {
    this.#store = store
    this.#workspaceId = workspaceId
    this.#folder = `workspaces/${encodeId(workspaceId)}/`
    this.log = log
  }

  async metadata(candidate: WorkspaceMetadata): Promise<WorkspaceMetadata> {
    const key = `${this.#folder}workspace.json`
    for (;;) {
      const stored = await this.#store.get(key)
      if (stored !== null && stored !== 'same') return decodeMetadata(stored.bytes, key)
      const written = await this.#store.put(key, encodeMetadata(this.#workspaceId, candidate), null)
      if (written.state === 'written') return candidate
    }
  }

  async list(): Promise<readonly string[]> {
    const prefix = `${this.#folder}sessions/`
    const keys = await this.#store.list(prefix)
    return keys.filter((key) => key.endsWith(RECORD)).map((key) => decodeId(key.slice(prefix.length, -RECORD.length)))
  }

  async read(id: string, known: string | null): Promise<SessionRead> {
    const key = this.#key(id)
    return toRead(id, await this.#store.get(key, known ?? undefined), key)
  }

  async begin(id: string, known: string | null, signal?: AbortSignal): Promise<Turn> {
    const key = this.#key(id)
    const taken = await this.#store.take?.(key, known ?? undefined, signal)
    const lease = taken?.lease ?? (await this.#store.lease(key, signal))
    try {
      const read = taken === undefined ? await this.read(id, known) : toRead(id, taken.value, key)
      return { read, commit: (write) => this.#commit(id, lease, write), end: () => lease.end() }
    } catch (error) {
      lease.end()
      throw error
    }
  }

  async remove(id: string): Promise<boolean> {
    const key = this.#key(id)
    const lease = await this.#store.lease(key, undefined, true)
    try {
      return await this.#store.delete(key)
    } finally {
      lease.end()
    }
  }

  async clear(): Promise<void> {
    for (const id of await this.list()) await this.remove(id)
    await this.#store.delete(`${this.#folder}workspace.json`)
  }

  #key(id: string): string {
    return `${this.#folder}sessions/${encodeId(id)}${RECORD}`
  }

  async #commit(id: string, lease: Lease, write: SessionWrite): Promise<SessionWritten> {
    const { log } = this
    let put = write.record === null ? null : this.#put(id, write.record, write.expected)
    const size = put?.bytes.length ?? 0
    let version: string | null = null
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const append = log === null || write.events.length === 0 ? null : await log.prepare(id, write.events, write.repeated)
      const puts = put === null ? [] : [put]
      const written = await writeChanges(this.#store, [...puts, ...(append?.changes ?? [])], lease, !write.keep)
      if (written.state === 'lost') return { state: 'lost' }
      if (put !== null && written.at === 0) return { state: 'conflict', read: await this.read(id, null) }
      if (put !== null && written.values.length > 0) {
        version = written.values[0]?.version ?? null
        put = null
      }
      if (written.state === 'conflict') continue
      append?.landed(written.values.slice(puts.length))
      return { state: 'written', version, size }
    }
    throw new WorkspaceError('CONFLICT', `the history of session ${JSON.stringify(id)} kept being changed by other instances`)
  }

  #put(id: string, record: SessionRecord, expected: string | null): StoreChange & { readonly type: 'put' } {
    const bytes = encodeRecord(id, record)
    this.#checkSize(id, record, bytes.length)
    return { type: 'put', key: this.#key(id), bytes, expected }
  }

  #checkSize(id: string, record: SessionRecord, size: number): void {
    const limit = this.#store.capabilities.maxValueBytes
    if (size <= limit) return
    const names = largestVariables(record, 3).join(', ')
    throw new WorkspaceError(
      'LIMIT_EXCEEDED',
      `cannot save session ${JSON.stringify(id)}: its record has ${size} bytes, the store takes ${limit}; its largest variables are ${names}`,
    )
  }
}

function toRead(id: string, stored: StoredValue | 'same' | null, key: string): SessionRead {
  if (stored === null) return { state: 'missing' }
  if (stored === 'same') return { state: 'same' }
  return { state: 'found', record: decodeRecord(id, stored.bytes, key), version: stored.version }
}

function encodeMetadata(workspaceId: string, { defaultSessionId, createdAt }: WorkspaceMetadata): Uint8Array {
  const document = {
    version: FORMAT,
    workspace_id: workspaceId,
    default_session_id: defaultSessionId,
    created_at: createdAt / 1000,
    generation: 1,
  }
  return encode(`${JSON.stringify(document)}\n`)
}

function decodeMetadata(bytes: Uint8Array, where: string): WorkspaceMetadata {
  const reader = JsonReader.parse(bytes, where)
  reader.version(FORMAT)
  return { defaultSessionId: reader.text('default_session_id'), createdAt: Math.round(reader.number('created_at', 0) * 1000) }
}
