import { FileSystemError, hasCode } from '../errors.ts'
import { isPromise, type MaybePromise } from '../host.ts'
import { checkNames } from '../option-checks.ts'
import {
  type CreateOptions,
  type Dirent,
  type FileAttributes,
  type FileStat,
  type FileSystem,
  type FileSystemCapabilities,
  type FileSystemSpace,
  type FileType,
  LinkMet,
} from './file-system.ts'
import { drive, type Steps, wait } from './maybe.ts'
import { RAMFileSystem } from './memory.ts'
import { basename, dirname, join } from './path.ts'

/** The two layers of an {@link OverlayFileSystem}. */
export interface OverlayOptions {
  /** What shows through; never written to. */
  readonly lower: FileSystem
  /** Where changes go: an empty RAM file system when left out, or what an overlay left there before. */
  readonly upper?: FileSystem
  /** Close the lower file system, too; false when left out. */
  readonly ownsLower?: boolean
  /** Called with a path before it is first changed, hidden or made, while the lower layer still has what it had; may be called again. */
  readonly onTouch?: (path: string) => MaybePromise<void>
}

/** How a path of the overlay differs from the lower file system. */
export interface OverlayChange {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'deleted'
  readonly type: FileType
}

/**
 * A file system whose changes go to an upper one, while the lower one stays as it is. A file is copied up whole when it is first changed; a directory
 * that is renamed, with everything in it. Names of a file in the lower layer become separate files when one of them changes.
 * What was removed is remembered in the upper layer as an empty file `.wh.NAME` beside it (so names that start with `.wh.` can't be made: EINVAL); a
 * directory with such a mark shows nothing of the lower one. The lower layer must not change meanwhile.
 */
export class OverlayFileSystem implements FileSystem {
  readonly #lower: FileSystem
  readonly #upper: FileSystem
  readonly #ownsLower: boolean
  readonly #onTouch: ((path: string) => MaybePromise<void>) | undefined
  /** What the upper layer holds, as far as it was looked at. */
  #root: UpperEntry = { type: 'directory', directory: undefined }
  /** The last of the changes that are waited for. */
  #running: Promise<unknown> | undefined

  /** CONFIG_INVALID for an unknown option. */
  constructor(options: OverlayOptions) {
    checkNames(options, ['lower', 'upper', 'ownsLower', 'onTouch'], 'OverlayFileSystem')
    const { lower, upper = new RAMFileSystem(), ownsLower = false, onTouch } = options
    this.#onTouch = onTouch
    this.#lower = lower
    this.#upper = upper
    this.#ownsLower = ownsLower
  }

  get capabilities(): FileSystemCapabilities {
    return { ...this.#upper.capabilities, trees: false, treeRemoval: false }
  }

  /** Looks at the upper layer anew: to be called after it was changed otherwise, such as restored from a snapshot. */
  reload(): void {
    this.#root = { type: 'directory', directory: undefined }
  }

  /** Everything that is different from the lower layer, in the order of paths. What a deleted directory held isn't listed. */
  changes(): MaybePromise<readonly OverlayChange[]> {
    return drive(this.#changesBelow())
  }

  /** The layer that has what is at `path`; of a directory that both have, the upper one. */
  layerOf(path: string): MaybePromise<'upper' | 'lower'> {
    return drive(this.#layerOf(path))
  }

  /**
   * Forgets what the upper layer has of a path, since the lower one has it by now: afterwards the lower layer shows there. A directory is forgotten once nothing is left
   * in it. To be called for what is below a path before the path.
   */
  forget(path: string): MaybePromise<void> {
    return this.#change(() => this.#forget(path))
  }

  stat(path: string): MaybePromise<FileStat> {
    return drive(this.#stat(path, true))
  }

  lstat(path: string): MaybePromise<FileStat> {
    return drive(this.#stat(path, false))
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    return drive(this.#list(path))
  }

  read(path: string, offset?: number, length?: number): MaybePromise<Uint8Array> {
    return drive(this.#onLayer(path, (fs) => fs.read(path, offset, length)))
  }

  readlink(path: string): MaybePromise<string> {
    return drive(this.#onLayer(path, (fs) => fs.readlink(path)))
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#change(() => this.#write(path, data, options, true))
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#change(() => this.#write(path, data, options, false))
  }

  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void> {
    return this.#change(() => this.#inUpper(path, (upper) => upper.writeAt(path, offset, data)))
  }

  truncate(path: string, size: number): MaybePromise<void> {
    return this.#change(() => this.#inUpper(path, (upper) => upper.truncate(path, size)))
  }

  setattr(path: string, attributes: FileAttributes): MaybePromise<void> {
    return this.#change(() => this.#inUpper(path, (upper) => upper.setattr(path, attributes)))
  }

  mkdir(path: string, mode?: number): MaybePromise<void> {
    return this.#change(() => this.#make(path, 'directory', (upper) => upper.mkdir(path, mode)))
  }

  symlink(target: string, path: string): MaybePromise<void> {
    return this.#change(() => this.#make(path, 'symlink', (upper) => upper.symlink(target, path)))
  }

  link(existing: string, path: string): MaybePromise<void> {
    return this.#change(() => this.#link(existing, path))
  }

  unlink(path: string): MaybePromise<void> {
    return this.#change(() => this.#unlink(path))
  }

  rmdir(path: string): MaybePromise<void> {
    return this.#change(() => this.#rmdir(path))
  }

  rename(from: string, to: string): MaybePromise<void> {
    return this.#change(() => this.#rename(from, to))
  }

  /**
   * Puts something in the place of whatever is at `path`, a directory excepted (EISDIR): `run` makes it in the upper layer, by other means than those of
   * a file system, such as a whole tree.
   */
  install(path: string, type: FileType, run: (upper: FileSystem) => MaybePromise<void>): MaybePromise<void> {
    return this.#change(() => this.#install(path, type, run))
  }

  copyTree(from: string, _to: string): MaybePromise<void> {
    throw new FileSystemError('ENOTSUP', from)
  }

  removeTree(path: string): MaybePromise<void> {
    throw new FileSystemError('ENOTSUP', path)
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    return drive(this.#space(path))
  }

  sync(): MaybePromise<void> {
    return this.#upper.sync()
  }

  async close(): Promise<void> {
    await this.#upper.close()
    if (this.#ownsLower) await this.#lower.close()
  }

  /** Runs changes one after the other. */
  #change(work: () => Steps<void>): MaybePromise<void> {
    if (this.#running === undefined) {
      const result = drive(work())
      return isPromise(result) ? this.#track(result) : result
    }
    return this.#track(this.#running.then(() => drive(work())))
  }

  #track(result: Promise<void>): Promise<void> {
    const settled = result.then(
      () => undefined,
      () => undefined,
    )
    this.#running = settled
    void settled.then(() => {
      if (this.#running === settled) this.#running = undefined
    })
    return result
  }

  /** What the layers have at `path`. Throws where the way there is no way. */
  *#spot(path: string): Steps<Spot> {
    let entry: UpperEntry = this.#root
    let lower = true
    if (path === '/') return { entry, lower }
    for (let end = path.indexOf('/', 1), from = 1; ; end = path.indexOf('/', from)) {
      const directory = entry.directory ?? (yield* this.#load(entry, path.slice(0, Math.max(1, from - 1))))
      const name = end < 0 ? path.slice(from) : path.slice(from, end)
      const next = directory.entries.get(name)
      if (directory.whiteouts.has(name)) lower = false
      if (end < 0) return { entry: next, lower }
      if (next === undefined) {
        if (!lower) throw new FileSystemError('ENOENT', path)
        return { entry: undefined, lower }
      }
      if (next.type === 'symlink') throw new LinkMet(path.slice(0, end), yield* wait(this.#upper.readlink(path.slice(0, end))))
      if (next.type !== 'directory') throw new FileSystemError('ENOTDIR', path)
      entry = next
      from = end + 1
    }
  }

  *#load(entry: UpperEntry, path: string): Steps<UpperDirectory> {
    const directory: UpperDirectory = { entries: new Map(), whiteouts: new Set() }
    for (const { name, type } of yield* wait(this.#upper.readdir(path))) {
      if (name.startsWith(WHITEOUT)) directory.whiteouts.add(name.slice(WHITEOUT.length))
      else directory.entries.set(name, { type, directory: undefined })
    }
    entry.directory = directory
    return directory
  }

  /** The upper layer's directory, which exists there. */
  *#directory(path: string): Steps<UpperDirectory> {
    const { entry } = yield* this.#spot(path)
    if (entry === undefined) throw new FileSystemError('ENOENT', path)
    return entry.directory ?? (yield* this.#load(entry, path))
  }

  *#layerOf(path: string): Steps<'upper' | 'lower'> {
    return yield* this.#onLayer(path, (fs) => (fs === this.#upper ? 'upper' : 'lower'))
  }

  *#onLayer<T>(path: string, run: (fs: FileSystem) => MaybePromise<T>): Steps<T> {
    const { entry, lower } = yield* this.#spot(path)
    if (entry === undefined && !lower) throw new FileSystemError('ENOENT', path)
    return yield* wait(run(entry === undefined ? this.#lower : this.#upper))
  }

  *#stat(path: string, follow: boolean): Steps<FileStat> {
    const { entry, lower } = yield* this.#spot(path)
    if (entry !== undefined) {
      const stat = yield* wait(follow ? this.#upper.stat(path) : this.#upper.lstat(path))
      return path === '/' ? yield* this.#statOfRoot(stat) : { ...stat, ino: stat.ino + UPPER_INODES }
    }
    if (!lower) throw new FileSystemError('ENOENT', path)
    return yield* wait(follow ? this.#lower.stat(path) : this.#lower.lstat(path))
  }

  /** The upper root is there from the start; it counts once something about it was changed. */
  *#statOfRoot(upper: FileStat): Steps<FileStat> {
    if (this.#root.changed === true) return { ...upper, ino: upper.ino + UPPER_INODES }
    const lower = yield* wait(this.#lower.lstat('/'))
    const mtimeMs = Math.max(upper.mtimeMs, lower.mtimeMs)
    return { ...lower, mtimeMs, ino: upper.ino + UPPER_INODES }
  }

  /** Undefined where nothing is. */
  *#lstatIfAny(path: string): Steps<FileStat | undefined> {
    try {
      return yield* this.#stat(path, false)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    }
  }

  *#lowerIfAny(path: string): Steps<FileStat | undefined> {
    try {
      return yield* wait(this.#lower.lstat(path))
    } catch (error) {
      if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || error instanceof LinkMet) return undefined
      throw error
    }
  }

  *#list(path: string): Steps<readonly Dirent[]> {
    const { entry, lower } = yield* this.#spot(path)
    if (entry === undefined) {
      if (!lower) throw new FileSystemError('ENOENT', path)
      return yield* wait(this.#lower.readdir(path))
    }
    if (entry.type !== 'directory') return yield* wait(this.#upper.readdir(path))
    const directory = entry.directory ?? (yield* this.#load(entry, path))
    const entries: Dirent[] = []
    for (const [name, { type }] of directory.entries) entries.push({ name, type })
    if (!lower) return entries
    for (const below of yield* this.#lowerList(path)) {
      if (!directory.entries.has(below.name) && !directory.whiteouts.has(below.name)) entries.push(below)
    }
    return entries
  }

  *#lowerList(path: string): Steps<readonly Dirent[]> {
    const stat = yield* this.#lowerIfAny(path)
    return stat?.type === 'directory' ? yield* wait(this.#lower.readdir(path)) : []
  }

  *#write(path: string, data: Uint8Array, options: CreateOptions | undefined, isWhole: boolean): Steps<void> {
    const stat = yield* this.#lstatIfAny(path)
    if (stat === undefined) {
      yield* this.#add(path, 'file', (upper) => (isWhole ? upper.write(path, data, options) : upper.append(path, data, options)))
      return
    }
    if (options?.exclusive) throw new FileSystemError('EEXIST', path)
    if (stat.type === 'directory') throw new FileSystemError('EISDIR', path)
    if (stat.type === 'symlink') throw new LinkMet(path, yield* this.#onLayer(path, (fs) => fs.readlink(path)))
    yield* this.#copyUp(path, !isWhole)
    yield* wait(isWhole ? this.#upper.write(path, data) : this.#upper.append(path, data))
  }

  /** Changes what is at `path`, links excepted, in the upper layer. */
  *#inUpper(path: string, run: (upper: FileSystem) => MaybePromise<void>): Steps<void> {
    // Whatever is wrong with the path, the layer that has it says so.
    yield* this.#stat(path, true)
    yield* this.#copyUp(path, true)
    if (path === '/') this.#root.changed = true
    yield* wait(run(this.#upper))
  }

  /** Makes something where nothing is. */
  *#make(path: string, type: FileType, run: (upper: FileSystem) => MaybePromise<void>): Steps<void> {
    if ((yield* this.#lstatIfAny(path)) !== undefined) throw new FileSystemError('EEXIST', path)
    yield* this.#add(path, type, run)
  }

  *#install(path: string, type: FileType, run: (upper: FileSystem) => MaybePromise<void>): Steps<void> {
    const stat = yield* this.#lstatIfAny(path)
    if (stat?.type === 'directory') throw new FileSystemError('EISDIR', path)
    // Where the lower layer has something else, none of it may show through a directory.
    if (type === 'directory' && stat !== undefined) yield* this.#remove(path, (upper) => upper.unlink(path))
    yield* this.#add(path, type, run)
  }

  *#add(path: string, type: FileType, run: (upper: FileSystem) => MaybePromise<void>): Steps<void> {
    const name = basename(path)
    if (name.startsWith(WHITEOUT)) throw new FileSystemError('EINVAL', path)
    const directory = yield* this.#parentUp(path)
    yield* this.#touch(path)
    yield* wait(run(this.#upper))
    directory.entries.set(name, { type, directory: undefined })
  }

  *#link(existing: string, path: string): Steps<void> {
    const stat = yield* this.#stat(existing, false)
    if ((yield* this.#lstatIfAny(path)) !== undefined) throw new FileSystemError('EEXIST', path)
    yield* this.#demandParent(path)
    if (stat.type === 'directory') throw new FileSystemError('EPERM', existing)
    yield* this.#copyUp(existing, true)
    yield* this.#add(path, stat.type, (upper) => upper.link(existing, path))
  }

  *#unlink(path: string): Steps<void> {
    const stat = yield* this.#stat(path, false)
    if (stat.type === 'directory') throw new FileSystemError('EISDIR', path)
    yield* this.#remove(path, (upper) => upper.unlink(path))
  }

  *#rmdir(path: string): Steps<void> {
    const stat = yield* this.#stat(path, false)
    if (path === '/') throw new FileSystemError('EBUSY', path)
    if (stat.type !== 'directory') throw new FileSystemError('ENOTDIR', path)
    if ((yield* this.#list(path)).length > 0) throw new FileSystemError('ENOTEMPTY', path)
    yield* this.#removeEmpty(path)
  }

  /** Removes a directory that shows nothing: marks may be left in it. */
  *#removeEmpty(path: string): Steps<void> {
    const { entry } = yield* this.#spot(path)
    if (entry !== undefined) {
      const directory = entry.directory ?? (yield* this.#load(entry, path))
      for (const name of directory.whiteouts) yield* wait(this.#upper.unlink(join(path, WHITEOUT + name)))
      directory.whiteouts.clear()
    }
    yield* this.#remove(path, (upper) => upper.rmdir(path))
  }

  /** Takes a path away from the upper layer and hides it in the lower one. The mark comes first: a torn removal must not bring the old thing back. */
  *#remove(path: string, run: (upper: FileSystem) => MaybePromise<void>): Steps<void> {
    const { entry, lower } = yield* this.#spot(path)
    if (lower && (yield* this.#lowerIfAny(path)) !== undefined) yield* this.#hide(path)
    if (entry === undefined) return
    yield* wait(run(this.#upper))
    const directory = yield* this.#directory(dirname(path))
    directory.entries.delete(basename(path))
  }

  *#hide(path: string): Steps<void> {
    const directory = yield* this.#parentUp(path)
    const name = basename(path)
    if (directory.whiteouts.has(name)) return
    yield* this.#touch(path)
    yield* wait(this.#upper.write(join(dirname(path), WHITEOUT + name), new Uint8Array(0)))
    directory.whiteouts.add(name)
  }

  *#rename(from: string, to: string): Steps<void> {
    yield* this.#demandParent(from)
    yield* this.#demandParent(to)
    if (from === '/' || to === '/') throw new FileSystemError('EBUSY', from === '/' ? from : to)
    const stat = yield* this.#stat(from, false)
    if (from === to) return
    if (to.startsWith(`${from}/`)) throw new FileSystemError('EINVAL', to)
    const replaced = yield* this.#lstatIfAny(to)
    if (replaced !== undefined) {
      if (from.startsWith(`${to}/`)) throw new FileSystemError('ENOTEMPTY', to)
      if (replaced.ino === stat.ino && replaced.dev === stat.dev) return
      if (stat.type !== 'directory' && replaced.type === 'directory') throw new FileSystemError('EISDIR', to)
      if (stat.type === 'directory') {
        if (replaced.type !== 'directory') throw new FileSystemError('ENOTDIR', to)
        if ((yield* this.#list(to)).length > 0) throw new FileSystemError('ENOTEMPTY', to)
      }
    }
    if (basename(to).startsWith(WHITEOUT)) throw new FileSystemError('EINVAL', to)

    yield* stat.type === 'directory' ? this.#copyTreeUp(from) : this.#copyUp(from, true)
    const target = yield* this.#parentUp(to)
    if (stat.type === 'directory') {
      if (replaced !== undefined) yield* this.#removeEmpty(to)
      // Nothing of a directory that the lower layer has there may show through the moved one.
      else if ((yield* this.#spot(to)).lower && (yield* this.#lowerIfAny(to)) !== undefined) yield* this.#hide(to)
    }
    const { lower } = yield* this.#spot(from)
    const hadLower = lower && (yield* this.#lowerIfAny(from)) !== undefined
    yield* this.#touch(to)
    yield* wait(this.#upper.rename(from, to))
    const origin = yield* this.#directory(dirname(from))
    const entry = origin.entries.get(basename(from)) as UpperEntry
    origin.entries.delete(basename(from))
    target.entries.set(basename(to), entry)
    if (hadLower) yield* this.#hide(from)
  }

  *#touch(path: string): Steps<void> {
    if (this.#onTouch !== undefined) yield* wait(this.#onTouch(path))
  }

  *#forget(path: string): Steps<void> {
    const parent = dirname(path)
    const name = basename(path)
    const { entry: above } = yield* this.#spot(parent)
    if (above?.type !== 'directory') return
    const directory = above.directory ?? (yield* this.#load(above, parent))
    const entry = directory.entries.get(name)
    if (entry?.type === 'directory') {
      const { entries, whiteouts } = entry.directory ?? (yield* this.#load(entry, path))
      if (entries.size + whiteouts.size === 0) {
        yield* wait(this.#upper.rmdir(path))
        directory.entries.delete(name)
      }
    } else if (entry !== undefined) {
      yield* wait(this.#upper.unlink(path))
      directory.entries.delete(name)
    }
    if (!directory.whiteouts.has(name)) return
    yield* wait(this.#upper.unlink(join(parent, WHITEOUT + name)))
    directory.whiteouts.delete(name)
  }

  *#demandParent(path: string): Steps<void> {
    if (path === '/') return
    try {
      const stat = yield* this.#stat(dirname(path), true)
      if (stat.type !== 'directory') throw new FileSystemError('ENOTDIR', path)
    } catch (error) {
      throw error instanceof FileSystemError ? error.at(path) : error
    }
  }

  /** The directory that holds `path`, made in the upper layer if need be. */
  *#parentUp(path: string): Steps<UpperDirectory> {
    yield* this.#demandParent(path)
    const parent = dirname(path)
    yield* this.#copyUp(parent, true)
    return yield* this.#directory(parent)
  }

  /** Makes sure that the upper layer has what is at `path`; a file's bytes only if they are wanted. */
  *#copyUp(path: string, withBytes: boolean): Steps<void> {
    const { entry } = yield* this.#spot(path)
    if (entry !== undefined) return
    const stat = yield* wait(this.#lower.lstat(path))
    const directory = yield* this.#parentUp(path)
    const name = basename(path)
    if (name.startsWith(WHITEOUT)) throw new FileSystemError('EINVAL', path)
    const parent = yield* wait(this.#upper.lstat(dirname(path)))
    yield* this.#touch(path)
    yield* this.#copyNode(path, stat, withBytes)
    directory.entries.set(name, { type: stat.type, directory: undefined })
    // Nothing has changed in the directory as far as anyone can see.
    yield* this.#setAttributes(dirname(path), { mtimeMs: parent.mtimeMs, atimeMs: parent.atimeMs })
  }

  *#copyNode(path: string, stat: FileStat, withBytes: boolean): Steps<void> {
    const upper = this.#upper
    switch (stat.type) {
      case 'directory':
        yield* wait(upper.mkdir(path, stat.mode))
        break
      case 'symlink':
        yield* wait(upper.symlink(yield* wait(this.#lower.readlink(path)), path))
        return
      case 'file':
        yield* wait(upper.write(path, new Uint8Array(0), { mode: stat.mode }))
        for (let at = 0; withBytes && at < stat.size; at += PIECE) {
          yield* wait(upper.append(path, yield* wait(this.#lower.read(path, at, PIECE))))
        }
        break
      case 'character-device':
      case 'fifo':
        throw new FileSystemError('ENOTSUP', path)
      default:
        stat.type satisfies never
    }
    const { mode, mtimeMs, atimeMs, uid, gid } = stat
    yield* this.#setAttributes(path, { mode, mtimeMs, atimeMs, uid, gid })
  }

  *#setAttributes(path: string, attributes: FileAttributes): Steps<void> {
    if (this.#upper.capabilities.attributes) yield* wait(this.#upper.setattr(path, attributes))
  }

  *#copyTreeUp(root: string): Steps<void> {
    const waiting = [root]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      yield* this.#copyUp(path, true)
      const { entry, lower } = yield* this.#spot(path)
      // What the lower layer doesn't show is up already.
      if (entry?.type !== 'directory' || !lower) continue
      for (const { name } of yield* this.#list(path)) waiting.push(join(path, name))
    }
  }

  *#space(path: string): Steps<FileSystemSpace> {
    yield* this.#stat(path, false)
    return yield* wait(this.#upper.space('/'))
  }

  *#changesBelow(): Steps<readonly OverlayChange[]> {
    const changes: OverlayChange[] = []
    const waiting: [path: string, entry: UpperEntry, relation: Relation][] = [['/', this.#root, 'merged']]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [path, entry, relation] = next
      const { entries, whiteouts } = entry.directory ?? (yield* this.#load(entry, path))
      const below = new Map((relation === 'new' ? [] : yield* this.#lowerList(path)).map(({ name, type }) => [name, type]))
      for (const [name, type] of below) {
        const kept = entries.get(name)
        const isGone = kept === undefined ? relation === 'replaced' || whiteouts.has(name) : kept.type !== type
        if (isGone) changes.push({ path: join(path, name), kind: 'deleted', type })
      }
      for (const [name, child] of entries) {
        const at = join(path, name)
        const isThere = below.get(name) === child.type
        if (!isThere) changes.push({ path: at, kind: 'added', type: child.type })
        else if (yield* this.#isModified(at, child.type)) changes.push({ path: at, kind: 'modified', type: child.type })
        if (child.type !== 'directory') continue
        waiting.push([at, child, !isThere ? 'new' : relation === 'replaced' || whiteouts.has(name) ? 'replaced' : 'merged'])
      }
    }
    return changes.sort((a, b) => (a.path === b.path ? (a.kind === 'deleted' ? -1 : 1) : a.path < b.path ? -1 : 1))
  }

  /** A file or link that is up counts as modified; a directory if its attributes are. */
  *#isModified(path: string, type: FileType): Steps<boolean> {
    if (type !== 'directory') return true
    const upper = yield* wait(this.#upper.lstat(path))
    const lower = yield* wait(this.#lower.lstat(path))
    return upper.mode !== lower.mode || upper.uid !== lower.uid || upper.gid !== lower.gid
  }
}

/** A name that the upper layer has. */
interface UpperEntry {
  readonly type: FileType
  /** What a directory holds there; undefined until it is looked at. */
  directory: UpperDirectory | undefined
  /** Of the root: its attributes were set. */
  changed?: boolean
}

interface UpperDirectory {
  readonly entries: Map<string, UpperEntry>
  /** Names that the lower layer doesn't show. */
  readonly whiteouts: Set<string>
}

/** How a directory of the upper layer stands to the lower one: that has none, shows through it, or had one that it replaces. */
type Relation = 'new' | 'merged' | 'replaced'

/** A path's place in the layers. */
interface Spot {
  readonly entry: UpperEntry | undefined
  /** True where the lower layer would show. */
  readonly lower: boolean
}

const WHITEOUT = '.wh.'
/** Set apart from the inode numbers of the lower layer. */
const UPPER_INODES = 2 ** 52
const PIECE = 1024 * 1024
