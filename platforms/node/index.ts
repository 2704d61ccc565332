export * from '../../src/index.ts'
export { loadWorkspaceConfigFile } from './config-file.ts'
export { DiskWorkspaceStateStore } from './disk-state-store.ts'
export { HostFileSystem } from './host-file-system.ts'
