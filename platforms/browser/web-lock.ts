import { FileSystemError } from '../../src/errors.ts'

/** Waits until no other tab or worker has the lock, for half a minute at most (EBUSY about `path`). Gives the function that lets go of it. */
export function takeWebLock(name: string, path: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { signal: AbortSignal.timeout(LONGEST_WAIT) }, () => new Promise<void>((release) => resolve(release)))
      .catch((cause: unknown) => reject(new FileSystemError('EBUSY', path, { cause })))
  })
}

const LONGEST_WAIT = 30_000
