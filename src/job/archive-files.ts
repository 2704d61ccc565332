import { FileSystemError, WorkspaceError } from '../errors.ts'
import { type FileSystem, LinkMet } from '../fs/file-system.ts'
import { drive, type Steps, wait } from '../fs/maybe.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import { join } from '../fs/path.ts'
import type { MaybePromise } from '../host.ts'
import type { ArchiveEntry } from './archive-tar.ts'

/** What a file system holds, its root first, under the name `folder`. In memory, what it holds at the moment of the call. ENOTSUP for devices and pipes. */
export function filesToEntries(fs: FileSystem, folder: string): MaybePromise<readonly ArchiveEntry[]> {
  const walk: Walk = { fs: fs instanceof RAMFileSystem ? fs.fork() : fs, folder, entries: [], names: new Map() }
  return drive(entriesBelow(walk, '/'))
}

/** The file system whose files the entries under the name `folder` are. CORRUPT where they can't be. */
export function entriesToFiles(entries: readonly ArchiveEntry[], folder: string): RAMFileSystem {
  // What is made has the time of its entry; the time of a directory, which its names change, comes last.
  let now = 0
  const fs = new RAMFileSystem({ host: { now: () => now } })
  const directories: (readonly [path: string, entry: ArchiveEntry])[] = []
  for (const entry of entries) {
    const path = pathIn(entry.name, folder)
    now = entry.mtimeMs
    try {
      if (entry.type === 'directory') {
        directories.push([path, entry])
        if (path !== '/') fs.mkdir(path, entry.mode)
      } else if (entry.type === 'file') fs.write(path, entry.bytes, { mode: entry.mode, exclusive: true })
      else if (entry.type === 'symlink') fs.symlink(entry.target, path)
      else fs.link(pathIn(entry.target, folder), path)
    } catch (cause) {
      if (!(cause instanceof FileSystemError || cause instanceof LinkMet)) throw cause
      throw new WorkspaceError('CORRUPT', `"${entry.name}" of the archive can't be: ${cause.message}`, { cause })
    }
  }
  if (directories[0]?.[0] !== '/') throw new WorkspaceError('CORRUPT', `the archive has no directory "${folder}", or not before its names`)
  for (const [path, { mode, mtimeMs }] of directories) fs.setattr(path, { mode, mtimeMs })
  return fs
}

interface Walk {
  readonly fs: FileSystem
  readonly folder: string
  readonly entries: ArchiveEntry[]
  /** The first name of a file that has several, by its number. */
  readonly names: Map<string, string>
}

function* entriesBelow(walk: Walk, path: string): Steps<readonly ArchiveEntry[]> {
  const { fs, entries } = walk
  entries.push({ ...(yield* entryAt(walk, path)), type: 'directory' })
  const names = [...(yield* wait(fs.readdir(path)))].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, type } of names) {
    const at = join(path, name)
    if (type === 'directory') yield* entriesBelow(walk, at)
    else entries.push(yield* leafAt(walk, at))
  }
  return entries
}

function* leafAt(walk: Walk, path: string): Steps<ArchiveEntry> {
  const { fs, names } = walk
  const { type, nlink, dev, ino } = yield* wait(fs.lstat(path))
  const entry = yield* entryAt(walk, path)
  const inode = `${dev}:${ino}`
  const known = nlink > 1 ? names.get(inode) : undefined
  if (known !== undefined) return { ...entry, type: 'link', target: known }
  if (nlink > 1) names.set(inode, entry.name)
  if (type === 'symlink') return { ...entry, type, target: yield* wait(fs.readlink(path)) }
  if (type === 'file') return { ...entry, bytes: yield* wait(fs.read(path)) }
  throw new FileSystemError('ENOTSUP', path, { reason: `A ${type} can't be archived` })
}

function* entryAt({ fs, folder }: Walk, path: string): Steps<ArchiveEntry> {
  const { mode, mtimeMs } = yield* wait(fs.lstat(path))
  return { name: path === '/' ? folder : folder + path, type: 'file', mode, mtimeMs, target: '', bytes: NOTHING }
}

const NOTHING: Uint8Array = new Uint8Array(0)

/** Path of a name under `folder`. CORRUPT for one that leads elsewhere. */
function pathIn(name: string, folder: string): string {
  if (name === folder) return '/'
  const names = name.slice(folder.length + 1).split('/')
  if (!name.startsWith(`${folder}/`) || names.some((one) => one === '' || one === '.' || one === '..' || one.includes('\0')))
    throw new WorkspaceError('CORRUPT', `the archive has the name ${JSON.stringify(name)}, which leads out of "${folder}"`)
  return `/${names.join('/')}`
}
