import { readFile } from 'node:fs/promises'
import type { WorkspaceConfig } from '../../src/index.ts'
import { loadWorkspaceConfig } from '../../src/index.ts'

/**
 * Reads a workspace configuration from a file; `${NAME}` in it stands for variables of this process, or of `env` where it is given.
 * Fails as `loadWorkspaceConfig` does, and with the system's own error where the file can't be read.
 */
export async function loadWorkspaceConfigFile(
  path: string,
  options?: { env?: Readonly<Record<string, string | undefined>> },
): Promise<WorkspaceConfig> {
  return loadWorkspaceConfig(await readFile(path, 'utf8'), { env: options?.env ?? process.env, source: path })
}
