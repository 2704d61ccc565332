import type { FileSystem } from 'mirage-runtime'
import type { ValueStore } from '../value-store.ts'

/** How a file is shown in the editor's panel. */
export interface FileView {
  readonly element: HTMLElement
  /** There are changes that are not saved. */
  readonly dirty: ValueStore<boolean>
  focus(): void
  /** Saves what was changed; false where that failed or a person has to decide first. */
  save(): Promise<boolean>
  /** Something in the workspace changed: shows the file as it is now; false where another view fits it now. Fails with ENOENT where it is gone. */
  refresh(): Promise<boolean>
  /** Lets go of what is held. */
  close(): void
}

/** What a view is made with. */
export interface FileViewOptions {
  readonly fs: FileSystem
  readonly path: string
  /** Tells everybody that the file was written. */
  readonly written: () => void
}
