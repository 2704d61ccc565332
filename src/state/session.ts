import type { ErrorCode } from '../errors.ts'
import { codeOf, WorkspaceError } from '../errors.ts'
import type { Host, MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { HistoryEvent, HistoryLine, HistoryLog, HistoryPage, SessionHistory } from './history.ts'
import type { FieldChanges } from './session-changes.ts'
import { applyChanges, conflictsOf, copyFields, diffFields } from './session-changes.ts'
import type { SessionFields } from './session-fields.ts'
import type { SessionRecord } from './session-record.ts'
import type { SessionRead, SessionTable, SessionWrite, SessionWritten, Turn } from './state-store.ts'
import { Turnstile } from './turnstile.ts'

/** How the state of a finished line was kept. */
export interface CommitResult {
  /**
   * `pending`: it is not in the store yet and goes there first at the next line, `flush()` or `close()`. A line that changed and recorded nothing
   * is it where the store could not be asked what the session is, so that what it read may have been old.
   */
  readonly durability: 'committed' | 'pending'
  /** Why it is pending. */
  readonly cause?: WorkspaceError
  /** Fields that another instance changed too, to something else; the later commit won. As `cwd`, `variable x`, `rule hide *.pem`. */
  readonly conflicts: readonly string[]
  /** This line, or one before it that was pending, ran on a session that another instance changed meanwhile: it had no lease, or lost it. */
  readonly outdated?: true
}

/** One session of one workspace instance: the state that outlives its lines. */
export interface SessionState {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Counts the commits that changed the session, in whichever instance. */
  readonly generation: number
  /** The fields as this instance last knew them. */
  readonly fields: SessionFields
  readonly history: SessionHistory
  /**
   * Waits for the session's turn, takes over what other instances changed, and gives the fields: the very object of the last `commit`
   * when nothing moved. `commit` or `abandon` must follow. Where the store can't be reached, the fields as this instance knows them.
   * Rejects with the signal's reason; NOT_FOUND, once, for a session that another instance closed; CORRUPT, VERSION_UNSUPPORTED.
   */
  begin(signal?: AbortSignal): MaybePromise<SessionFields>
  /** Ends the turn: what changed against what `begin` gave goes to the store, then the line. Never fails for the store's sake. */
  commit(fields: SessionFields, line: HistoryLine | null): MaybePromise<CommitResult>
  /** Ends the turn without a commit. */
  abandon(): void
  /**
   * Takes over what is stored now and gives the fields, without waiting for turns of other instances; while a line has the turn here, the
   * fields as they were before it. Fails as `begin` does, and with STORE_UNAVAILABLE where the store can't be reached.
   */
  refresh(): Promise<SessionFields>
}

/** What a session needs of its instance. */
export interface SessionContext {
  readonly host: Host
  readonly table: SessionTable
  readonly log: HistoryLog
  readonly instance: string
  /** Milliseconds a commit may keep its line waiting. */
  readonly commitLimitMs: number
  readonly nextOperation: () => number
  readonly warn: (message: string) => void
}

interface Known {
  readonly record: SessionRecord
  readonly version: string
}

/** A line whose state isn't in the store yet; what has come through is null. */
interface Unsaved {
  readonly operation: number
  changes: FieldChanges | null
  event: HistoryEvent | null
}

const NOT_ANSWERED = 'an earlier commit has not been answered yet'
const COMMITTED: CommitResult = { durability: 'committed', conflicts: [] }
/** Bytes of a record from which on the host is warned. */
const LARGE_RECORD = 1 << 20
const ATTEMPTS = 12
/** Instances whose last operation a record remembers. */
const REMEMBERED_INSTANCES = 16
/** Failures that a line must not hide by running on what it last knew. */
const FATAL: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  'CAPABILITY_UNSUPPORTED',
  'CLOSED',
  'CONFIG_INVALID',
  'CORRUPT',
  'NOT_FOUND',
  'VERSION_UNSUPPORTED',
])

/** {@link SessionState} over a table and a log. */
export class Session implements SessionState {
  readonly id: string
  readonly history: SessionHistory
  readonly #context: SessionContext
  readonly #initial: SessionFields
  readonly #joint: boolean
  readonly #turnstile = new Turnstile()
  #turn: Turn | null = null
  /** The record as the store last had it; null where there is none. */
  #known: Known | null
  /** What the lines see: the record with all unsaved changes. */
  #given: SessionFields
  /** What the line that runs was given. */
  #handed: SessionFields
  #unsaved: Unsaved[] = []
  #conflicts: string[] = []
  #outdated = false
  /** Why the line that runs could not ask the store what the session is; null where it could. */
  #unasked: WorkspaceError | null = null
  /** An attempt failed, so what is unsaved may have come through. */
  #doubtful = false
  /** A commit that outlasted its limit. */
  #late: Promise<void> | null = null
  #gone: 'elsewhere' | 'closed' | null = null
  #warned = false

  /** `given` has the content of `known`. */
  constructor(context: SessionContext, id: string, initial: SessionFields, known: Known, given: SessionFields) {
    this.#context = context
    this.id = id
    this.#initial = copyFields(initial)
    this.#known = known
    this.#given = given
    this.#handed = this.#given
    this.#joint = context.table.log === context.log
    this.history = sessionHistory(context, id)
  }

  get createdAt(): number {
    return this.#known?.record.createdAt ?? this.#context.host.now()
  }

  get generation(): number {
    return this.#known?.record.generation ?? 0
  }

  get fields(): SessionFields {
    return this.#given
  }

  begin(signal?: AbortSignal): MaybePromise<SessionFields> {
    const entered = this.#turnstile.enter(signal)
    return isPromise(entered) ? entered.then(() => this.#refresh(signal)) : this.#refresh(signal)
  }

  commit(fields: SessionFields, line: HistoryLine | null): MaybePromise<CommitResult> {
    const changes = this.#gone === 'closed' ? null : diffFields(this.#handed, fields)
    if (this.#given === this.#handed) this.#given = fields
    else if (changes !== null) this.#given = applyChanges(this.#given, changes)
    if (changes === null && line === null && this.#unsaved.length === 0) {
      this.abandon()
      return this.#result(this.#unasked)
    }
    const operation = this.#context.nextOperation()
    const event = line === null ? null : commandEvent(this.#context.instance, this.id, operation, line)
    this.#unsaved.push({ operation, changes, event })
    if (this.#late !== null) return this.#pending(unavailable(this.id, NOT_ANSWERED))
    if (this.#turn === null || !this.#joint || this.#unsaved.length > 1) return this.#settle(this.#push(false))

    const write = this.#nextWrite(false)
    let written: MaybePromise<SessionWritten>
    try {
      written = this.#turn.commit(write)
    } catch (error) {
      written = Promise.reject(error)
    }
    if (isPromise(written) || written.state !== 'written') return this.#settle(this.#push(false, { write, written }))
    this.#landed(write, 1, written)
    this.#turn = null
    this.#turnstile.leave()
    return this.#result(null)
  }

  abandon(): void {
    // The turn of a late commit is not this line's to end.
    if (this.#late === null) this.#endTurn()
    this.#turnstile.leave()
  }

  async refresh(): Promise<SessionFields> {
    if (this.#gone !== null) throw this.#notFound()
    if (this.#turnstile.isTaken || this.#late !== null) return this.#given
    await this.#turnstile.enter()
    try {
      this.#take(await this.#context.table.read(this.id, this.#known?.version ?? null))
      if (this.#gone !== null) throw this.#notFound()
      return this.#given
    } catch (error) {
      throw asWorkspaceError(error, this.id)
    } finally {
      this.#turnstile.leave()
    }
  }

  /** Brings what is unsaved to the store; throws where that fails. */
  async flush(): Promise<void> {
    if (this.#late !== null) await within(this.#context, this.#late)
    if (this.#late !== null) throw unavailable(this.id, 'a commit has not been answered yet')
    if (this.#unsaved.length === 0) return
    await this.#turnstile.enter()
    if (this.#unsaved.length === 0) return this.#turnstile.leave()
    const result = await this.#settle(this.#push(false))
    if (result.cause !== undefined) throw result.cause
  }

  /** The session was removed here: lines that still wait for it fail with NOT_FOUND. */
  close(): void {
    this.#gone = 'closed'
    this.#unsaved = []
  }

  #refresh(signal: AbortSignal | undefined): MaybePromise<SessionFields> {
    if (this.#gone !== null) return this.#fail(this.#notFound())
    this.#unasked = null
    if (this.#late !== null) {
      this.#unasked = unavailable(this.id, NOT_ANSWERED)
      return this.#hand()
    }
    let turn: MaybePromise<Turn>
    try {
      turn = this.#context.table.begin(this.id, this.#known?.version ?? null, signal)
    } catch (error) {
      return this.#withoutTurn(error, signal)
    }
    if (!isPromise(turn)) return this.#begun(turn)
    return turn.then(
      (begun) => this.#begun(begun),
      (error: unknown) => this.#withoutTurn(error, signal),
    )
  }

  #begun(turn: Turn): MaybePromise<SessionFields> {
    this.#turn = turn
    if (turn.read.state !== 'same') {
      this.#take(turn.read)
      if (this.#gone !== null) return this.#fail(this.#notFound())
    }
    if (this.#unsaved.length === 0) return this.#hand()
    // What could not be saved before goes first. If it still can't, the line runs all the same.
    return this.#push(true).then(
      () => this.#hand(),
      () => {
        this.#endTurn()
        return this.#hand()
      },
    )
  }

  /** The store gave no turn: the line runs on what is known here, unless that would hide a fault. */
  #withoutTurn(error: unknown, signal: AbortSignal | undefined): SessionFields {
    if (signal?.aborted === true || FATAL.has(codeOf(error))) return this.#fail(error)
    const failure = asWorkspaceError(error, this.id)
    if (this.#known === null) return this.#fail(failure)
    this.#unasked = failure
    return this.#hand()
  }

  #hand(): SessionFields {
    this.#handed = this.#given
    return this.#given
  }

  #fail(error: unknown): never {
    this.abandon()
    throw error
  }

  /** The error for a session that is gone. One that was closed elsewhere is made anew by the line after. */
  #notFound(): WorkspaceError {
    if (this.#gone === 'closed') return new WorkspaceError('NOT_FOUND', `session ${JSON.stringify(this.id)} is closed`)
    this.#gone = null
    this.#given = copyFields(this.#initial)
    return new WorkspaceError('NOT_FOUND', `session ${JSON.stringify(this.id)} was closed by another instance`)
  }

  /** Takes over what the store has; unsaved changes stay on top of it. */
  #take(read: SessionRead): void {
    if (read.state === 'same') return
    if (read.state === 'missing') {
      if (this.#known === null) return
      this.#known = null
      this.#gone ??= 'elsewhere'
      for (const line of this.#unsaved) line.changes = null
      this.#unsaved = this.#unsaved.filter((line) => line.event !== null)
      return
    }
    const arrived = read.record.operations.get(this.#context.instance) ?? 0
    let before = this.#known?.record.fields ?? this.#initial
    // What came through without an answer is one commit, and no change of others.
    let own = 0
    for (const { operation, changes } of this.#unsaved) {
      if (operation > arrived || changes === null) continue
      before = applyChanges(before, changes)
      own = 1
    }
    const theirs = diffFields(before, read.record.fields)
    const commits = read.record.generation - (this.#known?.record.generation ?? 0)
    if (this.#unsaved.length > 0 && commits > own) this.#outdated = true
    let fields = read.record.fields
    for (const line of this.#unsaved) {
      if (line.operation <= arrived) line.changes = null
      if (line.changes === null) continue
      if (theirs !== null) this.#conflicts.push(...conflictsOf(line.changes, theirs))
      fields = applyChanges(fields, line.changes)
    }
    this.#known = { record: read.record, version: read.version }
    const moved = diffFields(this.#given, fields)
    if (moved !== null) this.#given = applyChanges(this.#given, moved)
  }

  /** Writes everything unsaved, merging as often as others come first. `first` is an attempt that is under way. */
  async #push(keep: boolean, first?: { write: SessionWrite; written: MaybePromise<SessionWritten> }): Promise<void> {
    const { table, log, host } = this.#context
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (this.#turn === null) {
          this.#turn = await table.begin(this.id, this.#known?.version ?? null)
          this.#take(this.#turn.read)
        }
        const count = this.#unsaved.length
        const under = attempt === 0 ? first : undefined
        const write = under?.write ?? this.#nextWrite(keep)
        const written = await (under?.written ?? this.#turn.commit(write))
        if (written.state === 'written') {
          this.#landed(write, count, written)
          if (!this.#joint) await this.#appendEvents(log, count)
          if (!keep) this.#endTurn()
          this.#doubtful = false
          return
        }
        if (written.state === 'conflict') this.#take(written.read)
        if (written.state === 'conflict' && attempt < 2) continue
        this.#endTurn()
        // What was read before a pause would be old after it.
        if (attempt > 1) await pause(host, attempt)
      }
      throw new WorkspaceError('CONFLICT', `session ${JSON.stringify(this.id)} kept being changed by other instances`)
    } catch (error) {
      this.#doubtful = true
      throw error
    }
  }

  async #appendEvents(log: HistoryLog, count: number): Promise<void> {
    const lines = this.#unsaved.slice(0, count)
    const events = lines.flatMap((line) => (line.event === null ? [] : [line.event]))
    if (events.length > 0) await log.append(this.id, events, this.#doubtful)
    for (const line of lines) line.event = null
    this.#dropSaved()
  }

  /** One write of everything unsaved. */
  #nextWrite(keep: boolean): SessionWrite {
    const lines = this.#unsaved
    const events: HistoryEvent[] = []
    let fields = this.#known?.record.fields ?? this.#initial
    let changed = this.#known === null && this.#gone === null
    for (const line of lines) {
      if (this.#joint && line.event !== null) events.push(line.event)
      if (line.changes === null) continue
      fields = applyChanges(fields, line.changes)
      changed = true
    }
    const expected = this.#known?.version ?? null
    return { record: changed ? this.#nextRecord(fields) : null, expected, events, repeated: this.#doubtful, keep }
  }

  #nextRecord(fields: SessionFields): SessionRecord {
    const { instance, host } = this.#context
    const old = this.#known?.record
    const operations = new Map(old?.operations)
    operations.delete(instance)
    for (const name of operations.keys()) {
      if (operations.size < REMEMBERED_INSTANCES) break
      operations.delete(name)
    }
    operations.set(instance, this.#unsaved.at(-1)?.operation ?? 0)
    const createdAt = old?.createdAt ?? Math.round(host.now())
    return { fields, createdAt, generation: (old?.generation ?? 0) + 1, operations, unknown: old?.unknown ?? {} }
  }

  /** The first `count` unsaved lines came through. */
  #landed(write: SessionWrite, count: number, written: SessionWritten & { state: 'written' }): void {
    if (write.record !== null && written.version !== null) this.#known = { record: write.record, version: written.version }
    for (let i = 0; i < count; i++) {
      const line = this.#unsaved[i] as Unsaved
      line.changes = null
      if (this.#joint) line.event = null
    }
    this.#dropSaved()
    if (written.size <= LARGE_RECORD || this.#warned) return
    this.#warned = true
    this.#context.warn(`the record of session ${JSON.stringify(this.id)} has grown to ${written.size} bytes; every change writes all of it`)
  }

  #dropSaved(): void {
    const left = this.#unsaved.findIndex((line) => line.changes !== null || line.event !== null)
    this.#unsaved.splice(0, left === -1 ? this.#unsaved.length : left)
  }

  /** Waits for a push, at most as long as a line may be kept waiting, and ends the line's turn. */
  async #settle(push: Promise<void>): Promise<CommitResult> {
    let failure: unknown
    let answered = false
    const outcome = push.then(
      () => {
        answered = true
      },
      (error: unknown) => {
        answered = true
        failure = error
        this.#endTurn()
      },
    )
    await within(this.#context, outcome)
    if (!answered) {
      this.#late = outcome.then(() => {
        this.#late = null
      })
      return this.#pending(unavailable(this.id, `no answer within ${this.#context.commitLimitMs} ms`))
    }
    this.#turnstile.leave()
    return this.#result(failure === undefined ? null : asWorkspaceError(failure, this.id))
  }

  #pending(cause: WorkspaceError): CommitResult {
    this.#turnstile.leave()
    return this.#result(cause)
  }

  #result(cause: WorkspaceError | null): CommitResult {
    if (cause === null && this.#gone !== null) {
      const by = this.#gone === 'elsewhere' ? ' by another instance' : ''
      const message = `session ${JSON.stringify(this.id)} was closed${by} while a line ran; what the line changed in it is lost`
      return { durability: 'pending', cause: new WorkspaceError('NOT_FOUND', message), conflicts: [] }
    }
    if (cause === null && this.#conflicts.length === 0 && !this.#outdated) return COMMITTED
    const conflicts = Array.from(new Set(this.#conflicts))
    const outdated = this.#outdated ? ({ outdated: true } as const) : {}
    this.#conflicts = []
    this.#outdated = false
    return cause === null ? { durability: 'committed', conflicts, ...outdated } : { durability: 'pending', cause, conflicts, ...outdated }
  }

  #endTurn(): void {
    this.#turn?.end()
    this.#turn = null
  }
}

function commandEvent(instance: string, session: string, operation: number, line: HistoryLine): HistoryEvent {
  const id = `${instance}-${operation}`
  const { agent, timestamp, cwd, command, exitCode, durationMs } = line
  const entry = Object.freeze({ id, session, agent, timestamp, cwd, command, exitCode, durationMs })
  return { type: 'command', id, entry, hidden: line.hidden === true }
}

function sessionHistory({ log, instance, nextOperation }: SessionContext, session: string): SessionHistory {
  const nextId = (): string => `${instance}-${nextOperation()}`
  const append = (event: HistoryEvent): MaybePromise<void> => log.append(session, [event], false)
  return {
    tail: (count): MaybePromise<HistoryPage> => log.tail(session, count),
    range: (from, to) => log.range(session, from, to),
    add: (lines) => {
      const events = lines.map((line) => commandEvent(instance, session, nextOperation(), line))
      return log.append(session, events, false)
    },
    remove: (from, to) => append({ type: 'delete', id: nextId(), from, to }),
    clear: () => append({ type: 'clear', id: nextId() }),
  }
}

/** Resolves when the work does, or when the time of a commit is over. */
function within({ host, commitLimitMs }: SessionContext, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = host.timer(commitLimitMs, resolve)
    const done = (): void => {
      cancel()
      resolve()
    }
    work.then(done, done)
  })
}

function pause(host: Host, attempt: number): Promise<void> {
  const [chance] = [new Uint8Array(1)]
  host.random(chance)
  const share = (chance[0] ?? 0) / 256
  return new Promise((resolve) => host.timer(share * 2 ** attempt, resolve))
}

function unavailable(id: string, why: string): WorkspaceError {
  return new WorkspaceError('STORE_UNAVAILABLE', `cannot save session ${JSON.stringify(id)}: ${why}`)
}

function asWorkspaceError(error: unknown, id: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const why = error instanceof Error ? error.message : String(error)
  return new WorkspaceError('STORE_UNAVAILABLE', `cannot reach the store of session ${JSON.stringify(id)}: ${why}`, { cause: error })
}
