import { FileSystemError, type PosixCode, WorkspaceError } from '../../src/errors.ts'

/** What a call on a handle failed with, as an error of the file system about `path`. Errors of ours, and faults of the program, stay as they are. */
export function handleError(error: unknown, path: string): unknown {
  if (error instanceof WorkspaceError || !(error instanceof DOMException)) return error
  return new FileSystemError(CODES.get(error.name) ?? 'EIO', path, { cause: error })
}

/** True for a failure of the browser that has one of these names. */
export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name)
}

/** What `run` gives. As long as another tab or worker has the file open to write it is tried again, for about two seconds; then EBUSY. */
export async function whenFree<T>(path: string, run: () => Promise<T>): Promise<T> {
  for (let pause = 1; ; pause *= 2) {
    try {
      return await run()
    } catch (error) {
      if (!isNamed(error, 'NoModificationAllowedError')) throw error
      if (pause > LONGEST_PAUSE) throw new FileSystemError('EBUSY', path, { cause: error })
    }
    await new Promise<void>((resolve) => setTimeout(resolve, pause))
  }
}

const LONGEST_PAUSE = 1000

const CODES: ReadonlyMap<string, PosixCode> = new Map([
  ['InvalidModificationError', 'ENOTEMPTY'],
  ['InvalidStateError', 'EBUSY'],
  ['NoModificationAllowedError', 'EBUSY'],
  ['NotAllowedError', 'EACCES'],
  ['NotFoundError', 'ENOENT'],
  ['NotSupportedError', 'ENOTSUP'],
  ['QuotaExceededError', 'ENOSPC'],
  ['SecurityError', 'EACCES'],
  ['TypeMismatchError', 'ENOTDIR'],
])
