import { FileSystemError, WorkspaceError } from '../../src/errors.ts'

/** Whether this runtime has Web Locks. */
export function hasWebLocks(): boolean {
  return typeof navigator !== 'undefined' && typeof navigator.locks?.request === 'function'
}

/** Resolves, when the lock is there, with the function that gives it free. Rejects with the signal's reason, and for a name that WebKit refuses. */
export async function holdWebLock(name: string, options: LockOptions): Promise<() => void> {
  if (name.length > LONGEST_NAME) {
    throw new WorkspaceError('ENAMETOOLONG', `cannot lock ${name.slice(0, 80)}…: a lock's name may have ${LONGEST_NAME} characters`)
  }
  return new Promise((resolve, reject) => {
    // Rejects for a holder whose lock is stolen, too, long after it has resolved.
    const request = navigator.locks.request(name, options, () => new Promise<void>((free) => resolve(free)))
    request.catch((error: unknown) => reject(options.signal?.aborted === true ? options.signal.reason : error))
  })
}

/** Waits until no other tab or worker has the lock, for half a minute at most (EBUSY about `path`). Gives the function that lets go of it. */
export async function takeWebLock(name: string, path: string): Promise<() => void> {
  try {
    return await holdWebLock(name, { signal: AbortSignal.timeout(LONGEST_WAIT) })
  } catch (cause) {
    throw new FileSystemError('EBUSY', path, { cause })
  }
}

const LONGEST_WAIT = 30_000
const LONGEST_NAME = 1024
