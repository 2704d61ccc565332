import type { FileSystem } from '../fs/file-system.ts'
import type { MountPoint } from '../fs/mount-table.ts'
import type { Host, MaybePromise } from '../host.ts'
import type { SessionState } from '../state/session.ts'
import type { SessionFields } from '../state/session-fields.ts'
import type { Sessions } from '../state/sessions.ts'
import type { WorkspaceStateStore } from '../state/state-store.ts'
import type { Store } from '../store/store.ts'

/** What is needed of a workspace to keep, restore or copy all of it. */
export interface WorkspaceParts {
  readonly id: string
  readonly host: Host
  readonly store: WorkspaceStateStore
  /** Where its Jobs and checkpoints are kept. */
  readonly objects: Store
  readonly sessions: Sessions
  /** What is mounted, but for devices and programs that every workspace has. */
  mounts(): readonly MountPoint[]
  /** What a new session begins with. */
  initial(): Promise<SessionFields>
  defaultSession(): Promise<string>
  /** Takes a session's turn, as `SessionState.begin`; CLOSED where the workspace is closed meanwhile. */
  begin(state: SessionState): MaybePromise<SessionFields>
  closeSession(id: string): Promise<void>
}

/** A session between two of its lines. */
export interface HeldSession {
  readonly state: SessionState
  readonly fields: SessionFields
  /** Makes the session what these fields say, and lets it go. Fails where the store doesn't take it now; then it does with the next line. */
  set(fields: SessionFields): Promise<void>
}

/** Does work while no session of the workspace runs a line: waits for those that do, in whichever instance where the store has leases. */
export async function betweenLines<T>(parts: WorkspaceParts, work: (sessions: readonly HeldSession[]) => Promise<T>): Promise<T> {
  const taken = new Set<SessionState>()
  try {
    const held: HeldSession[] = []
    const initial = await parts.initial()
    for (const id of await parts.sessions.list()) {
      const { session: state } = await parts.sessions.open(id, initial)
      const fields = await parts.begin(state)
      taken.add(state)
      held.push({
        state,
        fields,
        set: async (wanted) => {
          taken.delete(state)
          const { cause } = await state.commit(wanted, null)
          if (cause !== undefined) throw cause
        },
      })
    }
    return await work(held)
  } finally {
    for (const state of taken) state.abandon()
  }
}

/** Whether the workspace can change what is mounted, so that it is kept with the rest. */
export function isOwnContent({ fs, mode }: { readonly fs: FileSystem; readonly mode: MountPoint['mode'] }): boolean {
  return mode !== 'read' && !fs.capabilities.readOnly
}
