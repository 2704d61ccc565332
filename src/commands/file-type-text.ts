import type { FileStat } from '../fs/file-system.ts'

/** The kind of a file in words: `regular empty file`, `directory`. */
export function fileTypeText({ type, size }: Pick<FileStat, 'type' | 'size'>): string {
  switch (type) {
    case 'file':
      return size === 0 ? 'regular empty file' : 'regular file'
    case 'directory':
      return 'directory'
    case 'symlink':
      return 'symbolic link'
    case 'character-device':
      return 'character special file'
    case 'fifo':
      return 'fifo'
    default:
      return type satisfies never
  }
}
