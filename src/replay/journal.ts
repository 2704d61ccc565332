import { concat, decode, encode } from '../bytes.ts'
import type { Host } from '../host.ts'
import { randomId } from '../host.ts'
import type { Store } from '../store/store.ts'
import { ReplayFault } from './fault.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './json.ts'
import { LINE_FEED } from './json-spans.ts'

export const JOURNAL = 'replay-events.jsonl'
const FORMAT = 'mirage.trace/5'

/** What a journal tells of earlier attempts of the same run. */
export interface JournalPast {
  /** There was one. */
  readonly began: boolean
  /** It ended, well or not. */
  readonly ended: boolean
  /** A tool was started whose outcome nobody knows, or what was run was never brought to an end. */
  readonly ambiguous: string | null
}

/** The events of a run, in order: what is written is there before what it announces begins. */
export class Journal {
  readonly past: JournalPast
  readonly #store: Store
  readonly #host: Host
  readonly #id: string
  readonly #runId: string
  #bytes: Uint8Array[]
  #size: number
  #count: number
  #last: string | null

  private constructor(store: Store, host: Host, runId: string, found: Found) {
    this.#store = store
    this.#host = host
    this.#runId = runId
    this.#id = found.id
    this.#bytes = [found.bytes]
    this.#size = found.bytes.length
    this.#count = found.count
    this.#last = found.last
    this.past = found.past
  }

  /** Opens the journal of a run, by whoever holds it. An unfinished last line is cut off. ReplayFault (`ambiguous_execution`) for one that can't be read. */
  static async open(store: Store, host: Host, runId: string): Promise<Journal> {
    const stored = await store.get(JOURNAL)
    if (stored === null || stored === 'same') {
      const header = { format: FORMAT, journal: `journal-${randomId(host, 16)}` }
      const bytes = encode(`${JSON.stringify(header)}\n`)
      await store.put(JOURNAL, bytes)
      return new Journal(store, host, runId, {
        bytes,
        id: header.journal,
        count: 0,
        last: null,
        past: { began: false, ended: false, ambiguous: null },
      })
    }
    const found = readJournal(stored.bytes)
    if (found.bytes.length < stored.bytes.length) await store.put(JOURNAL, found.bytes)
    return new Journal(store, host, runId, found)
  }

  /** Writes down what happened, or is about to: it is kept when this resolves. */
  async add(name: string, payload: JsonObject): Promise<void> {
    const id = `event-${randomId(this.#host, 16)}`
    const record = {
      position: { journal: this.#id, offset: this.#count },
      event: {
        version: 5,
        id,
        trace_id: this.#runId,
        producer: 'mirage-replay',
        observed_at_unix_ms: Math.round(this.#host.now()),
        scope: [this.#runId],
        caused_by: this.#last === null ? [] : [this.#last],
        level: name === 'run_failed' ? 'error' : 'info',
        granularity: name.startsWith('tool_') ? 'operation' : 'milestone',
        data: { fact: 'observation', domain: 'replay', name, version: 1, payload },
      },
    }
    const bytes = encode(`${JSON.stringify(record)}\n`)
    this.#bytes.push(bytes)
    if (this.#store.capabilities.append) await this.#append(bytes)
    else await this.#store.put(JOURNAL, this.bytes())
    this.#size += bytes.length
    this.#count += 1
    this.#last = id
  }

  /** All of it. */
  bytes(): Uint8Array {
    const whole = concat(this.#bytes)
    this.#bytes = [whole]
    return whole
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const { state } = await this.#store.append(JOURNAL, bytes, this.#size)
    if (state !== 'written') throw new ReplayFault('ambiguous_execution', `somebody else writes to the journal of run ${this.#runId}`)
  }
}

interface Found {
  readonly bytes: Uint8Array
  readonly id: string
  readonly count: number
  readonly last: string | null
  readonly past: JournalPast
}

function readJournal(bytes: Uint8Array): Found {
  // What a crash cut off was never announced as done.
  const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1)
  const [header, ...records] = decode(whole)
    .split('\n')
    .slice(0, -1)
    .map((line, i) => lineOf(line, i + 1))
  if (header?.format !== FORMAT || typeof header.journal !== 'string') throw damaged('line 1 is no header')
  const open = new Map<string, true>()
  let ran = false
  let ended = false
  let last: string | null = null
  records.forEach((record, i) => {
    const event = objectOr(record.event)
    const position = objectOr(record.position)
    const { name, payload } = objectOr(event?.data) ?? {}
    if (typeof event?.id !== 'string' || typeof name !== 'string' || position?.offset !== i)
      throw damaged(`line ${i + 2} is no event in its place`)
    last = event.id
    const callId = objectOr(payload)?.call_id
    if (name === 'run_started') {
      // Another attempt begins: what an earlier one left open stays open.
      ended = false
    } else if (name === 'tool_started') {
      ran = true
      open.set(String(callId), true)
    } else if (name === 'tool_finished') open.delete(String(callId))
    else if (name === 'run_finished' || name === 'run_failed') ended = true
  })
  return {
    bytes: whole.slice(),
    id: header.journal,
    count: records.length,
    last,
    past: { began: records.length > 0, ended, ambiguous: ambiguityOf(open, ran, ended) },
  }
}

function ambiguityOf(open: ReadonlyMap<string, true>, ran: boolean, ended: boolean): string | null {
  const [call] = open.keys()
  if (call !== undefined) return `the tool call ${call} was started, and nobody knows how it ended`
  return ran && !ended ? 'tools were run, and the run was never brought to an end' : null
}

function lineOf(line: string, number: number): JsonObject {
  try {
    const value = JSON.parse(line) as JsonValue
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  throw damaged(`line ${number} is no JSON object`)
}

function objectOr(value: JsonValue | undefined): JsonObject | null {
  return isObject(value) ? value : null
}

function damaged(what: string): ReplayFault {
  return new ReplayFault(
    'ambiguous_execution',
    `${JOURNAL} is damaged: ${what}; what was run can't be told: use a new run id on fresh files`,
  )
}
