import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { decode, encode } from '../../src/bytes.ts'
import { FileSystemError } from '../../src/errors.ts'
import { LinkMet } from '../../src/fs/file-system.ts'
import { basename, dirname, join } from '../../src/fs/path.ts'
import { inDeno } from './deno.ts'
import { fileError } from './node-file-error.ts'

/** Ways to the directories of a host folder by which no symbolic link can lead out of it. */
export interface Directories {
  /**
   * A host path that stands for the directory at `path`, to be used at once, for one name in it. Throws LinkMet where a link is on the
   * way or at its end, ENOENT or ENOTDIR where it doesn't lead to a directory. `asked` is what errors name.
   */
  at(path: string, asked: string): string
  /** Calls `use` with a host path that stands for what is at `way` now, a link itself excepted, and its attributes. */
  hold(way: string, path: string, use: (way: string, stat: Stats) => void): void
  close(): void
}

/** A host path as the calls of the host take it: bytes where it isn't valid text. EINVAL in Deno, which would put U+FFFD for such bytes. */
export function hostPath(path: string): string | Buffer {
  if (!STRAY.test(path)) return path
  if (inDeno) throw Object.assign(new Error('Deno has no names that are not valid text'), { code: 'EINVAL' })
  return Buffer.from(encode(path))
}

/** Text of a link. EINVAL where there is none. */
export function readLinkText(path: string): string {
  const text = readlinkSync(hostPath(path))
  return text.includes(REPLACEMENT) ? decode(readlinkSync(hostPath(path), 'buffer')) : text
}

/** The best way this host has. */
export function openDirectories(root: string, targetOf: TargetReader): Directories {
  return canPin(root) ? new PinnedDirectories(root, targetOf) : new CheckedDirectories(root, targetOf)
}

/** Reads the link at a host path, which is at `path` of the file system. */
export type TargetReader = (way: string, path: string) => string

/**
 * Linux: a directory is opened, and the kernel is asked where what was opened really is. From then on it is used by its descriptor, so that it
 * doesn't matter what is put in its place meanwhile.
 */
class PinnedDirectories implements Directories {
  readonly #root: string
  readonly #targetOf: TargetReader
  /** By path, the longest unused first. */
  readonly #open = new Map<string, Pinned>()
  #last: Pinned | undefined

  constructor(root: string, targetOf: TargetReader) {
    this.#root = root
    this.#targetOf = targetOf
  }

  at(path: string, asked: string): string {
    const last = this.#last
    if (last?.path === path && last.seen === currentTurn()) return last.way
    const known = this.#open.get(path)
    if (known !== undefined) {
      if (known.seen === currentTurn() || this.#isAt(known.way, path)) return this.#use(known)
      this.#forget(known)
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const descriptor = this.#pin(path, asked)
      if (descriptor === undefined) continue
      const oldest = this.#open.size < KEPT ? undefined : this.#open.values().next().value
      if (oldest !== undefined) this.#forget(oldest)
      return this.#use({ path, descriptor, way: DESCRIPTORS + descriptor, seen: currentTurn() })
    }
    throw new FileSystemError('EAGAIN', asked)
  }

  hold(way: string, path: string, use: (way: string, stat: Stats) => void): void {
    const descriptor = openSync(hostPath(way), O_PATH | NO_FOLLOW)
    try {
      const stat = fstatSync(descriptor)
      if (stat.isSymbolicLink()) throw new LinkMet(path, this.#targetOf(way, path))
      use(DESCRIPTORS + descriptor, stat)
    } finally {
      closeSync(descriptor)
    }
  }

  close(): void {
    for (const { descriptor } of this.#open.values()) closeSync(descriptor)
    this.#open.clear()
    this.#last = undefined
  }

  /** Undefined where the way changed while it was walked. */
  #pin(path: string, asked: string): number | undefined {
    let descriptor: number
    try {
      descriptor = openSync(hostPath(this.#host(path)), PIN)
    } catch (error) {
      if (path === '/') throw fileError(error, asked)
      this.#explain(path, asked)
      return undefined
    }
    if (this.#isAt(DESCRIPTORS + descriptor, path)) return descriptor
    closeSync(descriptor)
    if (path === '/') throw new FileSystemError('ENOENT', asked)
    this.#explain(path, asked)
    return undefined
  }

  /** Throws what keeps `path` from being a directory without links on the way; nothing does where the tree has changed meanwhile. */
  #explain(path: string, asked: string): void {
    const way = join(this.at(dirname(path), asked), basename(path))
    let isLink: boolean
    try {
      const stat = lstatSync(hostPath(way))
      isLink = stat.isSymbolicLink()
      if (!isLink && !stat.isDirectory()) throw new FileSystemError('ENOTDIR', asked)
      // It may be closed to this process, though it is where it should be.
      if (!isLink) closeSync(openSync(hostPath(way), PIN))
    } catch (error) {
      throw fileError(error, asked)
    }
    if (isLink) throw new LinkMet(path, this.#targetOf(way, path))
  }

  #isAt(way: string, path: string): boolean {
    return readLinkText(way) === this.#host(path)
  }

  #host(path: string): string {
    return path === '/' ? this.#root : this.#root === '/' ? path : this.#root + path
  }

  #use(pinned: Pinned): string {
    pinned.seen = currentTurn()
    this.#open.delete(pinned.path)
    this.#open.set(pinned.path, pinned)
    this.#last = pinned
    return pinned.way
  }

  #forget(pinned: Pinned): void {
    this.#open.delete(pinned.path)
    if (pinned === this.#last) this.#last = undefined
    closeSync(pinned.descriptor)
  }
}

interface Pinned {
  readonly path: string
  readonly descriptor: number
  /** The host path it is used by. */
  readonly way: string
  /** The turn in which it was last known to be at its path. */
  seen: number
}

/**
 * Counts turns of the event loop. Where a directory is, is looked up once a turn: our own changes end one too, and those of another process in
 * the same few milliseconds could as well have come after. Asking the kernel again takes as long as a `stat`.
 */
let turn = 0
let isTurnOpen = false

function currentTurn(): number {
  if (!isTurnOpen) {
    isTurnOpen = true
    queueMicrotask(endTurn)
  }
  return turn
}

/** To be called where a directory was moved or removed. */
export function endTurn(): void {
  isTurnOpen = false
  turn += 1
}

/**
 * Anywhere else: each directory on the way is looked at first. A process of the host that swaps one for a link at that very moment
 * isn't noticed; sessions can't do that, since nothing of theirs runs in between.
 */
class CheckedDirectories implements Directories {
  readonly #root: string
  readonly #targetOf: TargetReader

  constructor(root: string, targetOf: TargetReader) {
    this.#root = root
    this.#targetOf = targetOf
  }

  at(path: string, asked: string): string {
    let way = this.#root
    if (path === '/') return way
    for (let end = path.indexOf('/', 1); ; end = path.indexOf('/', end + 1)) {
      const upTo = end < 0 ? path : path.slice(0, end)
      way = join(way, basename(upTo))
      this.#check(way, upTo, asked)
      if (end < 0) return way
    }
  }

  hold(way: string, path: string, use: (way: string, stat: Stats) => void): void {
    const stat = lstatSync(hostPath(way))
    if (stat.isSymbolicLink()) throw new LinkMet(path, this.#targetOf(way, path))
    use(way, stat)
  }

  close(): void {}

  #check(way: string, path: string, asked: string): void {
    if (process.platform === 'win32' && /[\\:]/.test(basename(path))) throw new FileSystemError('EINVAL', asked)
    let isLink: boolean
    try {
      const stat = lstatSync(hostPath(way))
      isLink = stat.isSymbolicLink()
      if (!isLink && !stat.isDirectory()) throw new FileSystemError('ENOTDIR', asked)
    } catch (error) {
      throw fileError(error, asked)
    }
    if (isLink) throw new LinkMet(path, this.#targetOf(way, path))
  }
}

const STRAY = /[\udc80-\udcff]/
const REPLACEMENT = '\ufffd'
const DESCRIPTORS = '/proc/self/fd/'
/** Linux's O_PATH, which Node doesn't name: a descriptor that only stands for a place. */
const O_PATH = 0o10000000
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const PIN = O_PATH | NO_FOLLOW | (constants.O_DIRECTORY ?? 0)
/** Directories kept open. */
const KEPT = 32
const ATTEMPTS = 8

function canPin(root: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    const descriptor = openSync(root, PIN)
    try {
      return readlinkSync(DESCRIPTORS + descriptor) === root && lstatSync(`${DESCRIPTORS}${descriptor}/.`).isDirectory()
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false
  }
}
