import type { PosixCode } from '../../src/errors.ts'
import { errorText, WorkspaceError } from '../../src/errors.ts'

/** A failed system call as the library's error: what was being done, to which file, why. */
export function diskError(action: string, path: string, error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const text = errorText(error)
  // errorText gives the POSIX text where it knows the code, the message itself where it doesn't.
  const isPosix = error instanceof Error && text !== error.message
  const code = isPosix ? ((error as Error & { code: string }).code as PosixCode) : 'STORE_UNAVAILABLE'
  return new WorkspaceError(code, `cannot ${action} ${path}: ${text}`, { cause: error })
}

/** The file, or a folder on the way to it, isn't there. */
export function isMissing(error: unknown): boolean {
  return codeOfCall(error) === 'ENOENT'
}

/** A folder can't be put or removed there, because something is in it. */
export function isOccupied(error: unknown): boolean {
  const code = codeOfCall(error)
  return code === 'ENOTEMPTY' || code === 'EEXIST' || (process.platform === 'win32' && (code === 'EPERM' || code === 'EACCES'))
}

function codeOfCall(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
