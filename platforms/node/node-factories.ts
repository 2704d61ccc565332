import { homedir } from 'node:os'
import { join } from 'node:path'
import type { WorkspaceFactories } from '../../src/config/configured-workspace.ts'
import { webFactories, withoutKind, withoutType } from '../../src/config/configured-workspace.ts'
import { DiskWorkspaceStateStore } from './disk-state-store.ts'
import { HostFileSystem } from './host-file-system.ts'
import { RedisFileSystem } from './redis-file-system.ts'
import { RedisWorkspaceStateStore } from './redis-state-store.ts'
import { S3FileSystem } from './s3-file-system.ts'
import { S3WorkspaceStateStore } from './s3-state-store.ts'

/** Makes what a configuration names on a machine with files. A folder to mount must exist; its leading `~` is the user's home. */
export const nodeFactories: WorkspaceFactories = {
  fileSystem: (config) => {
    switch (config.vfs) {
      case 'disk':
        return new HostFileSystem({ root: expandHome(config.root) })
      case 'redis':
        return new RedisFileSystem(withoutKind(config))
      case 's3':
        return new S3FileSystem(withoutKind(config))
      case 'ram':
        return webFactories.fileSystem(config)
    }
  },
  store: (config, overrides) => {
    switch (config.type) {
      case 'disk':
        return new DiskWorkspaceStateStore({ ...withoutType(config), ...overrides })
      case 'redis':
        return new RedisWorkspaceStateStore({ ...withoutType(config), ...overrides })
      case 's3':
        return new S3WorkspaceStateStore({ ...withoutType(config), ...overrides })
      case 'ram':
        return webFactories.store(config, overrides)
    }
  },
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
}
