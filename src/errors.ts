/** POSIX error names a file system, a store or the shell may fail with, and what GNU tools print for each. */
const POSIX_TEXT = {
  E2BIG: 'Argument list too long',
  EACCES: 'Permission denied',
  EAGAIN: 'Resource temporarily unavailable',
  EBADF: 'Bad file descriptor',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EFBIG: 'File too large',
  EINVAL: 'Invalid argument',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  EMFILE: 'Too many open files',
  EMLINK: 'Too many links',
  ENAMETOOLONG: 'File name too long',
  ENOENT: 'No such file or directory',
  ENOEXEC: 'Exec format error',
  ENOSPC: 'No space left on device',
  ENOTDIR: 'Not a directory',
  ENOTEMPTY: 'Directory not empty',
  ENOTSUP: 'Operation not supported',
  ENXIO: 'No such device or address',
  EPERM: 'Operation not permitted',
  EPIPE: 'Broken pipe',
  EROFS: 'Read-only file system',
  ESPIPE: 'Illegal seek',
  ESTALE: 'Stale file handle',
  ETXTBSY: 'Text file busy',
  EXDEV: 'Invalid cross-device link',
} as const

/** A POSIX error name, such as `ENOENT`. */
export type PosixCode = keyof typeof POSIX_TEXT

/** The closed set of codes a {@link WorkspaceError} carries. */
export type ErrorCode =
  | PosixCode
  | 'CAPABILITY_UNSUPPORTED'
  | 'CLOSED'
  | 'CONFIG_INVALID'
  | 'CONFLICT'
  | 'CORRUPT'
  | 'LIMIT_EXCEEDED'
  | 'NOT_FOUND'
  | 'POLICY_DENIED'
  | 'STORE_UNAVAILABLE'
  | 'SYNTAX'
  | 'VERSION_UNSUPPORTED'

/**
 * What every fault of the library is: match on `code`, never on the text.
 * Aborts are the exception: they stay the platform's `AbortError`.
 */
export class WorkspaceError extends Error {
  readonly code: ErrorCode
  override readonly name: string = 'WorkspaceError'

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** A failed file operation. `path` is the absolute path it was asked for, as the caller named it. */
export class FileSystemError extends WorkspaceError {
  override readonly name: string = 'FileSystemError'
  readonly path: string
  /** What is said instead of the text of the code, which says too little. */
  readonly reason: string | undefined

  constructor(code: PosixCode, path: string, options?: { cause?: unknown; reason?: string | undefined }) {
    super(code, `${options?.reason ?? POSIX_TEXT[code]}: '${path}'`, options)
    this.path = path
    this.reason = options?.reason
  }

  /** The same failure of another path. */
  at(path: string): FileSystemError {
    return new FileSystemError(this.code as PosixCode, path, { cause: this.cause, reason: this.reason })
  }
}

/** True for an error that carries `code`, whichever copy of the library threw it. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  return codeOf(error) === code
}

/** The code an error carries, or undefined when it carries none of ours. */
export function codeOf(error: unknown): ErrorCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? (error.code as ErrorCode) : undefined
}

/** True for a code that POSIX has, too. */
export function isPosixCode(code: ErrorCode): code is PosixCode {
  return Object.hasOwn(POSIX_TEXT, code)
}

/** What GNU tools print for an error: `No such file or directory` for ENOENT; the message where it is no POSIX error. */
export function errorText(error: unknown): string {
  if (error instanceof FileSystemError && error.reason !== undefined) return error.reason
  const code = codeOf(error)
  if (code !== undefined && isPosixCode(code)) return POSIX_TEXT[code]
  return error instanceof Error ? error.message : String(error)
}
