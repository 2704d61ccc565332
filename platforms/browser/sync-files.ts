import type { DirectoryHandle } from './file-handles.ts'
import { isNamed } from './handle-error.ts'

/**
 * Whether files of the origin private file system can be opened for synchronous access here: in workers of most browsers. In WebKitGTK the function is
 * there, fails, and leaves the file of no use, so it is tried once and on a file of its own.
 */
export function hasSyncFiles(): Promise<boolean> {
  answer ??= tryOne()
  return answer
}

const PROBE = '.mirage-runtime-probe'
let answer: Promise<boolean> | undefined

async function tryOne(): Promise<boolean> {
  if (!('FileSystemSyncAccessHandle' in globalThis)) return false
  try {
    const root = (await navigator.storage.getDirectory()) as DirectoryHandle
    const handle = await root.getFileHandle(PROBE, { create: true })
    const works = await opens(handle.createSyncAccessHandle?.bind(handle))
    // Another worker that tries may have it open, and removes it then.
    await root.removeEntry(PROBE).catch(() => undefined)
    return works
  } catch {
    // Nothing can be made here, which the first real call tells about.
    return false
  }
}

async function opens(open: (() => Promise<{ close(): void }>) | undefined): Promise<boolean> {
  try {
    const file = await open?.()
    file?.close()
    return file !== undefined
  } catch (error) {
    return isNamed(error, 'NoModificationAllowedError')
  }
}
