import { checkCommandRules } from './policy/command-rules.ts'
import { compilePathRules } from './policy/path-rules.ts'
import type { MountMode, SessionRules } from './state/session-fields.ts'

/** A set of rules and first values for sessions. */
export interface Profile {
  /** Working directory a new session starts in. */
  readonly cwd?: string
  /** Exported variables of a new session. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
  /** Narrower mode by mount prefix. */
  readonly mounts?: Readonly<Record<string, MountMode>> | ReadonlyMap<string, MountMode>
  /** Absolute paths or globs (with all below), or name patterns without a slash: `hide` makes them absent, `deny` unreadable and unwritable. */
  readonly paths?: { readonly hide?: readonly string[]; readonly deny?: readonly string[] }
  /** `allow`: nothing else may run, but the shell's own control builtins; `deny`: these may not. */
  readonly commands?: { readonly allow?: readonly string[] | null; readonly deny?: readonly string[] }
}

/** Rules that forbid nothing. */
export const OPEN_RULES: SessionRules = {
  profile: null,
  mountModes: new Map(),
  paths: { hide: [], deny: [] },
  commands: { allow: null, deny: [] },
}

/** The rules of a profile. CONFIG_INVALID names an entry that is none. */
export function rulesOf(profile: Profile, name: string | null): SessionRules {
  const mounts = profile.mounts instanceof Map ? profile.mounts : new Map(Object.entries(profile.mounts ?? {}))
  const rules: SessionRules = {
    profile: name,
    mountModes: mounts as ReadonlyMap<string, MountMode>,
    paths: { hide: profile.paths?.hide ?? [], deny: profile.paths?.deny ?? [] },
    commands: { allow: profile.commands?.allow ?? null, deny: profile.commands?.deny ?? [] },
  }
  compilePathRules(rules.paths.hide)
  compilePathRules(rules.paths.deny)
  checkCommandRules([...(rules.commands.allow ?? []), ...rules.commands.deny])
  return rules
}
