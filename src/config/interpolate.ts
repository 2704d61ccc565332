import type { ConfigProblem } from './config-error.ts'

const VARIABLE = /\$\{([A-Z_][A-Z0-9_]*)\}/g

/** A value in whose texts each `${NAME}` (upper-case names only) is replaced, and one problem that lists the names that have no value. */
export function interpolate(value: unknown, env: ReadonlyMap<string, string>): { value: unknown; problems: readonly ConfigProblem[] } {
  const missing = new Map<string, string>()
  const filled = fill(value, [], env, missing)
  if (missing.size === 0) return { value: filled, problems: [] }
  const names = [...missing].map(([name, key]) => `\${${name}} (in ${key})`)
  return { value: filled, problems: [{ key: '', message: `not in the environment: ${names.join(', ')}` }] }
}

function fill(value: unknown, path: readonly string[], env: ReadonlyMap<string, string>, missing: Map<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (whole, name: string) => {
      const found = env.get(name)
      if (found === undefined && !missing.has(name)) missing.set(name, path.join('.'))
      return found ?? whole
    })
  }
  if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, String(index)], env, missing))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, [...path, key], env, missing)]))
}
