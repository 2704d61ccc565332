import { encode } from '../bytes.ts'
import { FileSystemError, hasCode, type PosixCode } from '../errors.ts'
import { type Host, webHost } from '../host.ts'
import { checkName, isRefusedText, missingName } from './file-name.ts'
import type { CreateOptions, Dirent, FileStat, FileSystem, FileSystemCapabilities, FileSystemSpace } from './file-system.ts'
import type { ObjectInfo, ObjectPage, Objects } from './objects.ts'
import { basename, dirname, isWithin, normalise } from './path.ts'
import { plainStat } from './plain-stat.ts'

/** Which objects an {@link ObjectFileSystem} shows. */
export interface ObjectFileSystemOptions {
  /** What all keys begin with; the whole bucket when left out. A missing slash at its end is added. */
  readonly prefix?: string
  readonly host?: Pick<Host, 'random' | 'timer'>
}

/** What is at a path. */
type Found = { readonly type: 'file'; readonly info: ObjectInfo } | { readonly type: 'directory'; readonly modifiedMs: number }

/**
 * Objects as files: the key of `/a/b` is the prefix and `a/b`, as it is. A directory is what keys begin with, up to a slash; an empty one, and each
 * that is made here, has an object of its own whose key ends with the slash. So every bucket can be mounted, and others see in it what they expect.
 *
 * There are no links, and attributes can't be set. Changing a part of an object writes it anew, on the condition that nobody else did meanwhile.
 */
export class ObjectFileSystem implements FileSystem {
  readonly capabilities: FileSystemCapabilities = CAPABILITIES
  readonly #objects: Objects
  readonly #prefix: string
  readonly #host: Pick<Host, 'random' | 'timer'>
  /** Directories that have an object of their own. One that another instance removed comes back as soon as something is put into it. */
  readonly #marked = new Set<string>(['/'])
  /** The last change of each file that is being changed here. */
  readonly #turns = new Map<string, Promise<void>>()

  constructor(objects: Objects, { prefix = '', host = webHost }: ObjectFileSystemOptions = {}) {
    this.#objects = objects
    this.#prefix = normalise(`/${prefix}/`).slice(1).replace(/(.)$/, '$1/')
    this.#host = host
  }

  stat(path: string): Promise<FileStat> {
    return this.#run(path, async () => statOf(path, await this.#get(path)))
  }

  lstat(path: string): Promise<FileStat> {
    return this.stat(path)
  }

  readdir(path: string): Promise<readonly Dirent[]> {
    return this.#run(path, async () => {
      const prefix = this.#directoryKey(path)
      const entries = new Map<string, Dirent>()
      let isThere = path === '/'
      for await (const { objects, prefixes } of this.#pages(prefix, '/')) {
        isThere ||= objects.length + prefixes.length > 0
        for (const key of prefixes) add(entries, key.slice(prefix.length, -1), 'directory')
        // Where a bucket has both, the object hides what its key is the beginning of.
        for (const { key } of objects) add(entries, key.slice(prefix.length), 'file')
      }
      if (isThere) return [...entries.values()]
      await this.#get(path)
      throw failure('ENOTDIR', path)
    })
  }

  read(path: string, offset = 0, length: number = Number.MAX_SAFE_INTEGER): Promise<Uint8Array> {
    return this.#run(path, async () => {
      if (offset < 0 || length < 0) throw failure('EINVAL', path)
      const found = this.#canBe(path) ? await this.#objects.get(this.#key(path), offset, length) : null
      if (found !== null) return found.bytes
      await this.#get(path)
      throw failure('EISDIR', path)
    })
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): Promise<void> {
    return this.#inTurn(path, async () => {
      const info = await this.#toWrite(path, options)
      const isPut = await this.#objects.put(this.#key(path), data, { like: info, condition: options?.exclusive ? 'missing' : null })
      if (!isPut) throw failure('EEXIST', path)
    })
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): Promise<void> {
    return this.#inTurn(path, () =>
      this.#rewrite(path, async () => {
        const info = await this.#toWrite(path, options)
        if (info === null) return { info, bytes: data }
        return data.length === 0 ? null : this.#changed(info, (bytes) => overwritten(bytes, bytes.length, data))
      }),
    )
  }

  writeAt(path: string, offset: number, data: Uint8Array): Promise<void> {
    return this.#inTurn(path, () =>
      this.#rewrite(path, async () => {
        const info = await this.#file(path)
        if (offset < 0) throw failure('EINVAL', path)
        return data.length === 0 ? null : this.#changed(info, (bytes) => overwritten(bytes, offset, data))
      }),
    )
  }

  truncate(path: string, size: number): Promise<void> {
    return this.#inTurn(path, () =>
      this.#rewrite(path, async () => {
        const info = await this.#file(path)
        if (size < 0) throw failure('EINVAL', path)
        return info.size === size ? null : this.#changed(info, (bytes) => resized(bytes, size))
      }),
    )
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
      if (!(await this.#isEmpty(path))) throw failure('ENOTEMPTY', path)
      await this.#mark(dirname(path))
      this.#forget(path)
      await this.#objects.delete([this.#directoryKey(path)])
    })
  }

  unlink(path: string): Promise<void> {
    return this.#run(path, async () => {
      const { key } = await this.#file(path)
      // Before: without it the directory of a last file would go, too.
      await this.#mark(dirname(path))
      await this.#objects.delete([key])
    })
  }

  rename(from: string, to: string): Promise<void> {
    return this.#run(from, async () => {
      if (from === '/' || to === '/') throw failure('EBUSY', from === '/' ? from : to)
      const source = await this.#get(from)
      await this.#run(to, async () => {
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
      await this.#mark(dirname(path))
      if (found.type === 'file') return this.#objects.delete([found.info.key])
      this.#forget(path)
      for await (const { objects } of this.#pages(this.#directoryKey(path))) await this.#objects.delete(objects.map(({ key }) => key))
    })
  }

  space(path: string): Promise<FileSystemSpace> {
    return this.#run(path, async () => {
      await this.#get(path)
      return { total: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER }
    })
  }

  sync(): void {}

  async close(): Promise<void> {
    await Promise.all(this.#turns.values())
  }

  /** What is at the path, null where nothing is. */
  async #find(path: string): Promise<Found | null> {
    if (path === '/') return { type: 'directory', modifiedMs: 0 }
    if (!this.#canBe(path)) return null
    const info = await this.#objects.head(this.#key(path))
    if (info !== null) return { type: 'file', info }
    const prefix = this.#directoryKey(path)
    const [first] = (await this.#objects.list({ prefix, limit: 1 })).objects
    if (first === undefined) return null
    if (first.key !== prefix) return { type: 'directory', modifiedMs: 0 }
    this.#setMarked(path)
    return { type: 'directory', modifiedMs: first.modifiedMs }
  }

  /** As `#find`, of a path where something must be: ENOENT, ENOTDIR, ENAMETOOLONG. */
  async #get(path: string): Promise<Found> {
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

  /** The object to be replaced; null where a new one may be made. */
  async #toWrite(path: string, options: CreateOptions | undefined): Promise<ObjectInfo | null> {
    const found = await this.#find(path)
    if (found !== null && options?.exclusive) throw failure('EEXIST', path)
    if (found?.type === 'directory') throw failure('EISDIR', path)
    if (found !== null) return found.info
    await this.#demandParent(path)
    this.#checkNew(path)
    return null
  }

  #checkNew(path: string): void {
    const name = basename(path)
    checkName(name, path)
    if (isRefusedText(name)) throw failure('EINVAL', path)
    if (!this.#canBe(path)) throw failure('ENAMETOOLONG', path)
  }

  /** Fails with ENOENT or ENOTDIR about `path` unless the directory that holds it is there. */
  async #demandParent(path: string): Promise<void> {
    const parent = dirname(path)
    if (this.#marked.has(parent)) return
    const found = await this.#find(parent)
    if (found?.type === 'directory') return
    if (found !== null) throw failure('ENOTDIR', path)
    for (let above = dirname(parent), below = parent; ; below = above, above = dirname(above)) {
      const higher = await this.#find(above)
      if (higher?.type === 'file') throw failure('ENOTDIR', path)
      if (higher !== null) throw missingName(basename(below), path)
    }
  }

  /** Gives the directory an object of its own, so that it stays when it is empty. False where it had one. */
  async #mark(path: string): Promise<boolean> {
    if (this.#marked.has(path)) return false
    const isMade = await this.#objects.put(this.#directoryKey(path), new Uint8Array(0), { like: null, condition: 'missing' })
    this.#setMarked(path)
    return isMade
  }

  #setMarked(path: string): void {
    if (this.#marked.size >= MOST_MARKED) {
      this.#marked.clear()
      this.#marked.add('/')
    }
    this.#marked.add(path)
  }

  #forget(path: string): void {
    for (const marked of this.#marked) if (isWithin(marked, path)) this.#marked.delete(marked)
  }

  async #isEmpty(path: string): Promise<boolean> {
    const prefix = this.#directoryKey(path)
    const { objects } = await this.#objects.list({ prefix, limit: 2 })
    return objects.every(({ key }) => key === prefix)
  }

  async #checkReplaceable(source: Found, target: Found, to: string): Promise<void> {
    if (source.type === 'file') {
      if (target.type === 'directory') throw failure('EISDIR', to)
      return
    }
    if (target.type === 'file') throw failure('ENOTDIR', to)
    if (!(await this.#isEmpty(to))) throw failure('ENOTEMPTY', to)
  }

  /** Copies everything, and only then removes what was copied. */
  async #move(source: Found, from: string, to: string): Promise<void> {
    this.#checkNew(to)
    const keys: string[] = []
    if (source.type === 'file') keys.push(source.info.key)
    else for await (const { objects } of this.#pages(this.#directoryKey(from))) for (const { key } of objects) keys.push(key)
    const cut = this.#key(from).length
    const moved = (key: string): string => this.#key(to) + key.slice(cut)
    const tooLong = keys.find((key) => encode(moved(key)).length > this.#objects.longestKey)
    if (tooLong !== undefined) throw failure('ENAMETOOLONG', to)
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
      if (source.type === 'directory') {
        this.#forget(to)
        await this.#objects.delete([...copied, this.#directoryKey(to)])
      }
      throw error
    }
    this.#forget(from)
    await this.#objects.delete(keys)
  }

  async #changed(info: ObjectInfo, change: (bytes: Uint8Array) => Uint8Array): Promise<{ info: ObjectInfo; bytes: Uint8Array } | 'gone'> {
    const found = await this.#objects.get(info.key, 0, Number.MAX_SAFE_INTEGER)
    return found === null ? 'gone' : { info: found.info, bytes: change(found.bytes) }
  }

  /**
   * Writes what `make` makes of the object as it is, until nobody else wrote it in between; EBUSY after too many attempts.
   * Null means that there is nothing to write.
   */
  async #rewrite(
    path: string,
    make: () => Promise<{ readonly info: ObjectInfo | null; readonly bytes: Uint8Array } | 'gone' | null>,
  ): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      if (attempt > 0) await this.#pause(attempt)
      const made = await make()
      if (made === null) return
      if (made === 'gone') continue
      const { info, bytes } = made
      if (await this.#putOnce(this.#key(path), bytes, info)) return
    }
    throw failure('EBUSY', path)
  }

  /** A write whose answer was lost is looked for before it counts as failed: done twice it would add twice. */
  async #putOnce(key: string, bytes: Uint8Array, info: ObjectInfo | null): Promise<boolean> {
    const condition = info === null ? ('missing' as const) : { etag: info.etag }
    try {
      return await this.#objects.put(key, bytes, { like: info, condition })
    } catch (error) {
      if (!hasCode(error, 'STORE_UNAVAILABLE')) throw error
      const found = await this.#objects.get(key, 0, Number.MAX_SAFE_INTEGER)
      return found !== null && sameBytes(found.bytes, bytes)
    }
  }

  async *#pages(prefix: string, delimiter?: string): AsyncGenerator<ObjectPage> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: ObjectPage = await this.#objects.list({ prefix, delimiter, cursor, limit: PAGE })
      yield page
      cursor = page.cursor
    }
  }

  #key(path: string): string {
    return this.#prefix + path.slice(1)
  }

  #directoryKey(path: string): string {
    return path === '/' ? this.#prefix : `${this.#key(path)}/`
  }

  /** Whether there can be an object for the path: with room for the slash of a directory. */
  #canBe(path: string): boolean {
    return path !== '/' && !isRefusedText(path) && encode(this.#key(path)).length < this.#objects.longestKey
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

  #pause(attempt: number): Promise<void> {
    const chance = new Uint8Array(1)
    this.#host.random(chance)
    const ms = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** attempt) * (0.5 + (chance[0] as number) / 512)
    return new Promise((resolve) => this.#host.timer(ms, resolve))
  }

  #unsupported(path: string): Promise<never> {
    return Promise.reject(failure('ENOTSUP', path))
  }

  async #run<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (hasCode(error, 'STORE_UNAVAILABLE')) throw new FileSystemError('EIO', path, { cause: error })
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

/** Objects of one page of a listing: what R2 and S3 give at most. */
const PAGE = 1000
/** Copies at the same time: Workers have six connections. */
const CONCURRENCY = 6
const MOST_MARKED = 10_000
const MOST_ATTEMPTS = 12
/** Milliseconds between attempts. */
const SHORTEST_PAUSE = 10
const LONGEST_PAUSE = 2000

function failure(code: PosixCode, path: string): FileSystemError {
  return new FileSystemError(code, path)
}

/** Names that no path can have, such as the empty one between two slashes of a key, aren't shown. */
function add(entries: Map<string, Dirent>, name: string, type: 'file' | 'directory'): void {
  if (name !== '' && name !== '.' && name !== '..') entries.set(name, { name, type })
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

function overwritten(bytes: Uint8Array, offset: number, data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.max(bytes.length, offset + data.length))
  whole.set(bytes)
  whole.set(data, offset)
  return whole
}

function resized(bytes: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(size)
  whole.set(bytes.subarray(0, size))
  return whole
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

function statOf(path: string, found: Found): FileStat {
  if (found.type === 'file') return plainStat(path, 'file', found.info.size, found.info.modifiedMs)
  return plainStat(path, found.type, 0, found.modifiedMs)
}
