import { WorkspaceError } from './errors.ts'
import type { MountMode } from './fs/mount-table.ts'
import { isNormal } from './fs/path.ts'
import { checkMode, checkNames, entriesOf, invalid, variableEntries } from './option-checks.ts'
import { checkCommandRules } from './policy/command-rules.ts'
import { compilePathRules } from './policy/path-rules.ts'
import type { SessionRules } from './state/session-fields.ts'

/** A set of rules and first values for sessions. What is left out forbids, or gives, nothing. */
export interface Profile {
  /** Working directory a new session starts in: an absolute path. */
  readonly cwd?: string
  /** Exported variables of a new session. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
  /** Narrower mode by mount prefix: a session may do what both its own mode and the mount's allow. */
  readonly mounts?: Readonly<Record<string, MountMode>> | ReadonlyMap<string, MountMode>
  /**
   * Absolute paths or globs (with all below), or name patterns without a slash: `hide` makes them absent, `deny` unreadable and
   * unwritable. What is said of `/.bash_history` holds for the `history` builtin, too.
   */
  readonly paths?: { readonly hide?: readonly string[]; readonly deny?: readonly string[] }
  /** `allow`: nothing else may run, but functions and the builtins a shell can't do without (`cd`, `eval`, `set` …); `deny`: these may not. */
  readonly commands?: { readonly allow?: readonly string[] | null; readonly deny?: readonly string[] }
}

/** Rules that forbid nothing. */
export const OPEN_RULES: SessionRules = {
  profile: null,
  mountModes: new Map(),
  paths: { hide: [], deny: [] },
  commands: { allow: null, deny: [] },
}

/** The rules of a profile, copied. CONFIG_INVALID names the entry that can't be one; `where` is what the profile is called in it. */
export function rulesOf(profile: Profile, name: string | null, where: string): SessionRules {
  checkProfile(profile, where)
  const rules: SessionRules = {
    profile: name,
    mountModes: new Map(entriesOf(profile.mounts)),
    paths: { hide: [...(profile.paths?.hide ?? [])], deny: [...(profile.paths?.deny ?? [])] },
    commands: {
      allow: profile.commands?.allow == null ? null : [...profile.commands.allow],
      deny: [...(profile.commands?.deny ?? [])],
    },
  }
  try {
    compilePathRules(rules.paths.hide)
    compilePathRules(rules.paths.deny)
    checkCommandRules([...(rules.commands.allow ?? []), ...rules.commands.deny])
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    throw new WorkspaceError('CONFIG_INVALID', `${where}: ${error.message}`, { cause: error })
  }
  return rules
}

const KEYS: readonly string[] = ['cwd', 'env', 'mounts', 'paths', 'commands']

function checkProfile(profile: Profile, where: string): void {
  checkNames(profile, KEYS, where)
  const { cwd, mounts, paths, commands } = profile
  if (cwd !== undefined && (typeof cwd !== 'string' || !cwd.startsWith('/'))) throw invalid(`${where}: cwd`, cwd, 'an absolute path')
  variableEntries(profile.env, `${where}: env`)
  for (const [prefix, mode] of entriesOf(mounts)) {
    if (!isNormal(prefix)) throw invalid(`${where}: a prefix in mounts`, prefix, "an absolute path without '.', '..' and spare slashes")
    checkMode(mode, `${where}: the mode of mount "${prefix}"`)
  }
  if (paths !== undefined) {
    checkNames(paths, ['hide', 'deny'], `${where}: paths`)
    checkTexts(paths.hide, `${where}: paths.hide`)
    checkTexts(paths.deny, `${where}: paths.deny`)
  }
  if (commands === undefined) return
  checkNames(commands, ['allow', 'deny'], `${where}: commands`)
  if (commands.allow !== null) checkTexts(commands.allow, `${where}: commands.allow`)
  checkTexts(commands.deny, `${where}: commands.deny`)
}

function checkTexts(list: readonly string[] | undefined, key: string): void {
  if (list === undefined) return
  if (!Array.isArray(list)) throw invalid(key, list, 'a list of texts')
  for (const entry of list) if (typeof entry !== 'string') throw invalid(`an entry of ${key}`, entry, 'a text')
}
