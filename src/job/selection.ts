import { WorkspaceError } from '../errors.ts'
import { isWithin, splitPath } from '../fs/path.ts'
import { checkNames, invalid } from '../option-checks.ts'
import type { PathRules } from '../policy/path-rules.ts'
import { compilePathRules } from '../policy/path-rules.ts'
import type { NetChange } from './changes.ts'

/** Which of a stage's changes are meant; all of them when nothing is said. Paths are relative to the root of the workspace, or absolute. */
export interface Selection {
  /** Paths, each with everything below. */
  readonly paths?: readonly string[]
  /** Globs: `*` stays within a name, `**` is any number of names; without a slash, names anywhere. */
  readonly include?: readonly string[]
  /** Globs of what is left out of the selection. */
  readonly exclude?: readonly string[]
  /** Says that everything is meant; goes with no other. */
  readonly all?: boolean
}

/** CONFIG_INVALID for what can be no selection. */
export function checkSelection(selection: Selection, others: readonly string[] = []): void {
  checkNames(selection, ['paths', 'include', 'exclude', 'all', ...others], 'a selection')
  for (const key of ['paths', 'include', 'exclude'] as const) {
    const list = selection[key]
    if (list === undefined) continue
    if (!Array.isArray(list)) throw invalid(key, list, 'a list of texts')
    for (const entry of list) {
      const isPath = typeof entry === 'string' && entry !== '' && !entry.split('/').includes('..')
      if (!isPath) throw invalid(`an entry of ${key}`, entry, "a path below the root of the workspace, without '..'")
    }
  }
  const hasFilter = [selection.paths, selection.include, selection.exclude].some((list) => (list ?? []).length > 0)
  if (selection.all === true && hasFilter) throw invalid('all', true, 'given only without paths, include and exclude')
}

/**
 * The changes that are selected, and those they can't be without: directories that are new above them, and what stands in their way. NOT_FOUND where nothing is
 * selected, EINVAL where something is excluded that what is selected needs.
 */
export function selectChanges(changes: readonly NetChange[], selection: Selection): readonly NetChange[] {
  checkSelection(selection)
  const paths = (selection.paths ?? []).map(absolute)
  const include = rulesOf(selection.include)
  const exclude = rulesOf(selection.exclude)
  if (paths.length === 0 && include === null && exclude === null) return changes
  const isNamed = (path: string): boolean => {
    if (paths.length === 0 && include === null) return true
    return paths.some((one) => isWithin(path, one)) || include?.standing(path) !== undefined
  }
  const isExcluded = (path: string): boolean => exclude?.standing(path) !== undefined
  const byPath = new Map(changes.map((change) => [`/${change.path}`, change]))
  const chosen = new Set<NetChange>()
  for (const [path, change] of byPath) {
    if (!isNamed(path) || isExcluded(path)) continue
    chosen.add(change)
    for (const above of ancestorsOf(path)) {
      const needed = byPath.get(above)
      // A directory whose attributes alone changed is not needed.
      if (needed === undefined || needed.kind === 'modified') continue
      if (isExcluded(above))
        throw new WorkspaceError('EINVAL', `'${change.path}' can't be applied without '${needed.path}', which is excluded`)
      chosen.add(needed)
    }
  }
  if (chosen.size === 0) {
    const wanted = [...(selection.paths ?? []), ...(selection.include ?? [])].map((one) => `'${one}'`).join(', ')
    throw new WorkspaceError('NOT_FOUND', `no staged change is selected${wanted === '' ? '' : ` by ${wanted}`}; review shows what there is`)
  }
  return changes.filter((change) => chosen.has(change))
}

function rulesOf(globs: readonly string[] | undefined): PathRules | null {
  if (globs === undefined || globs.length === 0) return null
  return compilePathRules(globs.map((glob) => (glob.includes('/') ? absolute(glob) : glob)))
}

function absolute(path: string): string {
  return `/${splitPath(path.startsWith('/') ? path : `/${path}`)
    .filter((name) => name !== '' && name !== '.')
    .join('/')}`
}

function ancestorsOf(path: string): string[] {
  const ancestors: string[] = []
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) ancestors.push(path.slice(0, end))
  return ancestors
}
