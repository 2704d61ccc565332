import { FileSystemError, hasCode, type PosixCode, WorkspaceError } from '../errors.ts'
import { isPromise, type MaybePromise } from '../host.ts'
import {
  type CreateOptions,
  type Dirent,
  type FileAttributes,
  type FileStat,
  type FileSystem,
  type FileSystemCapabilities,
  type FileSystemSpace,
  LinkMet,
} from './file-system.ts'
import { chain, rescue } from './maybe.ts'
import { RAMFileSystem } from './memory.ts'
import { basename, dirname, isNormal, isWithin } from './path.ts'
import { readOnly } from './read-only.ts'

/** What a mount, or a session's view of it, allows. Each includes the one before; `exec` adds running programs from it. */
export type MountMode = 'read' | 'write' | 'exec'

/** What is mounted, and what is allowed there. */
export interface Mount {
  readonly fs: FileSystem
  readonly mode: MountMode
}

/** A mount and where it is. */
export interface MountPoint extends Mount {
  /** Absolute normalised path. */
  readonly prefix: string
}

/**
 * One namespace made of file systems: each path belongs to the mount with the longest prefix. A mount point and the directories above it
 * exist whether or not the file system above has them. Links' absolute targets are paths of the namespace. Changes on a `read` mount fail
 * with EROFS, a rename or hard link from one mount to another with EXDEV, removing or moving a mount point with EBUSY.
 */
export class MountTable implements FileSystem {
  /** Longest prefix first, the root last. */
  #points: Point[] = []
  /** Names that mounts give to directories, by path; mount points and every directory above one are among the keys. */
  #occupied = new Map<string, Set<string>>()
  #nextDev = 2

  /** An empty RAM file system is the root where `mounts` has none. CONFIG_INVALID for a prefix that is no normalised absolute path. */
  constructor(mounts: Iterable<readonly [prefix: string, mount: Mount]> = []) {
    const all = new Map(mounts)
    const root = all.get('/') ?? { fs: new RAMFileSystem(), mode: 'write' }
    all.delete('/')
    this.#points = [pointOf('/', root, 1)]
    for (const [prefix, mount] of all) this.add(prefix, mount)
  }

  /** EBUSY where something is mounted at `prefix` already. */
  add(prefix: string, mount: Mount): void {
    if (!isNormal(prefix))
      throw new WorkspaceError('CONFIG_INVALID', `mount '${prefix}': the prefix is no absolute path without '.', '..' and spare slashes`)
    if (this.#points.some((point) => point.prefix === prefix)) throw new FileSystemError('EBUSY', prefix)
    this.#arrange([...this.#points, pointOf(prefix, mount, this.#nextDev++)])
  }

  /** Takes a mount away, open or not, and gives what was mounted, which stays open. EINVAL where nothing is, EBUSY for the root. */
  remove(prefix: string): FileSystem {
    if (prefix === '/') throw new FileSystemError('EBUSY', prefix)
    const point = this.#pointAt(prefix)
    this.#arrange(this.#points.filter((other) => other !== point))
    return point.mounted
  }

  /** EINVAL where nothing is mounted at `prefix`. */
  setMode(prefix: string, mode: MountMode): void {
    const old = this.#pointAt(prefix)
    this.#points = this.#points.map((point) => (point === old ? pointOf(prefix, { fs: old.mounted, mode }, old.dev) : point))
  }

  /** Every mount, by prefix. */
  mounts(): MountPoint[] {
    const points = this.#points.map(({ prefix, mounted, mode }) => ({ prefix, fs: mounted, mode }))
    return points.sort((a, b) => (a.prefix < b.prefix ? -1 : 1))
  }

  /** The mount that a normalised path belongs to. */
  locate(path: string): MountPoint {
    const { prefix, mounted, mode } = this.#locate(path)
    return { prefix, fs: mounted, mode }
  }

  /** Prefix of the mount that a normalised path belongs to. */
  prefixOf(path: string): string {
    return this.#locate(path).prefix
  }

  get capabilities(): FileSystemCapabilities {
    const all = this.#points.map((point) => point.fs.capabilities)
    return {
      symlinks: all.some((one) => one.symlinks),
      hardLinks: all.some((one) => one.hardLinks),
      attributes: all.some((one) => one.attributes),
      partialWrites: all.every((one) => one.partialWrites),
      trees: all.some((one) => one.trees),
      treeRemoval: all.some((one) => one.treeRemoval),
      readOnly: all.every((one) => one.readOnly),
    }
  }

  stat(path: string): MaybePromise<FileStat> {
    const point = this.#locate(path)
    if (this.#isAbove(path, point)) return this.#statAbove(path, point)
    try {
      const stat = point.fs.stat(within(point, path))
      if (!isPromise(stat)) return withDev(stat, point.dev)
      return stat.then(
        (value) => withDev(value, point.dev),
        (error: unknown) => {
          throw outward(error, point)
        },
      )
    } catch (error) {
      throw outward(error, point)
    }
  }

  lstat(path: string): MaybePromise<FileStat> {
    const point = this.#locate(path)
    if (this.#isAbove(path, point)) return this.#statAbove(path, point)
    return this.#run(point, () => chain(point.fs.lstat(within(point, path)), (stat) => withDev(stat, point.dev)))
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    const point = this.#locate(path)
    const list = () => this.#run(point, () => point.fs.readdir(within(point, path)))
    const names = this.#occupied.get(path)
    if (names === undefined) return list()
    const listed = rescue<readonly Dirent[]>(list, (error) => {
      if (point.prefix !== path && isAbsence(error)) return []
      throw error
    })
    return chain(listed, (entries) => withNames(entries, names))
  }

  read(path: string, offset?: number, length?: number): MaybePromise<Uint8Array> {
    const point = this.#locate(path)
    if (this.#isOccupied(path)) throw new FileSystemError('EISDIR', path)
    try {
      const bytes = point.fs.read(within(point, path), offset, length)
      return isPromise(bytes)
        ? bytes.catch((error: unknown) => {
            throw outward(error, point)
          })
        : bytes
    } catch (error) {
      throw outward(error, point)
    }
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#create(path, options?.exclusive ? 'EEXIST' : 'EISDIR', (fs, inner) => fs.write(inner, data, options))
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#create(path, options?.exclusive ? 'EEXIST' : 'EISDIR', (fs, inner) => fs.append(inner, data, options))
  }

  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void> {
    return this.#change(path, 'EISDIR', (fs, inner) => fs.writeAt(inner, offset, data))
  }

  truncate(path: string, size: number): MaybePromise<void> {
    return this.#change(path, 'EISDIR', (fs, inner) => fs.truncate(inner, size))
  }

  mkdir(path: string, mode?: number): MaybePromise<void> {
    return this.#create(path, 'EEXIST', (fs, inner) => fs.mkdir(inner, mode))
  }

  rmdir(path: string): MaybePromise<void> {
    const isPoint = this.#locate(path).prefix === path
    return this.#change(path, isPoint ? 'EBUSY' : 'ENOTEMPTY', (fs, inner) => fs.rmdir(inner))
  }

  unlink(path: string): MaybePromise<void> {
    return this.#change(path, 'EISDIR', (fs, inner) => fs.unlink(inner))
  }

  rename(from: string, to: string): MaybePromise<void> {
    const point = this.#locate(from)
    const other = this.#locate(to)
    if (this.#isOccupied(from)) throw new FileSystemError('EBUSY', from)
    if (this.#isOccupied(to)) throw new FileSystemError('EBUSY', to)
    if (point !== other) return this.#refuseAcross(from, to)
    return this.#create(to, 'EBUSY', (fs, inner) => fs.rename(within(point, from), inner))
  }

  link(existing: string, path: string): MaybePromise<void> {
    const point = this.#locate(existing)
    if (this.#isOccupied(path)) throw new FileSystemError('EEXIST', path)
    if (this.#isOccupied(existing)) throw new FileSystemError('EPERM', existing)
    if (point !== this.#locate(path)) return this.#refuseAcross(existing, path)
    return this.#create(path, 'EEXIST', (fs, inner) => fs.link(within(point, existing), inner))
  }

  symlink(target: string, path: string): MaybePromise<void> {
    return this.#create(path, 'EEXIST', (fs, inner) => fs.symlink(target, inner))
  }

  readlink(path: string): MaybePromise<string> {
    const point = this.#locate(path)
    if (this.#isOccupied(path)) throw new FileSystemError('EINVAL', path)
    return this.#run(point, () => point.fs.readlink(within(point, path)))
  }

  setattr(path: string, attributes: FileAttributes): MaybePromise<void> {
    const point = this.#locate(path)
    return this.#run(point, () => point.fs.setattr(within(point, path), attributes))
  }

  copyTree(from: string, to: string): MaybePromise<void> {
    const point = this.#locate(from)
    if (this.#isOccupied(to)) throw new FileSystemError('EEXIST', to)
    if (this.#isOccupied(from) || point !== this.#locate(to)) throw new FileSystemError('ENOTSUP', from)
    return this.#create(to, 'EEXIST', (fs, inner) => fs.copyTree(within(point, from), inner))
  }

  removeTree(path: string): MaybePromise<void> {
    return this.#change(path, 'ENOTSUP', (fs, inner) => fs.removeTree(inner))
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    const point = this.#locate(path)
    const inner = this.#isAbove(path, point) ? '/' : within(point, path)
    return this.#run(point, () => point.fs.space(inner))
  }

  gather(path: string): MaybePromise<(() => void) | undefined> {
    const point = this.#locate(path)
    return this.#isOccupied(path) ? undefined : this.#run(point, () => point.fs.gather?.(within(point, path)))
  }

  sync(): MaybePromise<void> {
    const waiting: Promise<void>[] = []
    for (const point of this.#points) {
      const synced = this.#run(point, () => point.mounted.sync())
      if (isPromise(synced)) waiting.push(synced)
    }
    if (waiting.length > 0) return Promise.all(waiting).then(() => undefined)
  }

  /** Closes every mount, each file system once. */
  async close(): Promise<void> {
    const mounted = new Set(this.#points.map((point) => point.mounted))
    for (const fs of mounted) await fs.close()
  }

  #arrange(points: Point[]): void {
    this.#points = points.sort((a, b) => b.prefix.length - a.prefix.length)
    this.#occupied = new Map()
    if (points.length === 1) return
    for (const { prefix } of points) {
      if (!this.#occupied.has(prefix)) this.#occupied.set(prefix, new Set())
      for (let path = prefix; path !== '/'; path = dirname(path)) {
        const above = dirname(path)
        const names = this.#occupied.get(above) ?? new Set()
        this.#occupied.set(above, names.add(basename(path)))
      }
    }
  }

  #pointAt(prefix: string): Point {
    const point = this.#points.find((one) => one.prefix === prefix)
    if (point === undefined) throw new FileSystemError('EINVAL', prefix)
    return point
  }

  #locate(path: string): Point {
    const points = this.#points
    for (let i = 0; i < points.length - 1; i++) {
      const point = points[i] as Point
      if (isWithin(path, point.prefix)) return point
    }
    return points[points.length - 1] as Point
  }

  #isOccupied(path: string): boolean {
    return this.#occupied.size > 0 && this.#occupied.has(path)
  }

  /** True for a directory that has a mount point below and is none itself. */
  #isAbove(path: string, point: Point): boolean {
    return this.#occupied.size > 0 && point.prefix !== path && this.#occupied.has(path)
  }

  #statAbove(path: string, point: Point): MaybePromise<FileStat> {
    const stat = rescue<FileStat | undefined>(
      () => this.#run(point, () => point.fs.lstat(within(point, path))),
      (error) => {
        if (isAbsence(error)) return undefined
        throw error
      },
    )
    return chain(stat, (found) => {
      return found?.type === 'directory' ? withDev(found, point.dev) : directoryAbove(path, point.dev)
    })
  }

  #run<T>(point: Point, run: () => MaybePromise<T>): MaybePromise<T> {
    return rescue(run, (error) => {
      throw outward(error, point)
    })
  }

  /** Changes what is there: `refusal` is the error where a mount keeps the place. */
  #change<T>(path: string, refusal: PosixCode, run: (fs: FileSystem, inner: string) => MaybePromise<T>): MaybePromise<T> {
    const point = this.#locate(path)
    if (this.#isOccupied(path)) throw new FileSystemError(refusal, path)
    return this.#run(point, () => run(point.fs, within(point, path)))
  }

  /** As `#change`; makes the directories that so far exist only because a mount is below. */
  #create(path: string, refusal: PosixCode, run: (fs: FileSystem, inner: string) => MaybePromise<void>): MaybePromise<void> {
    const parent = this.#occupied.size > 0 ? dirname(path) : ''
    if (parent === '' || !this.#isAbove(parent, this.#locate(parent))) return this.#change(path, refusal, run)
    return rescue(
      () => this.#change(path, refusal, run),
      (error) => {
        if (!hasCode(error, 'ENOENT')) throw error
        const point = this.#locate(parent)
        return chain(this.#make(point, within(point, parent)), () => this.#change(path, refusal, run))
      },
    )
  }

  /** Makes a directory and those above it. */
  #make(point: Point, directory: string): MaybePromise<void> {
    if (directory === '/') return
    return chain(this.#make(point, dirname(directory)), () =>
      rescue(
        () => this.#run(point, () => point.fs.mkdir(directory, 0o755)),
        (error) => {
          if (!hasCode(error, 'EEXIST')) throw error
        },
      ),
    )
  }

  /** EXDEV, unless a path leads elsewhere or nowhere. */
  #refuseAcross(from: string, to: string): MaybePromise<never> {
    return chain(this.lstat(from), () =>
      chain(this.stat(dirname(to)), () => {
        throw new FileSystemError('EXDEV', to)
      }),
    )
  }
}

interface Point {
  readonly prefix: string
  readonly mounted: FileSystem
  readonly mode: MountMode
  /** What is mounted, as far as the mode allows. */
  readonly fs: FileSystem
  readonly dev: number
}

function pointOf(prefix: string, { fs, mode }: Mount, dev: number): Point {
  return { prefix, mounted: fs, mode, fs: mode === 'read' ? readOnly(fs) : fs, dev }
}

/** A path of the namespace as a path of the mount. */
function within(point: Point, path: string): string {
  if (point.prefix === '/') return path
  return path.length === point.prefix.length ? '/' : path.slice(point.prefix.length)
}

/** An error of a mount as one of the namespace. */
function outward(error: unknown, { prefix }: Point): unknown {
  if (prefix === '/') return error
  if (error instanceof LinkMet) return new LinkMet(prefix + error.at, error.target)
  if (error instanceof FileSystemError) {
    return error.at(error.path === '/' ? prefix : prefix + error.path)
  }
  return error
}

function withDev(stat: FileStat, dev: number): FileStat {
  return stat.dev === dev ? stat : { ...stat, dev }
}

function withNames(entries: readonly Dirent[], names: ReadonlySet<string>): readonly Dirent[] {
  const kept = entries.filter((entry) => !names.has(entry.name))
  for (const name of names) kept.push({ name, type: 'directory' })
  return kept
}

function isAbsence(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || error instanceof LinkMet
}

function directoryAbove(path: string, dev: number): FileStat {
  let ino = 2 ** 52
  for (let i = 0; i < path.length; i++) ino = 2 ** 52 + ((ino * 31 + path.charCodeAt(i)) % 2 ** 40)
  const times = { mtimeMs: 0, atimeMs: 0, ctimeMs: 0, birthtimeMs: 0 }
  return { type: 'directory', size: 4096, mode: 0o755, ...times, dev, ino, nlink: 2, uid: 0, gid: 0 }
}
