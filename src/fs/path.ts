/**
 * Resolves `.`, `..`, doubled and trailing slashes of an absolute path by its text alone. Right where no directory on the way is a
 * symbolic link; `followLinks` is for the rest.
 */
export function normalise(path: string): string {
  if (isNormal(path)) return path
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..') names.pop()
    else names.push(name)
  }
  return `/${names.join('/')}`
}

/** True for an absolute path that `normalise` would leave as it is. */
export function isNormal(path: string): boolean {
  if (path.charCodeAt(0) !== SLASH) return false
  const length = path.length
  if (length === 1) return true
  let from = 1
  for (;;) {
    const slash = path.indexOf('/', from)
    const end = slash < 0 ? length : slash
    // An empty name, or one that starts with a dot and is `.` or `..`.
    if (end === from) return false
    if (path.charCodeAt(from) === DOT && (end === from + 1 || (end === from + 2 && path.charCodeAt(from + 1) === DOT))) return false
    if (slash < 0) return true
    from = slash + 1
  }
}

/** `name` in `directory`. */
export function join(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

/** The directory that holds a normalised path; `/` for `/`. */
export function dirname(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash <= 0 ? '/' : path.slice(0, slash)
}

/** The last name of a normalised path; '' for `/`. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** True where `path` is `ancestor` or lies below it; both normalised. */
export function isWithin(path: string, ancestor: string): boolean {
  if (!path.startsWith(ancestor)) return false
  return path.length === ancestor.length || ancestor === '/' || path.charCodeAt(ancestor.length) === SLASH
}

/** The names of a normalised path, from the root down. */
export function splitPath(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/')
}

const SLASH = 47
const DOT = 46
