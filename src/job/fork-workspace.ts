import type { FileSystem } from '../fs/file-system.ts'
import { drive } from '../fs/maybe.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import type { Mount } from '../fs/mount-table.ts'
import { checkNames, checkText } from '../option-checks.ts'
import type { WorkspaceStateStore } from '../state/state-store.ts'
import { writeChanges } from './apply-writes.ts'
import { netChanges } from './changes.ts'
import { shownThen } from './history-position.ts'
import type { JobCore } from './job-core.ts'
import { withStoppedJob } from './job-core.ts'
import { stageAt } from './stored-checkpoints.ts'
import { StoredCheckpoints, type WorkspaceCheckpointRecord } from './workspace-checkpoints.ts'
import { betweenLines, isOwnContent, type WorkspaceParts } from './workspace-parts.ts'
import { historyOf, recordOf, type SavedSession, type SavedState, writeState } from './workspace-state.ts'

/** What a fork of a workspace begins with and where it is kept. */
export interface WorkspaceForkOptions {
  /** A new one when left out. */
  readonly workspaceId?: string
  /** That of the workspace when left out, unless closing the workspace closes it; then memory. */
  readonly store?: WorkspaceStateStore
  /** A checkpoint of the workspace, or of the Job that is named, or the beginning of its id; the state of now when left out. */
  readonly checkpoint?: string
  /** Id of a Job: the files of the fork have what it proposes, as if that were applied. CONFLICT where somebody changed the same since. */
  readonly job?: string
}

/** A copy of a workspace's mounts; its sessions are stored. */
export interface ForkedWorkspace {
  readonly mounts: ReadonlyMap<string, Mount>
  readonly defaultSession: string
}

/** CONFIG_INVALID for options that can't be. */
export function checkWorkspaceForkOptions(options: WorkspaceForkOptions): void {
  checkNames(options, ['workspaceId', 'store', 'checkpoint', 'job'], 'fork options')
  checkText(options.workspaceId, 'workspaceId')
  checkText(options.checkpoint, 'checkpoint')
  checkText(options.job, 'job')
}

/** Makes what a Job has staged, now or at a checkpoint, in the files of a fork. EBUSY where it runs. */
export function writeStage(core: JobCore, checkpoint: string | undefined, mounts: ReadonlyMap<string, Mount>): Promise<void> {
  return withStoppedJob(core, async () => {
    const stage = await stageAt(core, checkpoint)
    const changes = await netChanges(stage)
    for (const [prefix, staged] of stage) {
      const target = mounts.get(prefix)?.fs
      if (target === undefined || staged.isPrivate) continue
      const own = changes.filter(({ mount }) => mount === prefix)
      await drive(writeChanges({ prefix, staged, target, changes: own }, { temporary: 'fork-', seen: null }))
    }
  })
}

/** Copies a workspace into a store: its files, in memory, share what they hold with the workspace's. What it may only read it goes on to share. */
export async function forkWorkspace(
  parts: WorkspaceParts,
  target: { readonly store: WorkspaceStateStore; readonly workspaceId: string; readonly checkpoint: string | undefined },
): Promise<ForkedWorkspace> {
  const checkpoints = new StoredCheckpoints(parts)
  const defaultSession = await parts.defaultSession()
  const record = target.checkpoint === undefined ? null : await checkpoints.record(target.checkpoint)
  const { files, sessions } = record === null ? await stateOfNow(parts, checkpoints) : await stateThen(parts, checkpoints, record)
  const mounts = new Map<string, Mount>()
  for (const { prefix, fs, mode } of parts.mounts()) {
    const copy = isOwnContent({ fs, mode }) ? files.get(prefix) : fs
    if (copy !== undefined) mounts.set(prefix, { fs: copy, mode })
  }
  const state: SavedState = { defaultSession, sessions }
  await writeState(target.store, target.workspaceId, state, parts.host.now())
  return { mounts, defaultSession }
}

interface Copied {
  readonly files: ReadonlyMap<string, FileSystem>
  readonly sessions: readonly SavedSession[]
}

function stateOfNow(parts: WorkspaceParts, checkpoints: StoredCheckpoints): Promise<Copied> {
  return betweenLines(parts, async (held) => {
    const files = new Map<string, FileSystem>()
    const mounts = parts.mounts().filter(isOwnContent)
    // What is in memory is taken at one moment.
    for (const { prefix, fs } of mounts) if (fs instanceof RAMFileSystem) files.set(prefix, fs.fork())
    for (const { prefix, fs } of mounts) if (!files.has(prefix)) files.set(prefix, await checkpoints.copied(fs))
    const log = parts.store.history(parts.id)
    const sessions: SavedSession[] = []
    for (const one of held) sessions.push({ id: one.state.id, record: recordOf(one), history: await historyOf(log, one.state.id) })
    return { files, sessions }
  })
}

async function stateThen(parts: WorkspaceParts, checkpoints: StoredCheckpoints, record: WorkspaceCheckpointRecord): Promise<Copied> {
  const files = new Map<string, FileSystem>()
  const mounted = new Map(parts.mounts().map(({ prefix, fs }) => [prefix, fs]))
  for (const { prefix, tree } of record.mounts) files.set(prefix, await checkpoints.files(tree, mounted.get(prefix)))
  const log = parts.store.history(parts.id)
  const sessions: SavedSession[] = []
  for (const [id, session] of await checkpoints.sessionRecords(record)) {
    const position = record.sessions.find((one) => one.id === id)?.history
    const shown = position === undefined ? 0 : await shownThen(log, id, position)
    const { entries } = await log.range(id, 0, shown)
    sessions.push({ id, record: session, history: entries.map((entry) => ({ type: 'command', id: entry.id, entry, hidden: false })) })
  }
  return { files, sessions }
}
