export type { ConfigProblem } from './config/config-error.ts'
export { ConfigError } from './config/config-error.ts'
export type {
  FileSystemConfig,
  MountConfig,
  ProfileConfig,
  S3StoreConfig,
  StateStoreConfig,
  StoreConfig,
  WorkspaceConfig,
} from './config/workspace-config.ts'
export type { LoadConfigOptions } from './config.ts'
export { loadWorkspaceConfig } from './config.ts'
export type { ErrorCode, PosixCode } from './errors.ts'
export { codeOf, errorText, FileSystemError, hasCode, WorkspaceError } from './errors.ts'
export type { Host, MaybePromise } from './host.ts'
export { webHost } from './host.ts'
export type { MountMode } from './state/session-fields.ts'
