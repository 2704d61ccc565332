import { WorkspaceError } from './errors.ts'

/** CONFIG_INVALID for a key that `known` has not; `where` says whose key it is. */
export function checkNames(options: object, known: readonly string[], where: string): void {
  if (typeof options !== 'object' || options === null) throw invalid(where, options, `an object with ${known.join(', ')}`)
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new WorkspaceError('CONFIG_INVALID', `${where}: unknown key "${key}"; there are ${known.join(', ')}`)
  }
}

/** CONFIG_INVALID unless the mode is one. */
export function checkMode(mode: unknown, key: string): asserts mode is 'read' | 'write' | 'exec' {
  if (mode !== 'read' && mode !== 'write' && mode !== 'exec') throw invalid(key, mode, '"read", "write" or "exec"')
}

/** CONFIG_INVALID for a text that is given and is none, or is empty. */
export function checkText(value: unknown, key: string): void {
  if (value !== undefined && (typeof value !== 'string' || value === '')) throw invalid(key, value, 'a text that is not empty')
}

/** The entries of a map or a plain object. */
export function entriesOf<T>(given: Readonly<Record<string, T>> | ReadonlyMap<string, T> | undefined): Iterable<readonly [string, T]> {
  if (given === undefined) return []
  return given instanceof Map ? given.entries() : Object.entries(given as Readonly<Record<string, T>>)
}

/** Variables by name. CONFIG_INVALID for what is no name of a variable, or no text. */
export function variableEntries(
  given: Readonly<Record<string, string>> | ReadonlyMap<string, string> | undefined,
  where: string,
): (readonly [string, string])[] {
  if (given === undefined) return []
  if (typeof given !== 'object' || given === null) throw invalid(where, given, 'texts by name')
  const entries = [...entriesOf(given)]
  for (const [name, value] of entries) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw invalid(`a name in ${where}`, name, 'a name of letters, digits and underscores')
    if (typeof value !== 'string' || value.includes('\0')) throw invalid(`${where}: ${name}`, value, 'a text without NUL')
  }
  return entries
}

/** The error for a value that an option can't have. */
export function invalid(key: string, value: unknown, wanted: string): WorkspaceError {
  return new WorkspaceError('CONFIG_INVALID', `${key} is ${shown(value)}; it may be ${wanted}`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}
