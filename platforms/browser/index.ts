export * from '../../src/index.ts'
export { DiskWorkspaceStateStore } from './disk-state-store.ts'
export { IndexedDBFileSystem } from './indexed-db-file-system.ts'
