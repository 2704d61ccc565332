import { FileSystemError, WorkspaceError } from '../../src/errors.ts'
import { checkNames } from '../../src/option-checks.ts'
import type {
  FolderFileSystemOptions,
  FolderHandle,
  FolderMode,
  FolderPermission,
  FolderPickOptions,
  FolderFileSystem as Surface,
} from '../../src/without-browser.ts'
import type { DirectoryHandle } from './file-handles.ts'
import { HandleFileSystem } from './handle-file-system.ts'

/** A folder of the user: see the stand-in in `src`, which is what the package's types come from. */
export class FolderFileSystem extends HandleFileSystem implements Surface {
  readonly handle: FolderHandle
  readonly mode: FolderMode

  static async pick({ mode = 'readwrite', id, startIn }: FolderPickOptions = {}): Promise<FolderFileSystem> {
    const scope = globalThis as Partial<Picking>
    if (scope.showDirectoryPicker === undefined)
      throw new WorkspaceError(
        'CAPABILITY_UNSUPPORTED',
        'cannot ask for a folder: this browser has no folder picker here (Chromium has one, in secure pages); use OPFSFileSystem or IndexedDBFileSystem',
      )
    return new FolderFileSystem({ handle: await scope.showDirectoryPicker({ mode, id, startIn }), mode })
  }

  constructor(options: FolderFileSystemOptions) {
    checkNames(options, ['handle', 'mode'], 'FolderFileSystem')
    const { handle, mode = 'readwrite' } = options
    super({
      open: () => Promise.resolve(handle as DirectoryHandle),
      name: `folder:${handle.name}:`,
      isReadOnly: mode === 'read',
      // Browsers give it for files of their own only.
      hasSyncFiles: () => Promise.resolve(false),
      // Chromium writes to a file beside, whose name has seven more.
      longestName: 248,
      space: unknownSpace,
    })
    this.handle = handle
    this.mode = mode
  }

  /** A handle without permissions to ask for is one that has them: the browser's own folders, and browsers without pickers. */
  async permission(): Promise<FolderPermission> {
    const handle = this.handle as Partial<Asking>
    return (await handle.queryPermission?.({ mode: this.mode })) ?? 'granted'
  }

  async requestPermission(): Promise<void> {
    const handle = this.handle as Partial<Asking>
    const answer = (await handle.requestPermission?.({ mode: this.mode })) ?? 'granted'
    if (answer !== 'granted') throw new FileSystemError('EACCES', '/')
  }
}

/** What the types of the DOM leave out. */
interface Picking {
  showDirectoryPicker(options: FolderPickOptions): Promise<FolderHandle>
}

interface Asking {
  queryPermission(options: { readonly mode: FolderMode }): Promise<FolderPermission>
  requestPermission(options: { readonly mode: FolderMode }): Promise<FolderPermission>
}

/** Browsers don't tell how much room a disk of the user has. */
async function unknownSpace(): Promise<{ total: number; free: number }> {
  return { total: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER }
}
