import { nameOf } from '../format.ts'

/** What a file is shown as. */
export type FileKind = 'text' | 'image' | 'binary'

const IMAGES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['ico', 'image/x-icon'],
  ['svg', 'image/svg+xml'],
])

/** The media type of an image, by its name; null for anything else. */
export function imageTypeOf(path: string): string | null {
  const extension = /\.([^./]+)$/.exec(nameOf(path).toLowerCase())?.[1]
  return extension === undefined ? null : (IMAGES.get(extension) ?? null)
}

/** By the name, and where its first bytes are given, by them. */
export function fileKindOf(path: string, head?: Uint8Array): FileKind {
  if (imageTypeOf(path) !== null) return 'image'
  if (head === undefined) return 'text'
  if (head.includes(0)) return 'binary'
  try {
    // Bytes that end within a character are not a fault.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'text'
  } catch {
    return 'binary'
  }
}
