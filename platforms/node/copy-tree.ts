import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { FileSystemError, hasCode } from '../../src/errors.ts'
import type { FileStat, FileSystem } from '../../src/fs/file-system.ts'
import { join } from '../../src/fs/path.ts'
import { isPromise, type MaybePromise } from '../../src/host.ts'
import { stampOf } from '../../src/job/baseline.ts'
import type { StagedMount } from '../../src/job/stage.ts'
import type { PathRules } from '../../src/policy/path-rules.ts'
import type { CopiedDirectory, CopiedEntry, CopiedFile, LeftOut, Print } from './copied-tree.ts'
import { printOf } from './copied-tree.ts'
import { HostFileSystem } from './host-file-system.ts'
import { hostSeconds } from './host-times.ts'
import { hostPath, readLinkText } from './node-directories.ts'
import { isSuperuser } from './superuser.ts'

/** What is copied, and how. */
export interface TreeCopy {
  /** Where unchanged files are read: the lower layer of a staged mount, or what is mounted. */
  readonly source: FileSystem
  /** Null where there are no changes to be put over it. */
  readonly staged: StagedMount | null
  /** Path of the mount in the workspace, for the rules. */
  readonly prefix: string
  readonly rules: PathRules | null
  /** True for a host path that is left alone, such as the folder of the copy itself. */
  readonly isOwn: (place: string) => boolean
  /** True for a path of the workspace where something else is. */
  readonly isMountPoint: (path: string) => boolean
  readonly toCopy: (target: string) => string
}

/** Copies a tree into a new folder of the host, with modes, times, links and, where this process may, owners. */
export async function copyTree(copy: TreeCopy, place: string): Promise<CopiedDirectory> {
  const copier = new TreeCopier(copy)
  const root = await copier.directory('/', place, copy.staged === null ? 'lower' : 'merged')
  copier.finish()
  return root
}

type Layers = 'lower' | 'merged'

class TreeCopier {
  readonly #copy: TreeCopy
  /** The first place of each file that has several names. */
  readonly #linked = new Map<string, string>()
  readonly #toPrintAgain: { readonly entry: CopiedFile; readonly place: string }[] = []
  #lastBreath = performance.now()

  constructor(copy: TreeCopy) {
    this.#copy = copy
  }

  async directory(path: string, place: string, layers: Layers): Promise<CopiedDirectory> {
    const fs = this.#fs(layers)
    const stat = await fs.lstat(path)
    const list = await fs.readdir(path)
    const isLower = layers === 'lower' || (await this.#overlayLayer(path)) === 'lower'
    // Below a directory that only the lower layer has, there is nothing else.
    const below: Layers = isLower ? 'lower' : 'merged'
    mkdirSync(hostPath(place), 0o700)
    const names = new Map<string, CopiedEntry>()
    const leftOut = new Map<string, LeftOut>()
    for (const { name } of list) {
      if (performance.now() - this.#lastBreath > BREATH) await this.#breathe()
      const at = join(path, name)
      const inWorkspace = this.#copy.prefix === '/' ? at : this.#copy.prefix + at
      if (this.#copy.isMountPoint(inWorkspace)) continue
      if (this.#copy.rules?.standing(inWorkspace) !== undefined) {
        leftOut.set(name, 'denied')
        continue
      }
      const entry = await this.#entry(at, join(place, name), below)
      if (typeof entry === 'string') leftOut.set(name, entry)
      else if (entry !== null) names.set(name, entry)
    }
    dress(place, stat)
    const origin = isLower ? { stat, sha256: null, target: null } : null
    return { type: 'directory', print: printAt(place), origin, names, leftOut }
  }

  /** What several names share was changed with each new name. */
  finish(): void {
    for (const { entry, place } of this.#toPrintAgain) entry.print = printAt(place)
  }

  /** Null where nothing is any more, or nothing that belongs to the Job. */
  async #entry(path: string, place: string, layers: Layers): Promise<CopiedEntry | LeftOut | null> {
    try {
      const seen = this.#fs(layers).lstat(path)
      const stat = isPromise(seen) ? await seen : seen
      switch (stat.type) {
        case 'directory': {
          const from = hostPlaceOf(this.#copy.source, path)
          if (from !== undefined && this.#copy.isOwn(from)) return null
          return await this.directory(path, place, layers)
        }
        case 'file':
          return await this.#file(path, place, stat, layers)
        case 'symlink':
          return await this.#link(path, place, stat, layers)
        case 'character-device':
        case 'fifo':
          return 'special'
        default:
          return stat.type satisfies never
      }
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null
      if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) return 'unreadable'
      throw error
    }
  }

  async #file(path: string, place: string, first: FileStat, layers: Layers): Promise<CopiedEntry | LeftOut | null> {
    const layer = layers === 'lower' ? 'lower' : await this.#overlayLayer(path)
    const fs = layer === 'lower' ? this.#copy.source : (this.#copy.staged?.upper as FileSystem)
    const known = first.nlink > 1 ? `${layer}:${first.dev}:${first.ino}` : ''
    const other = this.#linked.get(known)
    let stat = first
    for (let attempt = 0; ; attempt++) {
      const isNew = layer === 'lower' && Date.now() - Math.max(stat.mtimeMs, stat.ctimeMs) < NEW
      const hash = isNew ? createHash('sha256') : null
      if (other === undefined) await writeCopyOrNothing(fs, path, place, stat, hash)
      else linkSync(hostPath(other), hostPath(place))
      const after = await this.#fs(layers).lstat(path)
      // Written to meanwhile: what was copied may be half of it.
      if (after.type !== 'file') {
        unlinkSync(hostPath(place))
        return await this.#entry(path, place, layers)
      }
      if (stampOf(after) !== stampOf(stat) && attempt < ATTEMPTS && other === undefined) {
        unlinkSync(hostPath(place))
        stat = after
        continue
      }
      const origin = layer === 'lower' ? { stat, sha256: other === undefined ? (hash?.digest('hex') ?? null) : null, target: null } : null
      const entry: CopiedFile = { type: 'file', print: printAt(place), origin }
      if (known !== '') {
        if (other === undefined) this.#linked.set(known, place)
        this.#toPrintAgain.push({ entry, place })
      }
      return entry
    }
  }

  async #link(path: string, place: string, stat: FileStat, layers: Layers): Promise<CopiedEntry> {
    const layer = layers === 'lower' ? 'lower' : await this.#overlayLayer(path)
    const shown = await this.#fs(layers).readlink(path)
    const from = layer === 'lower' ? hostPlaceOf(this.#copy.source, path) : undefined
    const target = this.#copy.toCopy(from === undefined ? shown : readLinkText(from))
    symlinkSync(hostPath(target), hostPath(place))
    return { type: 'symlink', print: printAt(place), origin: layer === 'lower' ? { stat, sha256: null, target: shown } : null, target }
  }

  #fs(layers: Layers): FileSystem {
    return layers === 'merged' && this.#copy.staged !== null ? this.#copy.staged.overlay : this.#copy.source
  }

  #overlayLayer(path: string): MaybePromise<'upper' | 'lower'> {
    return this.#copy.staged === null ? 'lower' : this.#copy.staged.overlay.layerOf(path)
  }

  /** Lets others work. */
  async #breathe(): Promise<void> {
    await setImmediate()
    this.#lastBreath = performance.now()
  }
}

async function writeCopyOrNothing(fs: FileSystem, path: string, place: string, stat: FileStat, hash: Hash | null): Promise<void> {
  try {
    await writeCopy(fs, path, place, stat, hash)
  } catch (error) {
    rmSync(hostPath(place), { force: true })
    throw error
  }
}

async function writeCopy(fs: FileSystem, path: string, place: string, stat: FileStat, hash: Hash | null): Promise<void> {
  const from = hostPlaceOf(fs, path)
  // By reference where the disk can do that; the host's copying of small files takes twice as long as reading and writing them.
  if (from !== undefined && stat.size > BUFFER_SIZE && hash === null) {
    copyFileSync(hostPath(from), hostPath(place), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    dress(place, stat)
    return
  }
  const descriptor = openSync(hostPath(place), 'wx', 0o600)
  try {
    if (from === undefined) {
      for (let at = 0; at < stat.size; ) {
        const bytes = await fs.read(path, at, BUFFER_SIZE)
        if (bytes.length === 0) break
        hash?.update(bytes)
        writeAll(descriptor, bytes, bytes.length)
        at += bytes.length
      }
    } else copyBytes(from, descriptor, hash)
    if (isSuperuser()) fchownSync(descriptor, stat.uid, stat.gid)
    fchmodSync(descriptor, stat.mode)
    futimesSync(descriptor, hostSeconds(stat.atimeMs), hostSeconds(stat.mtimeMs))
  } finally {
    closeSync(descriptor)
  }
}

interface Hash {
  update(bytes: Uint8Array): unknown
}

function copyBytes(from: string, to: number, hash: Hash | null): void {
  const descriptor = openSync(hostPath(from), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    if (!fstatSync(descriptor).isFile()) throw new FileSystemError('ENOENT', from)
    for (;;) {
      const read = readSync(descriptor, BUFFER, 0, BUFFER.length, null)
      if (read === 0) return
      hash?.update(BUFFER.subarray(0, read))
      writeAll(to, BUFFER, read)
    }
  } finally {
    closeSync(descriptor)
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, length: number): void {
  for (let written = 0; written < length; ) written += writeSync(descriptor, bytes, written, length - written)
}

/** Gives what was copied the attributes of what it was copied from. */
function dress(place: string, stat: FileStat): void {
  const path = hostPath(place)
  if (isSuperuser()) chownSync(path, stat.uid, stat.gid)
  chmodSync(path, stat.mode)
  utimesSync(path, hostSeconds(stat.atimeMs), hostSeconds(stat.mtimeMs))
}

function printAt(place: string): Print {
  return printOf(lstatSync(hostPath(place)))
}

/** The host's own path of a path, in a file system that is a folder of the host. */
function hostPlaceOf(fs: FileSystem, path: string): string | undefined {
  return fs instanceof HostFileSystem ? fs.placeOf(path) : undefined
}

/** Only it may give files away. */
const BUFFER_SIZE = 256 * 1024
const BUFFER = Buffer.allocUnsafeSlow(BUFFER_SIZE)
/** Milliseconds that others wait at most. */
const BREATH = 20
/** Milliseconds within which a file may be written to twice and have the same times. */
const NEW = 100
const ATTEMPTS = 3
