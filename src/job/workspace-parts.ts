import type { MountPoint } from '../fs/mount-table.ts'
import type { Host } from '../host.ts'
import type { SessionState } from '../state/session.ts'
import type { SessionFields } from '../state/session-fields.ts'
import type { Sessions } from '../state/sessions.ts'
import type { WorkspaceStateStore } from '../state/state-store.ts'

/** What is needed of a workspace to keep, restore or copy all of it. */
export interface WorkspaceParts {
  readonly id: string
  readonly host: Host
  readonly store: WorkspaceStateStore
  readonly sessions: Sessions
  /** What is mounted, but for devices and programs that every workspace has. */
  mounts(): readonly MountPoint[]
  /** What a new session begins with. */
  initial(): Promise<SessionFields>
  defaultSession(): Promise<string>
}

/** A session between two of its lines. */
export interface HeldSession {
  readonly state: SessionState
  readonly fields: SessionFields
}

/** Does work while no session of the workspace runs a line: waits for those that do, in whichever instance where the store has leases. */
export async function betweenLines<T>(parts: WorkspaceParts, work: (sessions: readonly HeldSession[]) => Promise<T>): Promise<T> {
  const held: HeldSession[] = []
  try {
    const initial = await parts.initial()
    for (const id of await parts.sessions.list()) {
      const { session: state } = await parts.sessions.open(id, initial)
      held.push({ state, fields: await state.begin() })
    }
    return await work(held)
  } finally {
    for (const { state } of held) state.abandon()
  }
}
