import type { FileSystemSpace } from '../../src/fs/file-system.ts'

/** What the browser lets this origin store. Where it doesn't tell, as much as a number can say. */
export async function browserSpace(): Promise<FileSystemSpace> {
  // Not everywhere, whatever the types say.
  const storage: Partial<StorageManager> = navigator.storage
  const { quota = Number.MAX_SAFE_INTEGER, usage = 0 } = (await storage.estimate?.()) ?? {}
  return { total: quota, free: Math.max(0, quota - usage) }
}
