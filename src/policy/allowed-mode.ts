import type { MountMode } from '../fs/mount-table.ts'
import type { SessionRules } from '../state/session-fields.ts'

/** What a session may do on a mount: the weaker of the mount's own mode and the session's for it. */
export function allowedMode(
  mount: { readonly prefix: string; readonly mode: MountMode },
  rules: Pick<SessionRules, 'mountModes'>,
): MountMode {
  const narrowed = rules.mountModes.get(mount.prefix)
  if (narrowed === undefined) return mount.mode
  return STRENGTH.indexOf(narrowed) < STRENGTH.indexOf(mount.mode) ? narrowed : mount.mode
}

const STRENGTH: readonly MountMode[] = ['read', 'write', 'exec']
