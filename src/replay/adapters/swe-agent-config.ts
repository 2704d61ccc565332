import type { JsonObject, JsonValue } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import type { SweSettings } from '../tools/swe-settings.ts'

/** What an agent was set up with, as far as a replay needs it. */
export interface SweConfig {
  readonly settings: Omit<SweSettings, 'lineEnd' | 'directory'>
  /** Where the shell began; null where it isn't said. */
  readonly directory: string | null
  readonly model: string | null
}

/** The settings in `replay_config`: an object, or a text that holds one. What isn't there, or isn't what it should be, is as usual. */
export function sweConfig(value: JsonValue): SweConfig {
  const config = typeof value === 'string' ? parsed(value) : value
  const agent = inner(config, 'agent')
  const tools = inner(agent, 'tools')
  const { env_variables: variables, execution_timeout: timeout, bundles } = tools
  const env = Object.entries(isObject(variables) ? variables : {}).flatMap(([name, variable]): [string, string][] =>
    typeof variable === 'string' || typeof variable === 'number' ? [[name, String(variable)]] : [],
  )
  const { name } = inner(agent, 'model')
  const numbers = new Map(env)
  return {
    settings: {
      window: count(numbers.get('WINDOW'), 100),
      overlap: count(numbers.get('OVERLAP'), 0),
      env: Object.fromEntries(env),
      bundles: isArray(bundles) ? new Set(bundles.flatMap(bundleName)) : null,
      templates: inner(agent, 'templates'),
      timeout: typeof timeout === 'number' && timeout > 0 ? timeout : 30,
    },
    directory: directoryOf(inner(inner(config, 'env'), 'repo')),
    model: typeof name === 'string' ? name : null,
  }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return null
  }
}

function inner(value: JsonValue, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined
  return isObject(found) ? found : {}
}

function count(value: string | undefined, usual: number): number {
  const number = Number(value ?? '')
  return Number.isSafeInteger(number) && number > 0 ? number : usual
}

function bundleName(bundle: JsonValue): readonly string[] {
  const path = isObject(bundle) ? bundle.path : undefined
  return typeof path === 'string' ? [path.slice(path.lastIndexOf('/') + 1)] : []
}

/** Repositories are put into the root by their names. */
function directoryOf({ github_url: url, repo_name: name, path }: JsonObject): string | null {
  const [, owner, project] = typeof url === 'string' ? (/github\.com[/:]([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(url) ?? []) : []
  if (owner !== undefined && project !== undefined) return `/${owner}__${project}`
  if (typeof name === 'string' && name !== '') return `/${name}`
  const [last] =
    typeof path === 'string'
      ? path
          .split('/')
          .filter((part) => part !== '')
          .slice(-1)
      : []
  return last === undefined ? null : `/${last}`
}
