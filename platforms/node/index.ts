export * from '../../src/index.ts'
export { loadWorkspaceConfigFile } from './config-file.ts'
