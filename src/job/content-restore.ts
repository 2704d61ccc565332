import { FileSystemError } from '../errors.ts'
import type { FileStat, FileSystem } from '../fs/file-system.ts'
import { type Steps, wait } from '../fs/maybe.ts'
import type { RAMFileSystem } from '../fs/memory.ts'
import { join } from '../fs/path.ts'

/** Makes a file system hold exactly what another one holds. What is the same stays untouched. ENOTSUP, and nothing is done, for links that it can't have. */
export function* restoreContent(from: RAMFileSystem, to: FileSystem): Steps<void> {
  demandLinks(from, to, '/')
  const pass: Pass = { from, to, made: new Map() }
  yield* restoreDirectory(pass, '/')
}

interface Pass {
  readonly from: RAMFileSystem
  readonly to: FileSystem
  /** Where a file that has several names was made, by its number. */
  readonly made: Map<number, { readonly path: string; readonly ino: number }>
}

function demandLinks(from: RAMFileSystem, to: FileSystem, directory: string): void {
  const { symlinks, hardLinks } = to.capabilities
  if (symlinks && hardLinks) return
  for (const { name, type } of from.readdir(directory)) {
    const path = join(directory, name)
    if (type === 'directory') demandLinks(from, to, path)
    else if ((type === 'symlink' && !symlinks) || (!hardLinks && from.lstat(path).nlink > 1)) throw new FileSystemError('ENOTSUP', path)
  }
}

function* restoreDirectory(pass: Pass, path: string): Steps<void> {
  const { from, to } = pass
  const wanted = new Map(from.readdir(path).map(({ name, type }) => [name, type]))
  for (const { name, type } of yield* wait(to.readdir(path))) {
    const at = join(path, name)
    const kept = wanted.get(name)
    // A file of several names is made anew where its names don't go together.
    if (kept !== type) yield* removeAll(to, at)
  }
  for (const [name, type] of wanted) {
    const at = join(path, name)
    if (type === 'directory') {
      if ((yield* lstatIfAny(to, at)) === undefined) yield* wait(to.mkdir(at, 0o700))
      yield* restoreDirectory(pass, at)
    } else yield* restoreLeaf(pass, at)
  }
  yield* restoreAttributes(pass, path)
}

function* restoreLeaf(pass: Pass, path: string): Steps<void> {
  const { from, to, made } = pass
  const wanted = from.lstat(path)
  const found = yield* lstatIfAny(to, path)
  const twin = wanted.nlink > 1 ? made.get(wanted.ino) : undefined
  if (twin !== undefined) {
    if (found?.ino === twin.ino) return
    if (found !== undefined) yield* wait(to.unlink(path))
    yield* wait(to.link(twin.path, path))
    return
  }
  if (wanted.type === 'symlink') {
    if (found !== undefined && (yield* wait(to.readlink(path))) === from.readlink(path)) return
    if (found !== undefined) yield* wait(to.unlink(path))
    yield* wait(to.symlink(from.readlink(path), path))
  } else {
    // Other names of it may be something else afterwards.
    const isOwn = found !== undefined && found.nlink === 1
    if (found !== undefined && !isOwn) yield* wait(to.unlink(path))
    if (!isOwn || !(yield* isSame(pass, path, wanted, found))) yield* writeFile(pass, path, wanted)
    yield* restoreAttributes(pass, path)
  }
  if (wanted.nlink > 1) made.set(wanted.ino, { path, ino: (yield* wait(to.lstat(path))).ino })
}

function* isSame({ from, to }: Pass, path: string, wanted: FileStat, found: FileStat): Steps<boolean> {
  if (wanted.size !== found.size) return false
  for (let at = 0; at < wanted.size; at += PIECE) {
    const bytes = yield* wait(to.read(path, at, PIECE))
    const other = from.read(path, at, PIECE)
    if (bytes.length !== other.length || !bytes.every((byte, index) => byte === other[index])) return false
  }
  return true
}

function* writeFile({ from, to }: Pass, path: string, { size, mode }: FileStat): Steps<void> {
  yield* wait(to.write(path, from.read(path, 0, PIECE), { mode }))
  for (let at = PIECE; at < size; at += PIECE) yield* wait(to.append(path, from.read(path, at, PIECE)))
}

function* restoreAttributes({ from, to }: Pass, path: string): Steps<void> {
  if (!to.capabilities.attributes) return
  const wanted = from.lstat(path)
  const found = yield* wait(to.lstat(path))
  const { mode, mtimeMs } = wanted
  if (found.mode === mode && found.mtimeMs === mtimeMs) return
  yield* wait(to.setattr(path, { mode, mtimeMs }))
}

function* removeAll(fs: FileSystem, path: string): Steps<void> {
  const stat = yield* wait(fs.lstat(path))
  if (stat.type !== 'directory') {
    yield* wait(fs.unlink(path))
    return
  }
  if (fs.capabilities.treeRemoval) {
    yield* wait(fs.removeTree(path))
    return
  }
  for (const { name } of yield* wait(fs.readdir(path))) yield* removeAll(fs, join(path, name))
  yield* wait(fs.rmdir(path))
}

function* lstatIfAny(fs: FileSystem, path: string): Steps<FileStat | undefined> {
  try {
    return yield* wait(fs.lstat(path))
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'ENOENT') return undefined
    throw error
  }
}

const PIECE = 1024 * 1024
