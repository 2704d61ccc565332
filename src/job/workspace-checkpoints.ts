import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import { randomId } from '../host.ts'
import { checkNames, checkText, invalid } from '../option-checks.ts'
import { decodeId, encodeId } from '../state/id.ts'
import type { SessionRecord } from '../state/session-record.ts'
import { decodeRecord, encodeRecord } from '../state/session-record.ts'
import type { Lease, StoreChange } from '../store/store.ts'
import { writeChanges } from '../store/write-changes.ts'
import { checkpointById } from './checkpoint-ids.ts'
import { namedTrees } from './content-roots.ts'
import { type ContentStore, contentIn } from './content-store.ts'
import { type HistoryPosition, historyPosition, shownThen } from './history-position.ts'
import { documentBytes, storedDocument } from './job-core.ts'
import { CHECKPOINTS, checkpointKey, MANIFEST, receiptKey, requestCheckpoint } from './stored-checkpoints.ts'
import { treesIn } from './stored-jobs.ts'
import { betweenLines, isOwnContent, type WorkspaceParts } from './workspace-parts.ts'
import { recordOf } from './workspace-state.ts'

/** What a checkpoint of a workspace is called, and for whom it is made. */
export interface WorkspaceCheckpointOptions {
  /** A title for people. */
  readonly name?: string
  /** The same request makes one checkpoint, however often it comes. */
  readonly requestId?: string
}

/** States of a workspace that can be come back to: files, sessions, and how far their history had come. Loaded when first used. */
export interface WorkspaceCheckpoints {
  /**
   * Keeps the state between two lines: waits for lines that run. A request id makes it safe to ask again. EEXIST for a request whose checkpoint was deleted,
   * ENOTSUP for devices and pipes.
   */
  create(options?: WorkspaceCheckpointOptions): Promise<WorkspaceCheckpoint & { readonly reused: boolean }>
  /** All of them, oldest first. */
  list(): Promise<readonly WorkspaceCheckpoint[]>
  /** One of them by its id or the beginning of that: NOT_FOUND, CONFIG_INVALID where several begin so. */
  show(id: string): Promise<WorkspaceCheckpoint>
  delete(id: string): Promise<void>
  /**
   * Makes the workspace what it was: files of the mounts that the checkpoint has, sessions with their directories and variables, the views of their history. Waits
   * for lines that run; background jobs go on. The views lose the lines that came later, for good: those of a later checkpoint don't come back with it; the record of the
   * history (`Workspace.history`) keeps every line. EINVAL where one of the mounts isn't there any more; CORRUPT.
   */
  restore(id: string): Promise<WorkspaceCheckpoint>
  /** Removes what was left of checkpoints that were never finished, or whose deletion wasn't, and files that nothing has needed for some minutes: how many of the first. */
  gc(): Promise<{ readonly removed: number }>
}

/** A state of a whole workspace. */
export interface WorkspaceCheckpoint {
  readonly id: string
  readonly name: string | null
  readonly requestId: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Prefixes of the mounts whose files it has: those that the workspace may change. */
  readonly mounts: readonly string[]
  readonly sessions: readonly string[]
}

/** `checkpoints/ID/checkpoint.json` of a workspace. Its sessions are beside it. */
export interface WorkspaceCheckpointRecord {
  readonly schema_version: 1
  readonly checkpoint_id: string
  readonly request_id: string | null
  readonly name: string | null
  readonly created_at_unix_ms: number
  readonly mounts: readonly { readonly prefix: string; readonly tree: string }[]
  readonly sessions: readonly { readonly id: string; readonly history: HistoryPosition }[]
}

interface Receipt {
  readonly schema_version: 1
  readonly request_id: string
  readonly checkpoint_id: string
  readonly deleted: boolean
}

/** {@link WorkspaceCheckpoints} in the store of the workspace. */
export class StoredCheckpoints implements WorkspaceCheckpoints {
  readonly #parts: WorkspaceParts
  readonly #content: ContentStore

  constructor(parts: WorkspaceParts) {
    this.#parts = parts
    this.#content = contentIn(treesIn(parts.objects))
  }

  async create(options: WorkspaceCheckpointOptions = {}): Promise<WorkspaceCheckpoint & { readonly reused: boolean }> {
    checkNames(options, ['name', 'requestId'], 'checkpoint options')
    checkText(options.name, 'name')
    const { name = null, requestId = null } = options
    if (requestId !== null && !(typeof requestId === 'string' && requestId !== '' && encode(requestId).length <= 256))
      throw invalid('requestId', requestId, 'a text of 1 to 256 bytes')
    const reused = await this.#answered(requestId)
    if (reused !== null) return { ...shown(reused), reused: true }
    const { host, store, id: workspace } = this.#parts
    return betweenLines(this.#parts, (held) =>
      this.#alone(async (lease) => {
        const late = await this.#answered(requestId)
        if (late !== null) return { ...shown(late), reused: true }
        const id = requestId === null ? `checkpoint-${randomId(host, 16)}` : requestCheckpoint(requestId)
        const now = Math.round(host.now())
        // What is in memory is taken at one moment.
        const taken = this.#parts
          .mounts()
          .filter(isOwnContent)
          .map(({ prefix, fs }) => ({ prefix, fs: fs instanceof RAMFileSystem ? fs.fork() : fs }))
        const mounts: { prefix: string; tree: string }[] = []
        for (const { prefix, fs } of taken) mounts.push({ prefix, tree: await this.#content.save(fs) })
        const log = store.history(workspace)
        const sessions: { id: string; history: HistoryPosition }[] = []
        for (const { state } of held) sessions.push({ id: state.id, history: await historyPosition(log, state.id, now) })
        const record: WorkspaceCheckpointRecord = {
          schema_version: 1,
          checkpoint_id: id,
          request_id: requestId,
          name,
          created_at_unix_ms: now,
          mounts,
          sessions,
        }
        // The manifest comes last: it makes it a checkpoint.
        await this.#write(lease, [
          ...held.map((one) => [sessionKey(id, one.state.id), encodeRecord(one.state.id, recordOf(one))] as const),
          ...(requestId === null ? [] : [receiptOf(requestId, id, false)]),
          [checkpointKey(id, MANIFEST), documentBytes(record)],
        ])
        return { ...shown(record), reused: false }
      }),
    )
  }

  async list(): Promise<readonly WorkspaceCheckpoint[]> {
    const ids = await this.#ids()
    const found = await Promise.all(ids.map((id) => this.#read(id)))
    return found
      .flatMap((record) => (record === null ? [] : shown(record)))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  }

  async show(id: string): Promise<WorkspaceCheckpoint> {
    return shown(await this.record(id))
  }

  async delete(id: string): Promise<void> {
    const { checkpoint_id, request_id } = await this.record(id)
    await this.#alone(async (lease) => {
      if (request_id !== null) await this.#write(lease, [receiptOf(request_id, checkpoint_id, true)])
      await this.#parts.objects.delete(checkpointKey(checkpoint_id, MANIFEST))
      for (const key of await this.#parts.objects.list(checkpointKey(checkpoint_id, ''))) await this.#parts.objects.delete(key)
    })
  }

  async restore(id: string): Promise<WorkspaceCheckpoint> {
    const record = await this.record(id)
    const mounted = new Map(this.#parts.mounts().map((mount) => [mount.prefix, mount]))
    const targets = record.mounts.map(({ prefix, tree }) => {
      const mount = mounted.get(prefix)
      if (mount === undefined || !isOwnContent(mount))
        throw new WorkspaceError(
          'EINVAL',
          `checkpoint ${record.checkpoint_id} has files of "${prefix}", where nothing is mounted that can be changed`,
        )
      return { tree, fs: mount.fs }
    })
    // What can fail because the checkpoint is damaged fails before anything is changed.
    const sessions = await this.sessionRecords(record)
    for (const { tree } of targets) await this.#content.open(tree)
    await betweenLines(this.#parts, async (held) => {
      for (const { tree, fs } of inMemoryLast(targets)) await this.#content.restore(tree, fs)
      const initial = await this.#parts.initial()
      for (const one of held) {
        const wanted = sessions.get(one.state.id)
        if (wanted === undefined) await this.#parts.closeSession(one.state.id)
        else await one.set(wanted.fields)
      }
      const log = this.#parts.store.history(this.#parts.id)
      for (const one of record.sessions) {
        const { session } = await this.#parts.sessions.open(one.id, sessions.get(one.id)?.fields ?? initial)
        const { total } = await session.history.tail(0)
        const kept = await shownThen(log, one.id, one.history)
        if (kept < total) await session.history.remove(kept, total)
      }
    })
    return shown(record)
  }

  async gc(): Promise<{ readonly removed: number }> {
    const { objects } = this.#parts
    return this.#alone(async () => {
      const whole = new Set(await this.#ids())
      const left = (await objects.list(CHECKPOINTS)).filter((key) => {
        const id = key.split('/')[1] as string
        return id !== '.requests' && !whole.has(id)
      })
      for (const key of left) await objects.delete(key)
      await this.#content.gc(() => namedTrees({ store: objects, objects }))
      return { removed: new Set(left.map((key) => key.split('/')[1])).size }
    })
  }

  /** The record of a checkpoint, as `show` finds it. */
  record(given: string): Promise<WorkspaceCheckpointRecord> {
    return checkpointById(given, { owner: `workspace "${this.#parts.id}"`, all: () => this.#ids(), read: (id) => this.#read(id) })
  }

  /** The sessions of a checkpoint, by their ids. */
  async sessionRecords({ checkpoint_id, sessions }: WorkspaceCheckpointRecord): Promise<ReadonlyMap<string, SessionRecord>> {
    const found = await Promise.all(
      sessions.map(async ({ id }) => {
        const key = sessionKey(checkpoint_id, id)
        const stored = await this.#parts.objects.get(key)
        if (stored === null || stored === 'same')
          throw new WorkspaceError('CORRUPT', `checkpoint ${checkpoint_id} has lost its session "${id}"`)
        return [id, decodeRecord(id, stored.bytes, key)] as const
      }),
    )
    return new Map(found)
  }

  /** Makes a file system in memory hold what a checkpoint has of a mount. */
  async files(tree: string, like: FileSystem | undefined): Promise<RAMFileSystem> {
    if (!(like instanceof RAMFileSystem)) return this.#content.open(tree)
    const fs = like.fork()
    await this.#content.restore(tree, fs)
    return fs
  }

  /** A copy in memory of what a file system holds. */
  async copied(fs: FileSystem): Promise<RAMFileSystem> {
    return fs instanceof RAMFileSystem ? fs.fork() : this.#content.open(await this.#content.save(fs))
  }

  async #answered(requestId: string | null): Promise<WorkspaceCheckpointRecord | null> {
    if (requestId === null) return null
    const receipt = await storedDocument<Receipt>(this.#parts.objects, receiptKey(requestId), `workspace "${this.#parts.id}"`)
    if (receipt === null) return null
    if (receipt.deleted)
      throw new WorkspaceError(
        'EEXIST',
        `request ${requestId} is already committed, and its checkpoint was deleted since: make another one with a new request id`,
      )
    // Null where it was not finished.
    return this.#read(receipt.checkpoint_id)
  }

  async #read(id: string): Promise<WorkspaceCheckpointRecord | null> {
    const { objects, id: workspace } = this.#parts
    const record = await storedDocument<WorkspaceCheckpointRecord>(objects, checkpointKey(id, MANIFEST), `workspace "${workspace}"`)
    if (record === null || record.schema_version === 1) return record
    throw new WorkspaceError('VERSION_UNSUPPORTED', `checkpoint ${id} has schema ${record.schema_version}; this version reads 1`)
  }

  async #ids(): Promise<readonly string[]> {
    const keys = await this.#parts.objects.list(CHECKPOINTS)
    return keys
      .filter((key) => key.endsWith(`/${MANIFEST}`) && key.split('/').length === 3)
      .map((key) => decodeId(key.split('/')[1] as string))
  }

  async #write(lease: Lease, documents: readonly (readonly [key: string, bytes: Uint8Array])[]): Promise<void> {
    const changes = documents.map(([key, bytes]): StoreChange => ({ type: 'put', key, bytes }))
    const { state } = await writeChanges(this.#parts.objects, changes, lease)
    if (state !== 'written') throw new WorkspaceError('EBUSY', 'another instance took over while a checkpoint was written')
  }

  /** Does work while nobody else writes or removes checkpoints. */
  async #alone<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.#parts.objects.lease('checkpoints')
    try {
      return await work(lease)
    } finally {
      lease.end()
    }
  }
}

function shown(record: WorkspaceCheckpointRecord): WorkspaceCheckpoint {
  return {
    id: record.checkpoint_id,
    name: record.name,
    requestId: record.request_id,
    createdAt: record.created_at_unix_ms,
    mounts: record.mounts.map(({ prefix }) => prefix),
    sessions: record.sessions.map(({ id }) => id),
  }
}

function sessionKey(checkpoint: string, session: string): string {
  return checkpointKey(checkpoint, `sessions/${encodeId(session)}.json`)
}

function receiptOf(requestId: string, checkpoint: string, deleted: boolean): readonly [string, Uint8Array] {
  const receipt: Receipt = { schema_version: 1, request_id: requestId, checkpoint_id: checkpoint, deleted }
  return [receiptKey(requestId), documentBytes(receipt)]
}

/** Those that can fail first. */
function inMemoryLast<T extends { readonly fs: FileSystem }>(targets: readonly T[]): readonly T[] {
  const isInMemory = ({ fs }: T): number => (fs instanceof RAMFileSystem ? 1 : 0)
  return [...targets].sort((a, b) => isInMemory(a) - isInMemory(b))
}
