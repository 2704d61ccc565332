import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  statfsSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { concat } from '../../src/bytes.ts'
import { FileSystemError } from '../../src/errors.ts'
import {
  type CreateOptions,
  type Dirent,
  type FileAttributes,
  type FileStat,
  type FileSystem,
  type FileSystemCapabilities,
  type FileSystemSpace,
  LinkMet,
} from '../../src/fs/file-system.ts'
import { basename, dirname, isWithin, join, splitPath } from '../../src/fs/path.ts'
import { checkNames } from '../../src/option-checks.ts'
import { inDeno, maySymlink } from './deno.ts'
import { hostEntries, hostType } from './host-names.ts'
import { hostSeconds, toMicroseconds } from './host-times.ts'
import { type Directories, endTurn, hostPath, openDirectories, readLinkText } from './node-directories.ts'
import { fileError, hasHostCode } from './node-file-error.ts'

/** Where a {@link HostFileSystem} is. */
export interface HostFileSystemOptions {
  /** An existing folder of the host. */
  readonly root: string
}

/**
 * A folder of the host as a file system. No path leads out of it: the host follows no symbolic link, `..` is text for `followLinks`, and on Linux (in
 * Deno with `--allow-all`) not even another process that swaps directories for links meanwhile can change that. A link whose absolute target is in the folder is shown as
 * a relative one; other absolute targets are paths of the namespace. Devices, pipes and sockets are shown, but opening one fails with ENOTSUP or ENXIO.
 *
 * Calls are synchronous: a `stat` takes 3 µs so, and 50 µs by a promise. The constructor fails with ENOENT or ENOTDIR where there is no such folder.
 */
export class HostFileSystem implements FileSystem {
  readonly capabilities: FileSystemCapabilities = { ...CAPABILITIES, symlinks: maySymlink() }
  readonly #root: string
  readonly #givenRoot: string
  readonly #directories: Directories
  /** What the host takes from the mode of a new file. */
  readonly #umask: number = umask()

  constructor(options: HostFileSystemOptions) {
    checkNames(options, ['root'], 'HostFileSystem')
    const { root } = options
    try {
      this.#root = realpathSync(root)
      if (!lstatSync(this.#root).isDirectory()) throw new FileSystemError('ENOTDIR', root)
    } catch (error) {
      throw fileError(error, root)
    }
    this.#givenRoot = root
    this.#directories = openDirectories(this.#root, (way, path) => this.#targetOf(way, path))
  }

  /** The folder's own path on the host, free of links. */
  get root(): string {
    return this.#root
  }

  /** The folder as it was named. Links in it may name it so, too. */
  get givenRoot(): string {
    return this.#givenRoot
  }

  /** The host's own path of a path. Links on the way are not looked at. */
  placeOf(path: string): string {
    return this.#root === '/' ? path : this.#root + path
  }

  stat(path: string): FileStat {
    return this.#run(path, (place) => {
      const stat = lstatSync(hostPath(place))
      if (stat.isSymbolicLink()) throw new LinkMet(path, this.#targetOf(place, path))
      return statOf(stat)
    })
  }

  lstat(path: string): FileStat {
    return this.#run(path, (place) => statOf(lstatSync(hostPath(place))))
  }

  readdir(path: string): readonly Dirent[] {
    try {
      return hostEntries(this.#directories.at(path, path))
    } catch (error) {
      throw fileError(error, path)
    }
  }

  read(path: string, offset = 0, length: number = Number.MAX_SAFE_INTEGER): Uint8Array {
    if (offset < 0 || length < 0) throw new FileSystemError('EINVAL', path)
    return this.#run(path, (place) => {
      const file = this.#openFile(path, place, constants.O_RDONLY)
      try {
        return readRange(file.descriptor, file.size, offset, length)
      } finally {
        closeSync(file.descriptor)
      }
    })
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): void {
    this.#write(path, data, constants.O_TRUNC, options)
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): void {
    this.#write(path, data, constants.O_APPEND, options)
  }

  writeAt(path: string, offset: number, data: Uint8Array): void {
    if (offset < 0) throw new FileSystemError('EINVAL', path)
    this.#run(path, (place) => {
      const { descriptor } = this.#openFile(path, place, constants.O_WRONLY)
      try {
        writeAll(descriptor, data, offset)
      } finally {
        closeSync(descriptor)
      }
    })
  }

  truncate(path: string, size: number): void {
    if (size < 0) throw new FileSystemError('EINVAL', path)
    this.#run(path, (place) => {
      const { descriptor } = this.#openFile(path, place, constants.O_WRONLY)
      try {
        ftruncateSync(descriptor, size)
      } finally {
        closeSync(descriptor)
      }
    })
  }

  mkdir(path: string, mode = 0o777): void {
    this.#run(path, (place) => {
      mkdirSync(hostPath(place), mode)
      if (this.#isMasked(mode & ~0o1000)) this.#directories.hold(place, path, (held) => chmodSync(held, mode))
    })
  }

  rmdir(path: string): void {
    if (path === '/') throw new FileSystemError('EBUSY', path)
    this.#run(path, (place) => rmdirSync(hostPath(place)))
    endTurn()
  }

  unlink(path: string): void {
    if (path === '/') throw new FileSystemError('EISDIR', path)
    this.#run(path, (place) => {
      if (UNLINKS_DIRECTORIES && lstatSync(hostPath(place)).isDirectory()) throw new FileSystemError('EISDIR', path)
      unlinkSync(hostPath(place))
    })
  }

  rename(from: string, to: string): void {
    if (from === '/' || to === '/') throw new FileSystemError('EBUSY', from === '/' ? from : to)
    this.#runTwo(from, to, (origin, place) => renameSync(hostPath(origin), hostPath(place)))
    endTurn()
  }

  /** As `rename`, of what is at a place of the host. False, and nothing done, where that is on another disk. */
  moveIn(place: string, path: string): boolean {
    return this.#run(path, (to) => {
      try {
        renameSync(hostPath(place), hostPath(to))
        return true
      } catch (error) {
        if (hasHostCode(error, 'EXDEV')) return false
        throw error
      }
    })
  }

  link(existing: string, path: string): void {
    // Its absence comes before whatever is wrong with the other path.
    this.lstat(existing)
    this.#runTwo(existing, path, (origin, place) => linkSync(hostPath(origin), hostPath(place)))
  }

  symlink(target: string, path: string): void {
    if (!this.capabilities.symlinks) throw new FileSystemError('ENOTSUP', path)
    this.#run(path, (place) => symlinkSync(hostPath(target), hostPath(place)))
  }

  /** The text of a link, an absolute target that is in the folder as one that is relative. */
  readlink(path: string): string {
    return this.#run(path, (place) => this.#targetOf(place, path))
  }

  setattr(path: string, { mode, mtimeMs, atimeMs, uid, gid }: FileAttributes): void {
    this.#run(path, (place) => {
      this.#directories.hold(place, path, (held, stat) => {
        if (uid !== undefined || gid !== undefined) chownSync(held, uid ?? stat.uid, gid ?? stat.gid)
        // After the owner: changing that takes set-user-ID bits away.
        if (mode !== undefined) chmodSync(held, mode & 0o7777)
        if (mtimeMs !== undefined || atimeMs !== undefined)
          utimesSync(held, hostSeconds(atimeMs ?? stat.atimeMs), hostSeconds(mtimeMs ?? stat.mtimeMs))
      })
    })
  }

  copyTree(from: string, _to: string): void {
    throw new FileSystemError('ENOTSUP', from)
  }

  removeTree(path: string): void {
    throw new FileSystemError('ENOTSUP', path)
  }

  space(path: string): FileSystemSpace {
    return this.#run(path, () => {
      const { bsize, blocks, bavail } = statfsSync(this.#root)
      return { total: bsize * blocks, free: bsize * bavail }
    })
  }

  /** The host writes in its own time. */
  sync(): void {}

  close(): void {
    this.#directories.close()
  }

  #write(path: string, data: Uint8Array, how: number, options: CreateOptions | undefined): void {
    this.#run(path, (place) => {
      const descriptor = this.#openToWrite(path, place, how, options)
      try {
        writeAll(descriptor, data, null)
      } finally {
        closeSync(descriptor)
      }
    })
  }

  #openToWrite(path: string, place: string, how: number, options: CreateOptions | undefined): number {
    const mode = options?.mode ?? 0o666
    const flags = constants.O_WRONLY | how
    if (options?.exclusive) return this.#createFile(path, place, flags | constants.O_EXCL, mode)
    if (!this.#isMasked(mode)) return this.#openFile(path, place, flags | constants.O_CREAT, mode).descriptor
    // The mode must be set by hand, but only for a file that is new.
    for (;;) {
      try {
        return this.#openFile(path, place, flags).descriptor
      } catch (error) {
        if (!hasHostCode(error, 'ENOENT')) throw error
      }
      try {
        return this.#createFile(path, place, flags | constants.O_EXCL, mode)
      } catch (error) {
        if (!hasHostCode(error, 'EEXIST')) throw error
      }
    }
  }

  #createFile(path: string, place: string, flags: number, mode: number): number {
    const { descriptor } = this.#openFile(path, place, flags | constants.O_CREAT, mode)
    if (this.#isMasked(mode)) this.#directories.hold(place, path, (held) => chmodSync(held, mode))
    return descriptor
  }

  /** Opens a regular file; never a link, and nothing that could block. */
  #openFile(path: string, place: string, flags: number, mode?: number): { descriptor: number; size: number } {
    if (OPEN_FOLLOWS) this.#refuseLink(path, place, flags)
    let descriptor: number
    try {
      descriptor = openSync(hostPath(place), flags | NEVER_OUT, mode)
    } catch (error) {
      if (hasHostCode(error, 'ELOOP')) throw new LinkMet(path, this.#targetOf(place, path))
      throw error
    }
    const stat = fstatSync(descriptor)
    if (stat.isFile()) return { descriptor, size: stat.size }
    closeSync(descriptor)
    throw new FileSystemError(stat.isDirectory() ? 'EISDIR' : 'ENOTSUP', path)
  }

  #refuseLink(path: string, place: string, flags: number): void {
    if (lstatSync(hostPath(place), { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
    if ((flags & constants.O_EXCL) !== 0) throw new FileSystemError('EEXIST', path)
    throw new LinkMet(path, this.#targetOf(place, path))
  }

  /** Runs a call on the host's path for `path`. */
  #run<T>(path: string, call: (place: string) => T): T {
    try {
      return call(this.#place(path))
    } catch (error) {
      throw fileError(error, path)
    }
  }

  #runTwo(from: string, to: string, call: (origin: string, place: string) => void): void {
    try {
      call(this.#place(from), this.#place(to))
    } catch (error) {
      const isOfFirst = hasHostCode(error, 'ENOENT') || hasHostCode(error, 'EPERM')
      throw fileError(error, isOfFirst ? from : to)
    }
  }

  #place(path: string): string {
    if (path === '/') return `${this.#directories.at(path, path)}/.`
    return join(this.#directories.at(dirname(path), path), basename(path))
  }

  #targetOf(way: string, path: string): string {
    const target = readLinkText(way)
    const root = [this.#root, this.#givenRoot].find((one) => isWithin(target, one))
    if (root === undefined || root === '/') return target
    const up = '../'.repeat(splitPath(path).length - 1)
    return up + target.slice(root.length + 1) || '.'
  }

  #isMasked(mode: number): boolean {
    return (mode & (this.#umask | 0o7000)) !== 0
  }
}

const CAPABILITIES: FileSystemCapabilities = {
  symlinks: true,
  hardLinks: true,
  attributes: true,
  partialWrites: true,
  trees: false,
  treeRemoval: false,
  readOnly: false,
}

/** Deno's unlink removes empty directories, too. */
const UNLINKS_DIRECTORIES = inDeno
/** A link isn't followed, and a pipe or device not waited for. */
const NEVER_OUT = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** Deno finds out where a path leads before it opens it, unless it has all permissions: O_NOFOLLOW then comes too late. Others may not have it. */
const OPEN_FOLLOWS = inDeno || constants.O_NOFOLLOW === undefined
const ZEROED = 4096
/** What one call of the host reads or writes at most. */
const LARGEST_CALL = 2 ** 30
const UNSIZED_READ = 64 * 1024

/** Everything where the process may not ask (Deno without `--allow-sys`): modes are then set after a file is made. */
function umask(): number {
  try {
    return process.umask()
  } catch {
    return 0o777
  }
}

function statOf(stat: Stats): FileStat {
  return {
    type: hostType(stat),
    size: stat.size,
    mode: stat.mode & 0o7777,
    mtimeMs: toMicroseconds(stat.mtimeMs),
    atimeMs: toMicroseconds(stat.atimeMs),
    ctimeMs: toMicroseconds(stat.ctimeMs),
    birthtimeMs: toMicroseconds(stat.birthtimeMs),
    dev: stat.dev,
    ino: stat.ino,
    nlink: stat.nlink,
    uid: stat.uid,
    gid: stat.gid,
  }
}

function readRange(descriptor: number, size: number, offset: number, length: number): Uint8Array {
  // Files that the kernel makes up say that they are empty.
  if (size === 0) return readUnsized(descriptor, offset, length)
  const wanted = Math.min(length, size - offset)
  if (wanted <= 0) return new Uint8Array(0)
  const bytes = newBytes(wanted)
  let filled = 0
  while (filled < wanted) {
    const read = readSync(descriptor, bytes, filled, Math.min(wanted - filled, LARGEST_CALL), offset + filled)
    if (read === 0) return bytes.slice(0, filled)
    filled += read
  }
  return bytes
}

function readUnsized(descriptor: number, offset: number, length: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let filled = 0
  while (filled < length) {
    const chunk = new Uint8Array(Math.min(UNSIZED_READ, length - filled))
    const read = readSync(descriptor, chunk, 0, chunk.length, offset + filled)
    if (read === 0) break
    chunks.push(chunk.subarray(0, read))
    filled += read
  }
  return concat(chunks)
}

/** Bytes that are all going to be written. */
function newBytes(length: number): Uint8Array {
  if (length <= ZEROED) return new Uint8Array(length)
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
}

function writeAll(descriptor: number, data: Uint8Array, position: number | null): void {
  let written = 0
  while (written < data.length) {
    const at = position === null ? null : position + written
    written += writeSync(descriptor, data, written, Math.min(data.length - written, LARGEST_CALL), at)
  }
}
