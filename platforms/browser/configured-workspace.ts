import type { ConfiguredWorkspace, WorkspaceFactories } from '../../src/config/configured-workspace.ts'
import { workspaceOptions as webWorkspaceOptions } from '../../src/config/configured-workspace.ts'
import type { WorkspaceConfig } from '../../src/config/workspace-config.ts'
import { browserFactories } from './browser-factories.ts'

/** Builds the mounts and stores that a configuration names, in the browser's storage where they are on disk. Fails as their constructors do. */
export function workspaceOptions(config: WorkspaceConfig, factories: WorkspaceFactories = browserFactories): ConfiguredWorkspace {
  return webWorkspaceOptions(config, factories)
}
