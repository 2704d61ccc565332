import { WorkspaceError } from '../../src/errors.ts'
import { normalise, splitPath } from '../../src/fs/path.ts'
import { checkNames } from '../../src/option-checks.ts'
import type { OPFSFileSystemOptions, OPFSFileSystem as Surface } from '../../src/without-browser.ts'
import { browserSpace } from './browser-space.ts'
import type { DirectoryHandle } from './file-handles.ts'
import { HandleFileSystem } from './handle-file-system.ts'
import { hasSyncFiles } from './sync-files.ts'

/** A folder of the origin private file system: see the stand-in in `src`, which is what the package's types come from. */
export class OPFSFileSystem extends HandleFileSystem implements Surface {
  constructor(options: OPFSFileSystemOptions = {}) {
    checkNames(options, ['root'], 'OPFSFileSystem')
    const { root = 'mirage/files' } = options
    const folder = normalise(`/${root}`)
    // Missing in pages that aren't secure, and in old browsers, whatever the types say.
    const storage: Partial<StorageManager> | undefined = globalThis.navigator?.storage
    if (storage?.getDirectory === undefined || navigator.locks === undefined)
      throw unavailable(folder, 'this page has none (it must be secure, and the browser of 2023 or later)')
    super({
      open: () => openFolder(folder),
      name: `opfs:${folder === '/' ? '' : folder}`,
      isReadOnly: false,
      hasSyncFiles,
      longestName: 255,
      space: browserSpace,
    })
  }
}

async function openFolder(folder: string): Promise<DirectoryHandle> {
  let directory: DirectoryHandle
  try {
    directory = (await navigator.storage.getDirectory()) as DirectoryHandle
  } catch (error) {
    throw unavailable(folder, `the browser does not let this page have one, as in some private windows (${error})`, error)
  }
  for (const name of splitPath(folder)) directory = await directory.getDirectoryHandle(name, { create: true })
  return directory
}

function unavailable(folder: string, why: string, cause?: unknown): WorkspaceError {
  return new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    `cannot mount '${folder}' of the origin private file system: ${why}; use IndexedDBFileSystem`,
    { cause },
  )
}
