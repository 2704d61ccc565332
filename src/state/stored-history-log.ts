import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Store, StoreChange, StoredValue } from '../store/store.ts'
import type { ChangesWritten } from '../store/write-changes.ts'
import { writeChanges } from '../store/write-changes.ts'
import type { HistoryEvent, HistoryLog, HistoryPage } from './history.ts'
import type { Segment } from './history-segment.ts'
import {
  decodeHeader,
  decodeSegment,
  deletedCount,
  encodeEnd,
  encodeEvents,
  encodeHeader,
  entriesOf,
  idsOf,
  shownEntries,
} from './history-segment.ts'
import { decodeId, encodeId } from './id.ts'
import type { HistoryEntry } from './session-fields.ts'

/** Bytes from which on a new segment begins. */
const SEGMENT_BYTES = 128 * 1024
const SEGMENT_NAME = /\/(\d{8})\.jsonl$/
const ATTEMPTS = 20

/** Where the next append goes, as far as this instance knows. */
interface End {
  readonly number: number
  readonly segment: Segment
  readonly size: number
  /** The segment is known up to `size`; else others have appended entries that aren't. */
  readonly isExact: boolean
}

/** What appends events to a log, and what has to be told where all of it was written. */
export interface PreparedAppend {
  readonly changes: readonly StoreChange[]
  landed(values: ChangesWritten['values']): void
}

/**
 * The history of a workspace in a store of bytes: `workspaces/{id}/history/{session}/{number}.jsonl`. A session's entries are lines of JSON
 * in segments of bounded size. The header of a segment says what the segments before it come to, so a reader needs only those it asks for.
 */
export class StoredHistoryLog implements HistoryLog {
  readonly #store: Store
  readonly #folder: string
  readonly #ends = new Map<string, End>()

  /** CAPABILITY_UNSUPPORTED for a store that can't append. */
  constructor(store: Store, workspaceId: string) {
    if (!store.capabilities.append) throw new WorkspaceError('CAPABILITY_UNSUPPORTED', 'the store cannot append, so it cannot keep history')
    this.#store = store
    this.#folder = `workspaces/${encodeId(workspaceId)}/history/`
  }

  async append(session: string, events: readonly HistoryEvent[], repeated: boolean): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const prepared = await this.prepare(session, events, repeated)
      if (prepared === null) return
      const written = await writeChanges(this.#store, prepared.changes)
      if (written.state === 'written') return prepared.landed(written.values)
    }
    throw new WorkspaceError('CONFLICT', `the history of session ${JSON.stringify(session)} kept being changed by other instances`)
  }

  /** What appends the events to the log as it is now; null where all of them are there already. */
  async prepare(session: string, events: readonly HistoryEvent[], repeated: boolean): Promise<PreparedAppend | null> {
    if (repeated) this.#ends.delete(session)
    let end = this.#ends.get(session) ?? (await this.#findEnd(session))
    this.#ends.delete(session)
    const fresh = repeated && end !== null ? await this.#withoutKnown(session, end, events) : events
    if (fresh.length === 0) return null
    if (end !== null && !end.segment.ended && end.size < SEGMENT_BYTES && this.#canAppendBlindly(fresh))
      return this.#behind(session, end, fresh)
    // Others have appended since: what they wrote has to be known.
    if (end !== null && !end.isExact) end = await this.#findEnd(session)
    return this.#at(session, end, fresh)
  }

  async tail(session: string, count: number): Promise<HistoryPage> {
    return this.#page(session, (total) => [total - count, total])
  }

  async range(session: string, from: number, to: number): Promise<HistoryPage> {
    return this.#page(session, () => [from, to])
  }

  async all(session: string): Promise<readonly HistoryEntry[]> {
    const entries: HistoryEntry[] = []
    for (const number of await this.#numbers(session)) {
      const { segment } = await this.#read(session, number)
      entries.push(...entriesOf(segment, session))
    }
    return entries
  }

  async sessions(): Promise<readonly string[]> {
    const keys = await this.#store.list(this.#folder)
    const names = keys.map((key) => key.slice(this.#folder.length, key.lastIndexOf('/')))
    return Array.from(new Set(names), decodeId)
  }

  async clear(): Promise<void> {
    this.#ends.clear()
    // The last first: what is left of a log by a failure still begins with its beginning.
    const keys = [...(await this.#store.list(this.#folder))].sort().reverse()
    for (const key of keys) await this.#store.delete(key)
  }

  /** Entries mean the same wherever they are; and the store refuses those for a segment that another one follows. */
  #canAppendBlindly(events: readonly HistoryEvent[]): boolean {
    return this.#store.write !== undefined && events.every(({ type }) => type === 'command')
  }

  /** Appends to the last segment that is known, whatever others have appended to it meanwhile. */
  #behind(session: string, end: End, events: readonly HistoryEvent[]): PreparedAppend {
    const { number, segment } = end
    const { bytes, after } = encodeEvents(segment, events)
    return {
      changes: [{ type: 'append', key: this.#key(session, number), bytes, unless: this.#key(session, number + 1) }],
      landed: ([appended]) => {
        const size = appended?.size ?? 0
        this.#ends.set(session, { number, segment: after, size, isExact: end.isExact && size === end.size + bytes.length })
      },
    }
  }

  /** Appends to the end as it is known, and to no other. */
  #at(session: string, end: End | null, events: readonly HistoryEvent[]): PreparedAppend {
    if (end !== null && !end.segment.ended && end.size < SEGMENT_BYTES) {
      const { number } = end
      const { bytes, after } = encodeEvents(end.segment, events)
      return {
        changes: [{ type: 'append', key: this.#key(session, number), bytes, size: end.size }],
        landed: ([appended]) => this.#ends.set(session, { number, segment: after, size: appended?.size ?? 0, isExact: true }),
      }
    }
    const number = end === null ? 1 : end.number + 1
    const header = encodeHeader(end?.segment ?? null)
    const lines = encodeEvents(header.after, events)
    const bytes = concat([header.bytes, lines.bytes])
    const changes: StoreChange[] = [{ type: 'put', key: this.#key(session, number), bytes, expected: null }]
    if (end !== null && !end.segment.ended) {
      // Closes the segment first, so that who still knows it as the last one sees at its next append that it isn't.
      changes.unshift({ type: 'append', key: this.#key(session, end.number), bytes: encodeEnd(), size: end.size })
    }
    return { changes, landed: () => this.#ends.set(session, { number, segment: lines.after, size: bytes.length, isExact: true }) }
  }

  /** The last segment, ready to be appended to: what a crash left of a torn last line is cut off. */
  async #findEnd(session: string): Promise<End | null> {
    for (;;) {
      const number = (await this.#numbers(session)).at(-1)
      if (number === undefined) return null
      const { segment, bytes, version } = await this.#read(session, number)
      if (segment.size === bytes.length) return { number, segment: { ...segment, items: [] }, size: segment.size, isExact: true }
      const cut = await this.#store.put(this.#key(session, number), bytes.subarray(0, segment.size), version)
      if (cut.state === 'written') return { number, segment: { ...segment, items: [] }, size: segment.size, isExact: true }
    }
  }

  /** The events that are in neither of the last two segments. */
  async #withoutKnown(session: string, end: End, events: readonly HistoryEvent[]): Promise<readonly HistoryEvent[]> {
    const known = new Set<string>()
    for (const number of [end.number - 1, end.number]) {
      if (number < 1) continue
      const { segment } = await this.#read(session, number)
      for (const id of idsOf(segment)) known.add(id)
    }
    return events.filter((event) => !known.has(event.id))
  }

  async #page(session: string, wanted: (total: number) => readonly [from: number, to: number]): Promise<HistoryPage> {
    const end = await this.#lastSegment(session)
    if (end === null) return { total: 0, first: 0, entries: [], mark: '0' }
    const last = end.segment
    const shown = shownEntries(last, session)
    const [from, to] = wanted(shown.total)
    const first = Math.min(Math.max(0, from), shown.total)
    const after = Math.min(Math.max(first, to), shown.total)
    const mark = `${last.cleared}.${deletedCount(last)}`
    if (first === after) return { total: shown.total, first, entries: [], mark }

    const firstOrdinal = shown.ordinalOf(first)
    const endOrdinal = shown.ordinalOf(after - 1) + 1
    const parts: HistoryEntry[][] = []
    // From the segment that holds the end back to the one that holds the beginning.
    let number = await this.#numberWith(session, end, endOrdinal - 1)
    let before = Number.POSITIVE_INFINITY
    for (;;) {
      const segment = number === end.number ? last : (await this.#read(session, number)).segment
      parts.unshift(shown.entriesOf(segment, firstOrdinal, Math.min(endOrdinal, before)))
      before = segment.first
      if (segment.first <= firstOrdinal) break
      number -= 1
    }
    return { total: shown.total, first, entries: parts.flat(), mark }
  }

  /** The last segment. Where this instance knows its number and it hasn't ended since, without a look for others. */
  async #lastSegment(session: string): Promise<{ readonly number: number; readonly segment: Segment } | null> {
    const known = this.#ends.get(session)?.number
    if (known !== undefined) {
      const key = this.#key(session, known)
      const stored = await this.#store.get(key)
      const segment = stored === null || stored === 'same' ? null : decodeSegment(stored.bytes, key)
      if (segment?.ended === false) return { number: known, segment }
    }
    const number = (await this.#numbers(session)).at(-1)
    return number === undefined ? null : { number, segment: (await this.#read(session, number)).segment }
  }

  /** Number of the last segment that begins at `ordinal` or before. */
  async #numberWith(session: string, last: { readonly number: number; readonly segment: Segment }, ordinal: number): Promise<number> {
    if (last.segment.first <= ordinal) return last.number
    let low = 1
    let high = last.number - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      const key = this.#key(session, middle)
      const { first } = decodeHeader((await this.#get(key)).bytes, key)
      if (first <= ordinal) low = middle
      else high = middle - 1
    }
    return low
  }

  async #numbers(session: string): Promise<number[]> {
    const keys = await this.#store.list(this.#prefix(session))
    const numbers = keys.flatMap((key) => SEGMENT_NAME.exec(key)?.[1] ?? []).map(Number)
    return numbers.sort((a, b) => a - b)
  }

  async #read(session: string, number: number): Promise<{ segment: Segment; bytes: Uint8Array; version: string }> {
    const key = this.#key(session, number)
    const stored = await this.#get(key)
    return { segment: decodeSegment(stored.bytes, key), bytes: stored.bytes, version: stored.version }
  }

  async #get(key: string): Promise<StoredValue> {
    const stored = await this.#store.get(key)
    if (stored === null || stored === 'same') throw new WorkspaceError('CORRUPT', `${key}: is missing`)
    return stored
  }

  #prefix(session: string): string {
    return `${this.#folder}${encodeId(session)}/`
  }

  #key(session: string, number: number): string {
    return `${this.#prefix(session)}${String(number).padStart(8, '0')}.jsonl`
  }
}
