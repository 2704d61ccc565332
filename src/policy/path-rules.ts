import { WorkspaceError } from '../errors.ts'
import { isWithin, splitPath } from '../fs/path.ts'
import { compilePattern } from '../shell/expand/pattern.ts'

/** Where a path stands to a rule: it is what the rule names, or lies below that. */
export type Standing = 'at' | 'below'

/** Entries of a `hide` or `deny` list, ready to be asked. */
export interface PathRules {
  /** How a normalised path stands to the entries, undefined where none is about it. The nearest to the root decides. */
  standing(path: string): Standing | undefined
  /** True where an entry may name something below `path` by its place. */
  reachesBelow(path: string): boolean
  /** True where an entry names things by their last name, wherever they are. */
  readonly hasNamePatterns: boolean
}

/**
 * Compiles entries: absolute paths or globs (`*` and `?` stay within a name, `**` is any number of names), each with everything below;
 * or patterns without a slash, which any name on a path may match. CONFIG_INVALID for a blank or relative entry, or one with `.` or `..`.
 */
export function compilePathRules(entries: readonly string[]): PathRules {
  const rules = entries.map(compileRule)
  return {
    standing(path) {
      let found: Standing | undefined
      for (const rule of rules) {
        const standing = rule.standing(path)
        if (standing === 'below') return 'below'
        found ??= standing
      }
      return found
    },
    reachesBelow: (path) => rules.some((rule) => rule.reachesBelow(path)),
    hasNamePatterns: entries.some((entry) => !entry.includes('/')),
  }
}

interface Rule {
  standing(path: string): Standing | undefined
  reachesBelow(path: string): boolean
}

type Part = { matches(name: string): boolean } | typeof ANY_NAMES

const ANY_NAMES = '**'

function compileRule(entry: string): Rule {
  if (entry.trim() === '')
    throw new WorkspaceError('CONFIG_INVALID', `path rule '${entry}' is blank; wanted an absolute path, a glob or a name pattern`)
  if (!entry.includes('/')) return nameRule(entry)
  if (!entry.startsWith('/')) {
    throw new WorkspaceError(
      'CONFIG_INVALID',
      `path rule '${entry}' is relative; wanted an absolute path or glob, or a name pattern without a slash`,
    )
  }
  const path = entry.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
  const names = splitPath(path)
  if (names.some((name) => name === '.' || name === '..')) {
    throw new WorkspaceError('CONFIG_INVALID', `path rule '${entry}' has '.' or '..' in it; wanted the path that it leads to`)
  }
  return isGlob(path) ? globRule(names) : placeRule(path)
}

function placeRule(place: string): Rule {
  return {
    standing: (path) => (!isWithin(path, place) ? undefined : path.length === place.length ? 'at' : 'below'),
    reachesBelow: (path) => path.length < place.length && isWithin(place, path),
  }
}

function nameRule(entry: string): Rule {
  const pattern = matcherOf(entry)
  return {
    standing(path) {
      const last = path.lastIndexOf('/')
      if (last > 0 && splitPath(path.slice(0, last)).some((name) => pattern.matches(name))) return 'below'
      return pattern.matches(path.slice(last + 1)) ? 'at' : undefined
    },
    reachesBelow: () => false,
  }
}

/** Matches by the set of parts that a path may have come to: bit i stands for "parts before i are used up". */
function globRule(names: readonly string[]): Rule {
  const parts: readonly Part[] = names.map((name) => (name === ANY_NAMES ? ANY_NAMES : matcherOf(name)))
  if (parts.length > 30) throw new WorkspaceError('CONFIG_INVALID', `path rule '/${names.join('/')}' has more than 30 names; wanted fewer`)
  // A `**` at the end is everything below, not the place itself.
  const last = parts.at(-1) === ANY_NAMES ? parts.length - 1 : parts.length
  const skip = (states: number): number => {
    let all = states
    for (let i = 0; i < last; i++) if ((all & (1 << i)) !== 0 && parts[i] === ANY_NAMES) all |= 1 << (i + 1)
    return all
  }
  const walk = (path: string): { standing: Standing | undefined; open: boolean } => {
    const way = splitPath(path)
    let states = skip(1)
    for (let at = 0; at < way.length; at++) {
      let next = 0
      for (let i = 0; i < parts.length; i++) {
        if ((states & (1 << i)) === 0) continue
        const part = parts[i] as Part
        if (part === ANY_NAMES) next |= i === last ? 1 << parts.length : 1 << i
        else if (part.matches(way[at] as string)) next |= 1 << (i + 1)
      }
      states = skip(next)
      if ((states & (1 << parts.length)) !== 0) return { standing: at === way.length - 1 ? 'at' : 'below', open: false }
      if (states === 0) return { standing: undefined, open: false }
    }
    return { standing: undefined, open: true }
  }
  return { standing: (path) => walk(path).standing, reachesBelow: (path) => walk(path).open }
}

function matcherOf(text: string): { matches(name: string): boolean } {
  return isGlob(text) ? compilePattern(text, { extglob: false }) : { matches: (name) => name === text }
}

function isGlob(text: string): boolean {
  return /[*?[]/.test(text)
}
