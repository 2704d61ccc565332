import { encode } from '../bytes.ts'
import { FileSystemError, isPosixCode, type PosixCode, WorkspaceError } from '../errors.ts'
import { type Host, type MaybePromise, webHost } from '../host.ts'
import { invalid } from '../option-checks.ts'
import { checkName, isRefusedText, missingName } from './file-name.ts'
import type { CreateOptions, Dirent, FileStat, FileSystem, FileSystemCapabilities, FileSystemSpace } from './file-system.ts'
import { ObjectChanges, overwritten } from './object-changes.ts'
import { type FoundObject, ObjectListings } from './object-listings.ts'
import { type ObjectRange, ObjectReadings } from './object-readings.ts'
import { ObjectTree } from './object-tree.ts'
import { ObjectWriting } from './object-writing.ts'
import type { ObjectCondition, ObjectInfo, Objects } from './objects.ts'
import { basename, dirname, isWithin } from './path.ts'
import { plainStat } from './plain-stat.ts'

/** How a file system of objects behaves. */
export interface ObjectMountOptions {
  /**
   * Seconds for which what was listed answers for itself, within a line; 5 when left out, 0: never. The end of a line, and `sync`, forget it: each line
   * sees what other instances wrote before it.
   */
  readonly listingTtl?: number
  /**
   * `conditional`: a file is replaced only while it is as it was when it was last read here, so that nothing that wasn't seen is lost; else it fails with
   * ESTALE, `changed since it was read; read it again before writing`. `unconditional` when left out: the last one to write wins.
   */
  readonly write?: 'conditional' | 'unconditional'
}

/** The names of the options of {@link ObjectMountOptions}. */
export const OBJECT_OPTION_NAMES: readonly string[] = ['listingTtl', 'write']

/** Which objects an {@link ObjectFileSystem} shows, and how. */
export interface ObjectFileSystemOptions extends ObjectMountOptions {
  /** What all keys begin with; the whole bucket when left out. A missing slash at its end is added. */
  readonly prefix?: string
  readonly host?: ObjectHost
}

/** What is used of the host. */
export type ObjectHost = Pick<Host, 'elapsed' | 'now' | 'random' | 'timer'>

/**
 * Objects as files: the key of `/a/b` is the prefix and `a/b`, as it is. A directory is what keys begin with, up to a slash; an empty one, and each
 * that is made here, has an object of its own whose key ends with the slash. So every bucket can be mounted, and others see in it what they expect.
 *
 * There are no links, and attributes can't be set. Changing a part of an object writes it anew, on the condition that nobody else did meanwhile.
 * A file that is written in pieces (`gather`) is brought to the store once it is complete: others see the old one or the new one, never a part.
 */
export class ObjectFileSystem implements FileSystem {
  readonly capabilities: FileSystemCapabilities = CAPABILITIES
  readonly #objects: Objects
  readonly #tree: ObjectTree
  readonly #host: ObjectHost
  readonly #listings: ObjectListings
  readonly #readings: ObjectReadings
  readonly #changes: ObjectChanges
  /** Etags of what was read last, by path; null where that doesn't matter. */
  readonly #seen: Map<string, string> | null
  /** The last change of each file that is being changed here. */
  readonly #turns = new Map<string, Promise<void>>()
  /** How often each file is open for writing. */
  readonly #gathering = new Map<string, number>()
  readonly #writings = new Map<string, ObjectWriting>()
  /** What was closed, and couldn't be written since: the next `sync` says so. */
  #failures: unknown[] = []
  #stopTimer: (() => void) | null = null

  /** CONFIG_INVALID for options that can't be meant. */
  constructor(objects: Objects, { prefix = '', host = webHost, listingTtl = 5, write = 'unconditional' }: ObjectFileSystemOptions = {}) {
    if (typeof listingTtl !== 'number' || !(listingTtl >= 0)) throw invalid('listingTtl', listingTtl, 'a number of seconds, 0 or more')
    if (write !== 'conditional' && write !== 'unconditional') throw invalid('write', write, '"conditional" or "unconditional"')
    this.#objects = objects
    this.#tree = new ObjectTree(objects, prefix)
    this.#host = host
    this.#listings = new ObjectListings(listingTtl * 1000, () => host.elapsed())
    this.#readings = new ObjectReadings(
      (path, offset, length) => this.#fetch(path, offset, length),
      () => host.elapsed(),
    )
    this.#changes = new ObjectChanges(objects, host)
    this.#seen = write === 'conditional' ? new Map() : null
  }

  stat(path: string): Promise<FileStat> {
    return this.#run(path, async () => statOf(path, await this.#get(path)))
  }

  lstat(path: string): Promise<FileStat> {
    return this.stat(path)
  }

  readdir(path: string): Promise<readonly Dirent[]> {
    return this.#run(path, async () => {
      const names = new Map<string, FoundObject>(this.#listings.list(path) ?? (await this.#list(path)))
      for (const [at, { isDirty, base }] of this.#writings) {
        if (isDirty && base === null && dirname(at) === path) names.set(basename(at), { type: 'file', info: this.#pending(at) })
      }
      return [...names].map(([name, { type }]) => ({ name, type }))
    })
  }

  read(path: string, offset = 0, length: number = Number.MAX_SAFE_INTEGER): Promise<Uint8Array> {
    return this.#run(path, async () => {
      if (offset < 0 || length < 0) throw failure('EINVAL', path)
      const writing = this.#writings.get(path)
      if (writing?.isDirty) {
        if (writing.isWhole) return writing.content.slice(offset, offset + length)
        await this.#inTurn(path, () => this.#settle(path, writing))
      }
      const known = this.#tree.canBe(path) ? this.#listings.find(path) : null
      const bytes = known === undefined || known?.type === 'file' ? await this.#readings.read(path, offset, length) : null
      if (bytes !== null) return bytes
      if (known?.type === 'file') this.#listings.forget(path)
      await this.#get(path)
      throw failure('EISDIR', path)
    })
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): Promise<void> {
    return this.#inTurn(path, async () => {
      if (options?.exclusive) return this.#make(path, data)
      const isGathered = this.#gathering.has(path)
      const known = this.#writings.get(path)
      const base = known === undefined ? await this.#toWrite(path) : known.base
      if (known?.mode === 'append') this.#demandSeen(path, base)
      if (known === undefined && !isGathered) {
        const info = await this.#objects.put(this.#tree.key(path), data, { like: base, condition: this.#condition(base) })
        if (info === null) throw this.#otherwise('ESTALE', path)
        return this.#wrote(path, info)
      }
      const writing = known ?? this.#begin(path, 'replace', base, true)
      await writing.restart()
      await writing.add(data)
      if (!isGathered) await this.#settle(path, writing)
    })
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): Promise<void> {
    return this.#inTurn(path, async () => {
      if (options?.exclusive) return this.#make(path, data)
      const known = this.#writings.get(path)
      const base = known === undefined ? await this.#toAppend(path) : known.base
      const writing = known ?? this.#begin(path, 'append', base, base === null)
      if (data.length > 0) await this.#add(path, writing, data)
      if (!this.#gathering.has(path)) await this.#settle(path, writing)
    })
  }

  writeAt(path: string, offset: number, data: Uint8Array): Promise<void> {
    return this.#inTurn(path, async () => {
      if (offset < 0) throw failure('EINVAL', path)
      const isGathered = this.#gathering.has(path)
      const writing = this.#writings.get(path) ?? (isGathered ? this.#begin(path, 'append', await this.#file(path), false) : null)
      if (data.length === 0) return writing === null ? void (await this.#file(path)) : undefined
      if (writing !== null) {
        const isTaken = offset === writing.size ? this.#add(path, writing, data).then(() => true) : writing.overwrite(offset, data)
        if (!(await isTaken)) await this.#changeWhole(path, writing, (bytes) => overwritten(bytes, offset, data))
        return isGathered ? undefined : this.#settle(path, writing)
      }
      await this.#file(path)
      await this.#change(path, (bytes) => overwritten(bytes, offset, data))
    })
  }

  truncate(path: string, size: number): Promise<void> {
    return this.#inTurn(path, async () => {
      const writing = this.#writings.get(path)
      if (writing !== undefined && size >= 0) {
        if (writing.size !== size && !writing.resize(size)) await this.#changeWhole(path, writing, (bytes) => resized(bytes, size))
        return this.#gathering.has(path) ? undefined : this.#settle(path, writing)
      }
      const info = await this.#file(path)
      if (size < 0) throw failure('EINVAL', path)
      if (info.size !== size) await this.#change(path, (bytes) => resized(bytes, size))
    })
  }

  mkdir(path: string): Promise<void> {
    return this.#run(path, async () => {
      if ((await this.#find(path)) !== null) throw failure('EEXIST', path)
      await this.#demandParent(path)
      this.#checkNew(path)
      if (!(await this.#mark(path))) throw failure('EEXIST', path)
    })
  }

  rmdir(path: string): Promise<void> {
    return this.#run(path, async () => {
      if (path === '/') throw failure('EBUSY', path)
      if ((await this.#get(path)).type === 'file') throw failure('ENOTDIR', path)
      await this.#settleWithin(path)
      if (!(await this.#isEmpty(path))) throw failure('ENOTEMPTY', path)
      await this.#mark(dirname(path))
      await this.#objects.delete([this.#tree.directoryKey(path)])
      this.#removed(path)
    })
  }

  unlink(path: string): Promise<void> {
    return this.#inTurn(path, async () => {
      const writing = this.#writings.get(path)
      const found = writing === undefined ? await this.#file(path) : writing.base
      if (writing !== undefined) await this.#drop(path, writing)
      if (found !== null) {
        // Before: without it the directory of a last file would go, too.
        await this.#mark(dirname(path))
        await this.#objects.delete([this.#tree.key(path)])
      }
      this.#removed(path)
    })
  }

  rename(from: string, to: string): Promise<void> {
    return this.#run(from, async () => {
      if (from === '/' || to === '/') throw failure('EBUSY', from === '/' ? from : to)
      await this.#settleWithin(from)
      const source = await this.#get(from)
      await this.#run(to, async () => {
        await this.#settleWithin(to)
        const target = await this.#find(to)
        if (target === null) await this.#demandParent(to)
        if (from === to) return
        if (isWithin(to, from)) throw failure('EINVAL', to)
        if (target !== null) await this.#checkReplaceable(source, target, to)
      })
      if (from !== to) await this.#move(source, from, to)
    })
  }

  link(existing: string): Promise<void> {
    return this.#unsupported(existing)
  }

  symlink(_target: string, path: string): Promise<void> {
    return this.#unsupported(path)
  }

  readlink(path: string): Promise<string> {
    return this.#run(path, async () => {
      await this.#get(path)
      throw failure('EINVAL', path)
    })
  }

  setattr(path: string): Promise<void> {
    return this.#run(path, async () => {
      // Whoever touches a file learns so whether it is there.
      await this.#get(path)
      throw failure('ENOTSUP', path)
    })
  }

  copyTree(from: string): Promise<void> {
    return this.#unsupported(from)
  }

  removeTree(path: string): Promise<void> {
    return this.#run(path, async () => {
      if (path === '/') throw failure('EBUSY', path)
      const found = await this.#get(path)
      for (const [at, writing] of this.#writings) if (isWithin(at, path)) await this.#inTurn(at, () => this.#drop(at, writing))
      await this.#mark(dirname(path))
      if (found.type === 'file') await this.#objects.delete([found.info.key])
      else {
        this.#listings.forget(path)
        for await (const keys of this.#tree.keysBelow(path)) await this.#objects.delete(keys)
      }
      this.#removed(path)
    })
  }

  space(path: string): Promise<FileSystemSpace> {
    return this.#run(path, async () => {
      await this.#get(path)
      return { total: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER }
    })
  }

  gather(path: string): () => void {
    this.#gathering.set(path, (this.#gathering.get(path) ?? 0) + 1)
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      const left = (this.#gathering.get(path) ?? 0) - 1
      if (left > 0) {
        this.#gathering.set(path, left)
        return
      }
      this.#gathering.delete(path)
      if (this.#writings.has(path)) this.#startTimer()
    }
  }

  sync(): MaybePromise<void> {
    this.#listings.clear()
    this.#readings.clear()
    if (this.#turns.size > 0 || this.#writings.size > 0 || this.#failures.length > 0) return this.#sync()
  }

  async close(): Promise<void> {
    this.#gathering.clear()
    await this.#sync()
  }

  async #sync(): Promise<void> {
    await Promise.all(this.#turns.values())
    await this.#settleClosed()
    this.#listings.clear()
    const [failure] = this.#failures.splice(0)
    if (failure !== undefined) throw failure
  }

  /** Brings every file to the store that isn't open any more. */
  async #settleClosed(): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = null
    const closed = [...this.#writings].filter(([path]) => !this.#gathering.has(path))
    await eachOf(closed, async ([path, writing]) => {
      await this.#inTurn(path, async () => {
        if (!this.#gathering.has(path)) await this.#settle(path, writing)
      }).catch((error: unknown) => this.#failures.push(error))
    })
  }

  /** What was closed in a line that goes on is brought to the store before that ends. */
  #startTimer(): void {
    this.#stopTimer ??= this.#host.timer(SETTLED_AFTER, () => void this.#settleClosed())
  }

  async #settleWithin(path: string): Promise<void> {
    for (const [at, writing] of this.#writings) if (isWithin(at, path)) await this.#inTurn(at, () => this.#settle(at, writing))
  }

  #begin(path: string, mode: 'append' | 'replace', base: ObjectInfo | null, isDirty: boolean): ObjectWriting {
    const writing = new ObjectWriting(this.#objects, this.#tree.key(path), mode, base, isDirty)
    this.#writings.set(path, writing)
    return writing
  }

  async #drop(path: string, writing: ObjectWriting): Promise<void> {
    if (this.#writings.get(path) === writing) this.#writings.delete(path)
    await writing.abort()
  }

  async #add(path: string, writing: ObjectWriting, data: Uint8Array): Promise<void> {
    const { partBytes } = this.#objects
    for (let at = 0; at < data.length; ) {
      const isFull = writing.mode === 'append' && writing.held >= partBytes
      if (isFull) await this.#settle(path, writing)
      const piece = writing.mode === 'append' ? data.subarray(at, at + partBytes - writing.held) : data
      await writing.add(piece)
      at += piece.length
    }
    let held = 0
    for (const one of this.#writings.values()) held += one.held
    if (held > MOST_GATHERED) await this.#settleOthers(path)
  }

  async #settleOthers(path: string): Promise<void> {
    for (const [at, writing] of this.#writings) {
      if (at !== path && !this.#gathering.has(at)) await this.#inTurn(at, () => this.#settle(at, writing))
    }
  }

  /** Brings a file to the store; in its turn. What fails is given up: the object stays as it was. */
  async #settle(path: string, writing: ObjectWriting): Promise<void> {
    if (this.#writings.get(path) !== writing) return
    try {
      if (writing.isDirty) {
        const info = writing.mode === 'replace' ? await this.#replace(path, writing) : await this.#extend(path, writing)
        writing.settled(info)
      }
      if (!this.#gathering.has(path)) this.#writings.delete(path)
    } catch (error) {
      await this.#drop(path, writing).catch(() => undefined)
      this.#listings.forget(path)
      throw error
    }
  }

  async #replace(path: string, writing: ObjectWriting): Promise<ObjectInfo> {
    const info = await writing.finish(this.#condition(writing.base))
    if (info === null) throw stale(path)
    this.#wrote(path, info)
    return info
  }

  async #extend(path: string, writing: ObjectWriting): Promise<ObjectInfo> {
    const { info, before } = await this.#changes.extend(path, this.#tree.key(path), writing.base, writing.content)
    this.#wrote(path, info, before)
    return info
  }

  /** Changes a part of what is written in pieces: that needs the whole, which is brought to the store for it. */
  async #changeWhole(path: string, writing: ObjectWriting, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
    await this.#settle(path, writing)
    writing.settled(await this.#change(path, change))
  }

  async #change(path: string, change: (bytes: Uint8Array) => Uint8Array): Promise<ObjectInfo> {
    const { info, before } = await this.#changes.rewrite(path, this.#tree.key(path), change)
    this.#wrote(path, info, before)
    return info
  }

  async #fetch(path: string, offset: number, length: number): Promise<ObjectRange | null> {
    const { changes } = this.#listings
    const range = await this.#objects.get(this.#tree.key(path), offset, length)
    if (range === null) return null
    this.#listings.keepOne(path, { type: 'file', info: range.info }, changes)
    this.#saw(path, range.info.etag)
    return range
  }

  #saw(path: string, etag: string): void {
    if (this.#seen === null) return
    this.#seen.delete(path)
    this.#seen.set(path, etag)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MOST_SEEN && oldest !== undefined) this.#seen.delete(oldest)
  }

  /** `before` is what a part of it comes from: whoever didn't see that hasn't seen the file. */
  #wrote(path: string, info: ObjectInfo, before: ObjectInfo | null = null): void {
    this.#listings.changed(path, { type: 'file', info })
    this.#readings.forget(path)
    if (before === null || this.#seen?.get(path) === before.etag) this.#saw(path, info.etag)
  }

  #removed(path: string): void {
    this.#forget(path)
    this.#listings.changed(path, null)
  }

  /** Nothing is known any more of the path and what is below it. */
  #forget(path: string): void {
    this.#tree.forget(path)
    this.#listings.forget(path)
    this.#readings.forget(path)
  }

  /** Another instance has made the path something else than was known. */
  #otherwise(code: 'EEXIST' | 'ESTALE', path: string): FileSystemError {
    this.#forget(path)
    return code === 'ESTALE' ? stale(path) : failure(code, path)
  }

  /** A file as it is being written. */
  #pending(path: string): ObjectInfo {
    const size = this.#writings.get(path)?.size ?? 0
    return { key: this.#tree.key(path), size, etag: '', modifiedMs: this.#host.now() }
  }

  /** What is at the path, null where nothing is. */
  async #find(path: string): Promise<FoundObject | null> {
    if (path === '/') return { type: 'directory', modifiedMs: 0 }
    if (!this.#tree.canBe(path)) return null
    if (this.#writings.get(path)?.isDirty) return { type: 'file', info: this.#pending(path) }
    const known = this.#listings.find(path)
    if (known !== undefined) return known
    const { changes } = this.#listings
    const found = await this.#tree.look(path)
    this.#listings.keepOne(path, found, changes)
    if (found?.type === 'file') this.#readings.saw(path, found.info)
    return found
  }

  async #list(path: string): Promise<ReadonlyMap<string, FoundObject>> {
    const { changes } = this.#listings
    const names = await this.#tree.list(path)
    if (names === null) {
      await this.#get(path)
      throw failure('ENOTDIR', path)
    }
    this.#listings.keep(path, names, changes)
    return names
  }

  /** As `#find`, of a path where something must be: ENOENT, ENOTDIR, ENAMETOOLONG. */
  async #get(path: string): Promise<FoundObject> {
    const found = await this.#find(path)
    if (found !== null) return found
    await this.#demandParent(path)
    throw missingName(basename(path), path)
  }

  async #file(path: string): Promise<ObjectInfo> {
    const found = await this.#get(path)
    if (found.type === 'directory') throw failure('EISDIR', path)
    return found.info
  }

  /** Makes a file where nothing is, not even by then. */
  async #make(path: string, data: Uint8Array): Promise<void> {
    if ((await this.#find(path)) !== null) throw failure('EEXIST', path)
    await this.#toAppend(path)
    const info = await this.#objects.put(this.#tree.key(path), data, { like: null, condition: 'missing' })
    if (info === null) throw this.#otherwise('EEXIST', path)
    this.#wrote(path, info)
  }

  /** The object to be added to; null where a new one may be made. */
  async #toAppend(path: string): Promise<ObjectInfo | null> {
    const found = await this.#find(path)
    if (found?.type === 'directory') throw failure('EISDIR', path)
    if (found !== null) return found.info
    await this.#demandParent(path)
    this.#checkNew(path)
    return null
  }

  /** As `#toAppend`, of an object to be replaced. */
  async #toWrite(path: string): Promise<ObjectInfo | null> {
    const info = await this.#toAppend(path)
    this.#demandSeen(path, info)
    return info
  }

  #demandSeen(path: string, info: ObjectInfo | null): void {
    if (info === null || this.#seen === null || this.#seen.get(path) === info.etag) return
    throw this.#seen.has(path) ? stale(path) : new FileSystemError('ESTALE', path, { reason: UNREAD })
  }

  /** What must hold for an object to be replaced. */
  #condition(base: ObjectInfo | null): ObjectCondition | null {
    if (this.#seen === null) return null
    return base === null ? 'missing' : { etag: base.etag }
  }

  #checkNew(path: string): void {
    const name = basename(path)
    checkName(name, path)
    if (isRefusedText(name)) throw failure('EINVAL', path)
    if (!this.#tree.canBe(path)) throw failure('ENAMETOOLONG', path)
  }

  /** Fails with ENOENT or ENOTDIR about `path` unless the directory that holds it is there. */
  async #demandParent(path: string): Promise<void> {
    const parent = dirname(path)
    if (this.#tree.isMarked(parent)) return
    const found = await this.#find(parent)
    if (found?.type === 'directory') return
    if (found !== null) throw failure('ENOTDIR', path)
    for (let above = dirname(parent), below = parent; ; below = above, above = dirname(above)) {
      const higher = await this.#find(above)
      if (higher?.type === 'file') throw failure('ENOTDIR', path)
      if (higher !== null) throw missingName(basename(below), path)
    }
  }

  async #mark(path: string): Promise<boolean> {
    const isNew = this.#listings.find(path) === null
    if (!(await this.#tree.mark(path))) return false
    this.#listings.changed(path, { type: 'directory', modifiedMs: 0 })
    if (isNew) this.#listings.keep(path, new Map(), this.#listings.changes)
    return true
  }

  async #isEmpty(path: string): Promise<boolean> {
    const known = this.#listings.list(path)
    return known !== undefined && known.size > 0 ? false : this.#tree.isEmpty(path)
  }

  async #checkReplaceable(source: FoundObject, target: FoundObject, to: string): Promise<void> {
    if (source.type === 'file') {
      if (target.type === 'directory') throw failure('EISDIR', to)
      await this.#toWrite(to)
      return
    }
    if (target.type === 'file') throw failure('ENOTDIR', to)
    if (!(await this.#isEmpty(to))) throw failure('ENOTEMPTY', to)
  }

  /** Copies everything, and only then removes what was copied. */
  async #move(source: FoundObject, from: string, to: string): Promise<void> {
    this.#checkNew(to)
    const keys: string[] = []
    if (source.type === 'file') keys.push(source.info.key)
    else for await (const some of this.#tree.keysBelow(from)) keys.push(...some)
    const cut = this.#tree.key(from).length
    const moved = (key: string): string => this.#tree.key(to) + key.slice(cut)
    const tooLong = keys.find((key) => encode(moved(key)).length > this.#objects.longestKey)
    if (tooLong !== undefined) throw failure('ENAMETOOLONG', to)
    try {
      if (this.#objects.rename !== undefined) {
        await this.#mark(dirname(from))
        await this.#objects.rename(this.#tree.key(from), this.#tree.key(to), keys)
        return
      }
      if (source.type === 'directory') await this.#mark(to)
      const copied: string[] = []
      try {
        await eachOf(keys, async (key) => {
          if (!(await this.#objects.copy(key, moved(key)))) throw failure('ENOENT', from)
          copied.push(moved(key))
        })
        await this.#mark(dirname(from))
      } catch (error) {
        // Of a file that was there before there is nothing to go back to.
        if (source.type === 'directory') await this.#objects.delete([...copied, this.#tree.directoryKey(to)])
        throw error
      }
      await this.#objects.delete(keys)
      this.#removed(from)
    } finally {
      this.#forget(from)
      this.#forget(to)
    }
  }

  /** One change of a file after the other. */
  async #inTurn(path: string, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(path)
    const change = this.#run(path, async () => {
      await before
      await work()
    })
    const turn = change.catch(() => undefined)
    this.#turns.set(path, turn)
    try {
      await change
    } finally {
      if (this.#turns.get(path) === turn) this.#turns.delete(path)
    }
  }

  #unsupported(path: string): Promise<never> {
    return Promise.reject(failure('ENOTSUP', path))
  }

  async #run<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof WorkspaceError && !(error instanceof FileSystemError)) {
        if (isPosixCode(error.code)) throw new FileSystemError(error.code, path, { cause: error })
        throw new FileSystemError('EIO', path, { cause: error, reason: `Input/output error (${error.message})` })
      }
      // More than one array can hold.
      if (error instanceof RangeError) throw new FileSystemError('EFBIG', path, { cause: error })
      throw error
    }
  }
}

const CAPABILITIES: FileSystemCapabilities = {
  symlinks: false,
  hardLinks: false,
  attributes: false,
  partialWrites: false,
  trees: false,
  treeRemoval: true,
  readOnly: false,
}

/** Copies at the same time: Workers have six connections. */
const CONCURRENCY = 6
const MOST_SEEN = 10_000
/** Bytes that are gathered of all files together, unless more files are open. */
const MOST_GATHERED = 32 * 1024 * 1024
/** Milliseconds until a file that was closed is brought to the store, where no line ends before. */
const SETTLED_AFTER = 1000

const CHANGED = 'changed since it was read; read it again before writing'
const UNREAD = 'not read yet; read it before writing'

function stale(path: string): FileSystemError {
  return new FileSystemError('ESTALE', path, { reason: CHANGED })
}

function failure(code: PosixCode, path: string): FileSystemError {
  return new FileSystemError(code, path)
}

async function eachOf<T>(values: readonly T[], run: (value: T) => Promise<void>): Promise<void> {
  let next = 0
  let isFailed = false
  const work = async (): Promise<void> => {
    while (next < values.length && !isFailed) {
      try {
        await run(values[next++] as T)
      } catch (error) {
        isFailed = true
        throw error
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function resized(bytes: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(size)
  whole.set(bytes.subarray(0, size))
  return whole
}

function statOf(path: string, found: FoundObject): FileStat {
  if (found.type === 'file') return plainStat(path, 'file', found.info.size, found.info.modifiedMs)
  return plainStat(path, found.type, 0, found.modifiedMs)
}
