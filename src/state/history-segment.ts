import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { HistoryEvent } from './history.ts'
import type { JsonObject } from './json-reader.ts'
import { JsonReader } from './json-reader.ts'
import type { HistoryEntry } from './session-fields.ts'

/** A stretch of ordinals, the end not included. */
export type Stretch = readonly [from: number, to: number]

/**
 * Part of a session's history, and what all parts up to its end come to. Entries that aren't hidden are numbered from 0 once and for all,
 * in the order they were appended: their ordinals.
 */
export interface Segment {
  /** Ordinal of the first entry here. */
  readonly first: number
  /** Ordinal of the next entry. */
  readonly next: number
  /** Entries below were cleared. */
  readonly cleared: number
  /** Entries that were deleted since, ascending and apart. */
  readonly deleted: readonly Stretch[]
  /** A later segment follows or is about to. */
  readonly ended: boolean
  /** Bytes up to the end of the last whole line. */
  readonly size: number
  readonly items: readonly SegmentItem[]
  /** Names it in errors. */
  readonly where: string
}

/** A line of a segment. Most are never looked into, so it stays text until it is. */
export interface SegmentItem {
  readonly text: string
  /** Number of the line, from 1. */
  readonly number: number
  /** Null for a hidden entry and for what is no entry. */
  readonly ordinal: number | null
}

/** Lines to append, and the segment after them (without its items). */
export interface SegmentLines {
  readonly bytes: Uint8Array
  readonly after: Segment
}

const FORMAT = 1
const NEW: Segment = { first: 0, next: 0, cleared: 0, deleted: [], ended: false, size: 0, items: [], where: '' }
const NEWLINE = 10
/** How lines of entries begin, and how those of hidden ones end, as they are written here. */
const COMMAND = '{"type":"command",'
const HIDDEN = ',"hidden":true}'

/** The first line of the segment that follows `previous`. */
export function encodeHeader(previous: Segment | null): SegmentLines {
  const { next, cleared, deleted } = previous ?? NEW
  const bytes = line({ type: 'segment', version: FORMAT, first: next, cleared, deleted })
  return { bytes, after: { ...NEW, first: next, next, cleared, deleted } }
}

/** The last line of a segment that another one follows. */
export function encodeEnd(): Uint8Array {
  return line({ type: 'end' })
}

export function encodeEvents(segment: Segment, events: readonly HistoryEvent[]): SegmentLines {
  let after = segment
  let text = ''
  for (const event of events) {
    const stored = toStored(after, event)
    text += `${JSON.stringify(stored)}\n`
    after = follow(after, stored)
  }
  return { bytes: encode(text), after }
}

/** Reads a segment up to its last whole line. VERSION_UNSUPPORTED; CORRUPT also where an entry is, but only once it is asked for. */
export function decodeSegment(bytes: Uint8Array, where: string): Segment {
  const size = bytes.lastIndexOf(NEWLINE) + 1
  const lines = decode(bytes.subarray(0, size)).split('\n')
  lines.pop()
  let segment = decodeHeader(bytes, where)
  let { next } = segment
  const items: SegmentItem[] = []
  for (let i = 1; i < lines.length; i++) {
    const text = lines[i] as string
    if (text.startsWith(COMMAND)) {
      items.push({ text, number: i + 1, ordinal: text.endsWith(HIDDEN) ? null : next++ })
      continue
    }
    segment = follow({ ...segment, next }, parse(text, `${where}: line ${i + 1}`))
    items.push({ text, number: i + 1, ordinal: segment.next > next ? next : null })
    next = segment.next
  }
  return { ...segment, next, size, items, where }
}

/** Reads the first line of a segment: what comes before it. */
export function decodeHeader(bytes: Uint8Array, where: string): Segment {
  const end = bytes.indexOf(NEWLINE)
  if (end === -1) throw new WorkspaceError('CORRUPT', `${where}: has no header`)
  const header = JsonReader.parse(bytes.subarray(0, end), `${where}: line 1`)
  header.version(FORMAT)
  const first = header.number('first', 0)
  return { ...NEW, first, next: first, cleared: header.number('cleared', 0), deleted: header.stretches('deleted') }
}

/** The entries of a segment, in order, hidden ones too. */
export function entriesOf(segment: Segment, session: string): HistoryEntry[] {
  return segment.items.flatMap((item) => entryOf(segment, item, session) ?? [])
}

/** Ids of all events of a segment. */
export function idsOf(segment: Segment): string[] {
  return segment.items.flatMap((item) => (parseItem(segment, item).id as string | undefined) ?? [])
}

/** What the views show, seen from the last segment. */
export interface ShownEntries {
  readonly total: number
  /** Ordinal of the entry at a position. */
  ordinalOf(position: number): number
  /** The shown entries of a segment with ordinals from `from` up to, without, `to`. */
  entriesOf(segment: Segment, from: number, to: number): HistoryEntry[]
}

export function shownEntries(last: Segment, session: string): ShownEntries {
  const { cleared, deleted, next } = last
  return {
    total: next - cleared - deletedCount(last),
    ordinalOf: (position) => ordinalOf(last, position),
    entriesOf: (segment, from, to) =>
      segment.items.flatMap((item) => {
        const { ordinal } = item
        if (ordinal === null || ordinal < from || ordinal >= to || ordinal < cleared) return []
        if (deleted.some(([start, end]) => ordinal >= start && ordinal < end)) return []
        return entryOf(segment, item, session) ?? []
      }),
  }
}

/** How many entries were deleted since the last clear. */
export function deletedCount({ deleted }: Segment): number {
  return deleted.reduce((sum, [from, to]) => sum + to - from, 0)
}

function toStored(segment: Segment, event: HistoryEvent): JsonObject {
  switch (event.type) {
    case 'command': {
      const { id, session, agent, timestamp, cwd, command, exitCode, durationMs } = event.entry
      const fields = { type: 'command', id, session, agent, timestamp, cwd, command, exit_code: exitCode, duration_ms: durationMs }
      return event.hidden ? { ...fields, hidden: true } : fields
    }
    case 'delete': {
      const total = segment.next - segment.cleared - deletedCount(segment)
      const from = Math.max(0, event.from)
      const to = Math.min(total, event.to)
      const ordinals = from < to ? [[ordinalOf(segment, from), ordinalOf(segment, to - 1) + 1]] : []
      return { type: 'delete', id: event.id, ordinals }
    }
    case 'clear':
      return { type: 'clear', id: event.id }
    default:
      return event satisfies never
  }
}

/** The segment after one more line; lines of unknown types change nothing. */
function follow(segment: Segment, stored: JsonObject): Segment {
  switch (stored.type) {
    case 'command':
      return stored.hidden === true ? segment : { ...segment, next: segment.next + 1 }
    case 'clear':
      return { ...segment, cleared: segment.next, deleted: [] }
    case 'delete':
      return { ...segment, deleted: (stored.ordinals as Stretch[]).reduce(withStretch, segment.deleted) }
    case 'end':
      return { ...segment, ended: true }
    default:
      return segment
  }
}

function entryOf(segment: Segment, item: SegmentItem, session: string): HistoryEntry | null {
  const stored = parseItem(segment, item)
  if (stored.type !== 'command') return null
  return {
    id: stored.id as string,
    session,
    agent: (stored.agent ?? null) as string | null,
    timestamp: stored.timestamp as number,
    cwd: stored.cwd as string,
    command: stored.command as string,
    exitCode: stored.exit_code as number,
    durationMs: stored.duration_ms as number,
  }
}

function parseItem({ where }: Segment, { text, number }: SegmentItem): JsonObject {
  return parse(text, `${where}: line ${number}`)
}

function parse(text: string, where: string): JsonObject {
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    // The error of JSON.parse shows what is stored.
    throw new WorkspaceError('CORRUPT', `${where}: is not JSON`)
  }
  if (!isLine(stored)) throw new WorkspaceError('CORRUPT', `${where}: is not a line of history`)
  return stored
}

function isLine(stored: unknown): stored is JsonObject {
  if (typeof stored !== 'object' || stored === null || !('type' in stored)) return false
  const { type, id, timestamp, cwd, command, exit_code, duration_ms, ordinals } = stored as JsonObject
  if (type === 'delete') return typeof id === 'string' && Array.isArray(ordinals)
  if (type !== 'command') return typeof type === 'string'
  const texts = typeof id === 'string' && typeof cwd === 'string' && typeof command === 'string'
  return texts && typeof timestamp === 'number' && typeof exit_code === 'number' && typeof duration_ms === 'number'
}

function ordinalOf({ cleared, deleted }: Segment, position: number): number {
  let ordinal = cleared + position
  for (const [from, to] of deleted) {
    if (ordinal < from) break
    ordinal += to - from
  }
  return ordinal
}

/** The stretches with one more; those that touch become one. */
function withStretch(stretches: readonly Stretch[], [from, to]: Stretch): readonly Stretch[] {
  let start = from
  let end = to
  const apart: Stretch[] = []
  for (const stretch of stretches) {
    if (stretch[1] < start || stretch[0] > end) apart.push(stretch)
    else {
      start = Math.min(start, stretch[0])
      end = Math.max(end, stretch[1])
    }
  }
  return [...apart, [start, end] as const].sort((a, b) => a[0] - b[0])
}

function line(document: JsonObject): Uint8Array {
  return encode(`${JSON.stringify(document)}\n`)
}
