export * from '../../src/index.ts'
export { DiskWorkspaceStateStore } from './disk-state-store.ts'
