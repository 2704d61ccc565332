import { WorkspaceError } from '../errors.ts'

/** What a Job may do with paths, as `GLOB:deny`. */
export interface AccessRule {
  /** A path or glob, relative to the root of the Job's files; without a slash: a name anywhere. */
  readonly glob: string
  readonly effect: 'deny'
}

/** Understands `GLOB:deny`. CONFIG_INVALID for anything else; CAPABILITY_UNSUPPORTED for `ask` and `warn`, which need somebody to ask. */
export function accessRule(text: string): AccessRule {
  const colon = text.lastIndexOf(':')
  const glob = text.slice(0, Math.max(0, colon))
  const effect = text.slice(colon + 1)
  if (glob === '') throw new WorkspaceError('CONFIG_INVALID', `access holds '${text}'; it may hold GLOB:deny, such as secret.txt:deny`)
  if (effect === 'ask' || effect === 'warn') {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `access '${text}': only deny can be enforced: there is nobody to ask or warn while a Job runs`,
    )
  }
  if (effect !== 'deny') throw new WorkspaceError('CONFIG_INVALID', `access '${text}' ends in '${effect}'; it may end in deny`)
  return { glob, effect }
}

/** The rules as entries of a session's `deny` list: a glob with a slash is a path from the root. */
export function deniedPaths(access: readonly AccessRule[]): readonly string[] {
  return access.map(({ glob }) => (glob.includes('/') && !glob.startsWith('/') ? `/${glob}` : glob))
}
