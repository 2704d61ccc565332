import { FileSystemError, type PosixCode, WorkspaceError } from '../../src/errors.ts'
import { LinkMet } from '../../src/fs/file-system.ts'

/** What a call of the host failed with, as an error of the file system about `path`. Errors of ours stay as they are. */
export function fileError(error: unknown, path: string): unknown {
  if (error instanceof WorkspaceError || error instanceof LinkMet) return error
  if (!(error instanceof Error)) return error
  // What Deno's permissions keep from the process.
  if (error.name === 'NotCapable') return new FileSystemError('EACCES', path, { cause: error })
  if (!('code' in error)) return error
  return new FileSystemError(CODES.get(String(error.code)) ?? 'EIO', path, { cause: error })
}

/** True for an error of the host with that code. */
export function hasHostCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

const SAME: readonly PosixCode[] = [
  'EACCES',
  'EAGAIN',
  'EBUSY',
  'EEXIST',
  'EFBIG',
  'EINVAL',
  'EIO',
  'EISDIR',
  'ELOOP',
  'EMFILE',
  'EMLINK',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOSPC',
  'ENOTDIR',
  'ENOTEMPTY',
  'ENOTSUP',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ETXTBSY',
  'EXDEV',
]

const CODES: ReadonlyMap<string, PosixCode> = new Map<string, PosixCode>([
  ...SAME.map((code) => [code, code] as const),
  ['EDQUOT', 'ENOSPC'],
  ['ENFILE', 'EMFILE'],
  ['EOPNOTSUPP', 'ENOTSUP'],
  ['ENOSYS', 'ENOTSUP'],
  ['EOVERFLOW', 'EFBIG'],
  ['ERR_FS_FILE_TOO_LARGE', 'EFBIG'],
  ['ERR_OUT_OF_RANGE', 'EINVAL'],
  ['ERR_INVALID_ARG_VALUE', 'EINVAL'],
])
