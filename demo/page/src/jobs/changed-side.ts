import type { FileSystem } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import { formatBytes } from '../format.ts'
import { imageTypeOf } from '../viewer/file-kind.ts'

/** What is at a path, on one side of a comparison. */
export type ChangedSide =
  | { readonly type: 'absent' }
  | { readonly type: 'text'; readonly text: string; readonly mode: number }
  | { readonly type: 'image'; readonly bytes: Uint8Array; readonly media: string; readonly mode: number }
  /** Not shown: too large, no text, or no file. */
  | { readonly type: 'other'; readonly what: string; readonly mode: number }

/** Bytes of a file that is compared by lines. */
const MOST = 1024 * 1024

export async function changedSide(fs: FileSystem, path: string): Promise<ChangedSide> {
  try {
    const { type, size, mode } = await fs.lstat(path)
    if (type === 'symlink') return { type: 'text', text: `${await fs.readlink(path)}\n`, mode }
    if (type !== 'file') return { type: 'other', what: type === 'directory' ? 'A folder' : 'A device', mode }
    if (size > MOST) return { type: 'other', what: `A file of ${formatBytes(size)}: too large to be compared by lines`, mode }
    const bytes = await fs.read(path)
    const media = imageTypeOf(path)
    if (media !== null && media !== 'image/svg+xml') return { type: 'image', bytes, media, mode }
    const text = textOf(bytes)
    return text === null ? { type: 'other', what: `A file of ${formatBytes(size)} that is no text`, mode } : { type: 'text', text, mode }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { type: 'absent' }
    throw error
  }
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
