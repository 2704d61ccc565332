import { lstatSync, readdirSync } from 'node:fs'
import { decode } from '../../src/bytes.ts'
import type { Dirent, FileType } from '../../src/fs/file-system.ts'
import { join } from '../../src/fs/path.ts'
import { hostPath } from './node-directories.ts'

/** What the directory at a host path holds. Names that are no valid text are told from each other, too. */
export function hostEntries(way: string): Dirent[] {
  const found = readdirSync(hostPath(way), { withFileTypes: true })
  if (!found.some((entry) => entry.name.includes('\ufffd'))) return found.map((entry) => ({ name: entry.name, type: hostType(entry) }))
  // Not every runtime gives types along with names as bytes.
  return readdirSync(hostPath(way), { encoding: 'buffer' }).map((bytes) => {
    const name = decode(bytes)
    return { name, type: hostType(lstatSync(hostPath(join(way, name)))) }
  })
}

/** What the host calls something. Sockets count as pipes. */
export function hostType(entry: Typed): FileType {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'symlink'
  return entry.isFIFO() || entry.isSocket() ? 'fifo' : 'character-device'
}

interface Typed {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}
