import type { ConfigProblem } from './config-error.ts'

const VARIABLE = /\$\{([A-Z_][A-Z0-9_]*)\}/g

/** A value in whose texts each `${NAME}` (upper-case names only) is replaced, and one problem that lists the names that have no value. */
export function interpolate(value: unknown, env: ReadonlyMap<string, string>): { value: unknown; problems: readonly ConfigProblem[] } {
  const missing = new Map<string, string>()
  const filled = fill(value, [], env, missing, new Map())
  if (missing.size === 0) return { value: filled, problems: [] }
  const names = [...missing].map(([name, key]) => `\${${name}} (in ${key})`)
  return { value: filled, problems: [{ key: '', message: `not in the environment: ${names.join(', ')}` }] }
}

/** Aliases of YAML make one object stand in many places: each is filled once. */
type Filled = Map<object, unknown>

function fill(
  value: unknown,
  path: readonly string[],
  env: ReadonlyMap<string, string>,
  missing: Map<string, string>,
  filled: Filled,
): unknown {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (whole, name: string) => {
      const found = env.get(name)
      if (found === undefined && !missing.has(name)) missing.set(name, path.join('.'))
      return found ?? whole
    })
  }
  if (typeof value !== 'object' || value === null) return value
  const known = filled.get(value)
  if (known !== undefined) return known
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
  filled.set(value, copy)
  for (const [key, item] of Object.entries(value)) {
    const held = fill(item, [...path, key], env, missing, filled)
    // Not an assignment: a key may be called __proto__.
    Object.defineProperty(copy, key, { value: held, enumerable: true, configurable: true, writable: true })
  }
  return copy
}
