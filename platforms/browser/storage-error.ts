import { WorkspaceError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import { withTimeLimit } from './time-limit.ts'

/** Milliseconds that an error waits for the browser to say how much room there is. */
const ESTIMATE_MS = 500

/** What a browser's storage failed with as the library's error: what was being done, to what, why. */
export async function storageError(host: Host, action: string, error: unknown): Promise<WorkspaceError> {
  if (error instanceof WorkspaceError) return error
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  switch (name) {
    case 'QuotaExceededError': {
      const text = `cannot ${action}: the browser gives this origin no more room${await usage(host)}`
      return new WorkspaceError('ENOSPC', text, { cause: error })
    }
    case 'SecurityError':
    case 'NotAllowedError':
      return storageDenied(action, error)
    default: {
      const why = message === '' ? name : `${name}: ${message}`
      return new WorkspaceError('STORE_UNAVAILABLE', `cannot ${action}: ${why}`, { cause: error })
    }
  }
}

/** The browser doesn't let this page store anything. */
export function storageDenied(action: string, error: unknown): WorkspaceError {
  const why = error instanceof Error && error.message !== '' ? ` (${error.message})` : ''
  return new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    `cannot ${action}: the browser does not let this page store anything${why}, as in some private windows, sandboxed frames and where site data is blocked; keep it in memory (RAMWorkspaceStateStore, RAMFileSystem)`,
    { cause: error },
  )
}

async function usage(host: Host): Promise<string> {
  // Not everywhere, whatever the types say.
  const storage: StorageManager | undefined = navigator.storage
  if (typeof storage?.estimate !== 'function') return ''
  try {
    const { usage, quota } = await withTimeLimit(host, ESTIMATE_MS, storage.estimate(), () => new Error('no estimate'))
    return usage === undefined || quota === undefined ? '' : ` (it says that ${usage} of ${quota} bytes are used)`
  } catch {
    // The error that is being told matters more than the numbers.
    return ''
  }
}
