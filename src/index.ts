export type { ErrorCode, PosixCode } from './errors.ts'
export { codeOf, errorText, FileSystemError, hasCode, WorkspaceError } from './errors.ts'
export type { Host, MaybePromise } from './host.ts'
export { webHost } from './host.ts'
