import type { ConfiguredWorkspace, WorkspaceFactories } from '../../src/config/configured-workspace.ts'
import { workspaceOptions as webWorkspaceOptions } from '../../src/config/configured-workspace.ts'
import type { WorkspaceConfig } from '../../src/config/workspace-config.ts'
import { nodeFactories } from './node-factories.ts'

/** Builds the mounts and stores that a configuration names: folders of this machine and state in its files, too. Fails as their constructors do. */
export function workspaceOptions(config: WorkspaceConfig, factories: WorkspaceFactories = nodeFactories): ConfiguredWorkspace {
  return webWorkspaceOptions(config, factories)
}
