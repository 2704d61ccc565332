import type { DurableObjectStorage, FileSystem } from 'mirage-runtime'
import { DurableObjectFileSystem, hasCode } from 'mirage-runtime'

/** The files of an agent, with the folders that a shell expects. */
export async function agentFiles(storage: DurableObjectStorage): Promise<FileSystem> {
  const files = new DurableObjectFileSystem(storage)
  for (const folder of ['/home', '/home/user', '/tmp']) await makeFolder(files, folder)
  return files
}

async function makeFolder(files: FileSystem, path: string): Promise<void> {
  try {
    await files.mkdir(path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}
