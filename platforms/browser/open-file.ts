import { FileSystemError } from '../../src/errors.ts'
import type { MaybePromise } from '../../src/host.ts'
import type { SyncFile } from './file-handles.ts'

/** A change of a part of a file. */
export type FileEdit =
  | { readonly kind: 'write'; readonly at: number | 'end'; readonly data: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number }

/** A file that is open for changes. */
export interface OpenFile {
  /** Bytes that it has after all changes so far. */
  size(): number
  edit(edit: FileEdit): MaybePromise<void>
  /** Null where it must be closed to be read. */
  read(offset: number, length: number): Uint8Array | null
  /** All changes are in the file when it is closed. */
  close(): MaybePromise<void>
  /** Drops all changes, where they aren't in the file already: null. */
  readonly abort: (() => Promise<void>) | null
}

/** Changed in place, at once. */
export function openInPlace(path: string, file: SyncFile): OpenFile {
  return {
    size: () => file.getSize(),
    edit: (edit) => {
      if (edit.kind === 'truncate') file.truncate(edit.size)
      else writeAll(path, file, edit.data, edit.at === 'end' ? file.getSize() : edit.at)
    },
    read: (offset, length) => {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, file.getSize() - offset)))
      return bytes.subarray(0, file.read(bytes, { at: offset }))
    },
    close: () => file.close(),
    abort: null,
  }
}

/** A copy of the file, of that size now, that takes its place when it is closed. */
export function openCopy(stream: FileSystemWritableFileStream, initialSize: number): OpenFile {
  let size = initialSize
  return {
    size: () => size,
    edit: (edit) => {
      if (edit.kind === 'truncate') {
        size = edit.size
        return stream.truncate(size)
      }
      const position = edit.at === 'end' ? size : edit.at
      size = Math.max(size, position + edit.data.length)
      // The types forbid shared memory here.
      return stream.write({ type: 'write', position, data: edit.data as Uint8Array<ArrayBuffer> })
    },
    read: () => null,
    close: () => stream.close(),
    abort: () => stream.abort(),
  }
}

/** Writes all of it, however little the browser takes at a time. */
export function writeAll(path: string, file: SyncFile, data: Uint8Array, at: number): void {
  for (let done = 0; done < data.length; ) {
    const written = file.write(done === 0 ? data : data.subarray(done), { at: at + done })
    if (written === 0) throw new FileSystemError('ENOSPC', path)
    done += written
  }
}
