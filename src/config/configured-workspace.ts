import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import type { Mount } from '../fs/mount-table.ts'
import { RedisFileSystem } from '../fs/redis-file-system.ts'
import { S3FileSystem } from '../fs/s3-file-system.ts'
import { DiskWorkspaceStateStore } from '../state/disk-state-store.ts'
import { RAMWorkspaceStateStore } from '../state/ram-state-store.ts'
import { RedisWorkspaceStateStore } from '../state/redis-state-store.ts'
import { S3WorkspaceStateStore } from '../state/s3-state-store.ts'
import type { StateStoreOverrides, WorkspaceStateStore } from '../state/state-store.ts'
import type { FileSystemConfig, ProfileConfig, S3StoreConfig, StateStoreConfig, StoreConfig, WorkspaceConfig } from './workspace-config.ts'

/** How the things that a configuration names are made. */
export interface WorkspaceFactories {
  readonly fileSystem: (config: FileSystemConfig) => FileSystem
  readonly store: (config: StateStoreConfig | S3StoreConfig, overrides: StateStoreOverrides) => WorkspaceStateStore
}

/** What a `Workspace` is built from. */
export interface ConfiguredWorkspace {
  readonly mounts: ReadonlyMap<string, Mount>
  readonly options: {
    readonly workspaceId?: string
    readonly store: WorkspaceStateStore
    readonly ownsStore: true
    readonly env: ReadonlyMap<string, string>
    readonly profiles: ReadonlyMap<string, ProfileConfig>
    readonly profile?: string
    readonly sessionId?: string
  }
}

/** The factories of a runtime without files: what needs them fails with CAPABILITY_UNSUPPORTED. */
export const webFactories: WorkspaceFactories = {
  fileSystem: (config) => {
    switch (config.vfs) {
      case 'ram':
        return new RAMFileSystem()
      case 'disk':
        throw new WorkspaceError(
          'CAPABILITY_UNSUPPORTED',
          `cannot mount the folder '${config.root}': this runtime has no files; use vfs: ram, redis or s3`,
        )
      case 'redis':
        return new RedisFileSystem(withoutKind(config))
      case 's3':
        return new S3FileSystem(withoutKind(config))
    }
  },
  store: (config, overrides) => {
    switch (config.type) {
      case 'ram':
        return new RAMWorkspaceStateStore(overrides)
      case 'disk':
        return new DiskWorkspaceStateStore({ ...withoutType(config), ...overrides })
      case 'redis':
        return new RedisWorkspaceStateStore({ ...withoutType(config), ...overrides })
      case 's3':
        return new S3WorkspaceStateStore({ ...withoutType(config), ...overrides })
    }
  },
}

/** What a configuration says of a mount, as the constructor of the file system takes it. */
export function withoutKind<Config extends { readonly vfs: string }>({ vfs: _, ...options }: Config): Omit<Config, 'vfs'> {
  return options
}

/** What a configuration says of a store, as its constructor takes it. */
export function withoutType<Config extends { readonly type: string }>({ type: _, ...options }: Config): Omit<Config, 'type'> {
  return options
}

/** Builds the mounts and stores that a configuration names. Fails as their constructors do. */
export function workspaceOptions(config: WorkspaceConfig, factories: WorkspaceFactories = webFactories): ConfiguredWorkspace {
  const mounts = config.mounts.map(({ prefix, mode, ...kind }): [string, Mount] => [
    prefix,
    { fs: factories.fileSystem(kind), mode: mode ?? config.mode },
  ])
  return {
    mounts: new Map(mounts),
    options: {
      ...(config.workspaceId === undefined ? {} : { workspaceId: config.workspaceId }),
      store: storeOf(config.store, factories),
      ownsStore: true,
      env: config.env,
      profiles: config.profiles,
      ...(config.profile === undefined ? {} : { profile: config.profile }),
      ...(config.defaultSessionId === undefined ? {} : { sessionId: config.defaultSessionId }),
    },
  }
}

function storeOf({ all, ...groups }: StoreConfig, { store }: WorkspaceFactories): WorkspaceStateStore {
  const own = Object.entries(groups).map(([group, config]) => [group, store(config, {})])
  return store(all, Object.fromEntries(own))
}
