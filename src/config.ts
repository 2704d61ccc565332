import type { ConfigProblem } from './config/config-error.ts'
import { ConfigError } from './config/config-error.ts'
import type { WorkspaceConfig } from './config/workspace-config.ts'

/** Where a configuration text comes from. */
export interface LoadConfigOptions {
  /** What `${NAME}` in the document stands for; nothing when left out. */
  readonly env?: ReadonlyMap<string, string> | Readonly<Record<string, string | undefined>>
  /** Name of the document in messages. */
  readonly source?: string
}

/**
 * Reads a workspace configuration in YAML (or JSON). Unknown keys are errors, and everything that is wrong is said at once:
 * fails with a {@link ConfigError} (code `CONFIG_INVALID`) that lists it. The reader is loaded when it is first used.
 *
 * ```ts
 * const config = await loadWorkspaceConfig('workspace_id: agent\nstore: { type: disk }')
 * ```
 */
export async function loadWorkspaceConfig(text: string, options?: LoadConfigOptions): Promise<WorkspaceConfig> {
  const [{ readDocument }, { interpolate }, { validateConfig }] = await Promise.all([
    import('./config/document.ts'),
    import('./config/interpolate.ts'),
    import('./config/schema.ts'),
  ])
  const document = readDocument(text)
  if (document.problems.length > 0) throw invalid(document.problems, options)
  const written = document.value ?? {}
  const filled = interpolate(written, environment(options?.env))
  const { config, problems } = validateConfig(filled.value, written)
  if (config === undefined || filled.problems.length > 0) throw invalid([...filled.problems, ...problems], options)
  return config
}

function invalid(problems: readonly ConfigProblem[], options: LoadConfigOptions | undefined): ConfigError {
  return new ConfigError(problems, options?.source === undefined ? {} : { source: options.source })
}

function environment(env: LoadConfigOptions['env']): ReadonlyMap<string, string> {
  if (env === undefined) return new Map()
  if (env instanceof Map) return env
  return new Map(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
