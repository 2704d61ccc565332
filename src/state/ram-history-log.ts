import type { HistoryEvent, HistoryLog, HistoryPage } from './history.ts'
import type { HistoryEntry } from './session-fields.ts'

/** How far back a repeated append is looked for. */
const RECOGNISED = 256

interface SessionLog {
  readonly all: HistoryEntry[]
  shown: HistoryEntry[]
  /** Ids of deletions and clears. */
  readonly marks: string[]
}

/** History in memory. */
export class RamHistoryLog implements HistoryLog {
  readonly #logs = new Map<string, SessionLog>()
  readonly #changed: (session: string | null) => void

  /** `changed` is told whose log has grown; null: all were dropped. */
  constructor(changed: (session: string | null) => void) {
    this.#changed = changed
  }

  append(session: string, events: readonly HistoryEvent[], repeated: boolean): void {
    let log = this.#logs.get(session)
    if (log === undefined) {
      log = { all: [], shown: [], marks: [] }
      this.#logs.set(session, log)
    }
    for (const event of events) if (!repeated || !holds(log, event)) appendTo(log, event)
    this.#changed(session)
  }

  tail(session: string, count: number): HistoryPage {
    const total = this.#logs.get(session)?.shown.length ?? 0
    return this.range(session, total - count, total)
  }

  range(session: string, from: number, to: number): HistoryPage {
    const log = this.#logs.get(session)
    if (log === undefined) return { total: 0, first: 0, entries: [], mark: '0' }
    const total = log.shown.length
    const first = Math.min(Math.max(0, from), total)
    return { total, first, entries: log.shown.slice(first, Math.max(first, to)), mark: String(log.marks.length) }
  }

  all(session: string): readonly HistoryEntry[] {
    return this.#logs.get(session)?.all.slice() ?? []
  }

  sessions(): readonly string[] {
    return Array.from(this.#logs.keys())
  }

  clear(): void {
    this.#logs.clear()
    this.#changed(null)
  }
}

function holds(log: SessionLog, event: HistoryEvent): boolean {
  if (event.type !== 'command') return log.marks.slice(-RECOGNISED).includes(event.id)
  for (let i = log.all.length - 1; i >= 0 && i >= log.all.length - RECOGNISED; i--) if (log.all[i]?.id === event.id) return true
  return false
}

function appendTo(log: SessionLog, event: HistoryEvent): void {
  switch (event.type) {
    case 'command':
      log.all.push(event.entry)
      if (!event.hidden) log.shown.push(event.entry)
      return
    case 'delete':
      log.shown.splice(Math.max(0, event.from), Math.max(0, event.to - Math.max(0, event.from)))
      log.marks.push(event.id)
      return
    case 'clear':
      log.shown = []
      log.marks.push(event.id)
      return
    default:
      event satisfies never
  }
}
