import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Lease, Store } from '../store/store.ts'
import { decodeId, encodeId } from './id.ts'
import { JsonReader } from './json-reader.ts'
import type { SessionRecord } from './session-record.ts'
import { decodeRecord, encodeRecord, largestVariables } from './session-record.ts'
import type { SessionRead, SessionTable, SessionWrite, SessionWritten, Turn, WorkspaceMetadata } from './state-store.ts'
import type { StoredHistoryLog } from './stored-history-log.ts'

const FORMAT = 1
const RECORD = '.json'

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
    const stored = await this.#store.get(key, known ?? undefined)
    if (stored === null) return { state: 'missing' }
    if (stored === 'same') return { state: 'same' }
    return { state: 'found', record: decodeRecord(id, stored.bytes, key), version: stored.version }
  }

  async begin(id: string, known: string | null, signal?: AbortSignal): Promise<Turn> {
    const lease = await this.#store.lease(this.#key(id), signal)
    try {
      const read = await this.read(id, known)
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
    let version: string | null = null
    let size = 0
    if (write.record !== null) {
      const bytes = encodeRecord(id, write.record)
      size = bytes.length
      this.#checkSize(id, write.record, size)
      const written = await this.#store.put(this.#key(id), bytes, write.expected, lease)
      if (written.state === 'conflict') return { state: 'conflict', read: await this.read(id, null) }
      if (written.state === 'lost') return written
      version = written.version
    }
    if (write.events.length > 0 && this.log !== null) {
      const appended = await this.log.appendUnder(lease, id, write.events, write.repeated)
      if (!appended) return { state: 'lost' }
    }
    if (!write.keep) lease.end()
    return { state: 'written', version, size }
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
