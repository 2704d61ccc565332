import { WorkspaceError } from '../errors.ts'
import { compilePattern } from '../shell/expand/pattern.ts'
import type { SessionRules } from '../state/session-fields.ts'

/**
 * True where the session may run the command: no `deny` entry is about it and, where there is an `allow` list, an entry of that is. Entries are
 * names, in which `*`, `?` and `[…]` are patterns. A path is judged by its last name too; to be allowed by that alone it must be in `/bin` or `/usr/bin`.
 */
export function commandAllowed(rules: Pick<SessionRules, 'commands'>, name: string): boolean {
  const { allow, deny } = rules.commands
  if (allow === null && deny.length === 0) return true
  const last = name.slice(name.lastIndexOf('/') + 1)
  if (deny.some((entry) => isAbout(entry, name) || isAbout(entry, last))) return false
  if (allow === null) return true
  const isUtility = name === `/bin/${last}` || name === `/usr/bin/${last}`
  return allow.some((entry) => isAbout(entry, name) || (isUtility && isAbout(entry, last)))
}

/** CONFIG_INVALID for an entry that could never be about a command: a blank one, or one with white space. */
export function checkCommandRules(entries: readonly string[]): void {
  for (const entry of entries) {
    if (/^\s*$|\s/.test(entry))
      throw new WorkspaceError('CONFIG_INVALID', `command rule '${entry}' is no command name; wanted one name or pattern without spaces`)
  }
}

function isAbout(entry: string, name: string): boolean {
  return entry === name || (/[*?[]/.test(entry) && compilePattern(entry, { extglob: false }).matches(name))
}
