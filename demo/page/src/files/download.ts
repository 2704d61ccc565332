import type { FileSystem } from 'mirage-runtime'
import { element } from '../element.ts'
import { nameOf } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { tarOf } from './tar.ts'

/** Bytes that are read at once. */
const PORTION = 4 * 1024 * 1024

/** Hands a file to the browser's downloads; a folder as a .tar of all below it. */
export async function download(fs: FileSystem, path: string): Promise<void> {
  const name = path === '/' ? 'workspace' : nameOf(path)
  try {
    const { type } = await fs.stat(path)
    if (type === 'directory') save(`${name}.tar`, await tarOf(fs, path, name))
    else save(name, await partsOf(fs, path))
  } catch (error) {
    notifyFailure(`Could not download ${name}`, error)
  }
}

async function partsOf(fs: FileSystem, path: string): Promise<readonly BlobPart[]> {
  const parts: BlobPart[] = []
  for (let at = 0; ; ) {
    const bytes = await fs.read(path, at, PORTION)
    if (bytes.length === 0) return parts
    parts.push(new Uint8Array(bytes))
    at += bytes.length
  }
}

function save(name: string, parts: readonly BlobPart[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type: 'application/octet-stream' }))
  const link = element('a', { attributes: { href: url, download: name } })
  link.click()
  // The download has the data by then; Firefox reads the address only after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
