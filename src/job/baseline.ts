import { FileSystemError, hasCode } from '../errors.ts'
import type { FileStat, FileSystem } from '../fs/file-system.ts'
import { LinkMet } from '../fs/file-system.ts'
import { drive, type Steps, wait } from '../fs/maybe.ts'
import type { MaybePromise } from '../host.ts'
import { sha256Hex } from './digest.ts'
import type { Fingerprint } from './job-documents.ts'

/** What was at each path of a mount before the Job first changed something there. */
export class Baseline {
  readonly #lower: FileSystem
  readonly #known: Map<string, Fingerprint>

  constructor(lower: FileSystem, known: Iterable<readonly [path: string, fingerprint: Fingerprint]> = []) {
    this.#lower = lower
    this.#known = new Map(known)
  }

  /** Undefined for a path that the Job has not touched. */
  get(path: string): Fingerprint | undefined {
    return this.#known.get(path)
  }

  /** Notes what the lower layer has at a path, unless that is known: to be called before the first change. */
  touch(path: string): MaybePromise<void> {
    if (this.#known.has(path)) return undefined
    return drive(this.#touch(path))
  }

  /** Notes what somebody else found there. */
  set(path: string, fingerprint: Fingerprint): void {
    this.#known.set(path, fingerprint)
  }

  /** Forgets a path: its change was applied. */
  delete(path: string): void {
    this.#known.delete(path)
  }

  entries(): IterableIterator<[string, Fingerprint]> {
    return this.#known.entries()
  }

  *#touch(path: string): Steps<void> {
    const found = yield* wait(fingerprintOf(this.#lower, path))
    if (!this.#known.has(path)) this.#known.set(path, found)
  }
}

/** Tells one version of a file from another, as far as its file system knows: the `stamp` of a fingerprint whose content was not read in time. */
export function stampOf({ ino, size, mtimeMs, ctimeMs }: FileStat): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`
}

/** Whether a file system has at a path what a fingerprint says. */
export function* isStill(fs: FileSystem, path: string, fingerprint: Fingerprint): Steps<boolean> {
  if (fingerprint.type !== 'file') return sameFingerprint(yield* look(fs, path), fingerprint)
  const stat = yield* lstatIfAny(fs, path)
  if (stat?.type !== 'file' || stat.mode !== fingerprint.mode || stat.size !== fingerprint.size) return false
  if (fingerprint.stamp !== null && stampOf(stat) === fingerprint.stamp) return true
  return fingerprint.sha256 !== null && fingerprint.sha256 === (yield* contentDigest(fs, path, stat.size))
}

/** Whether two fingerprints are of the same thing. */
export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  switch (a.type) {
    case 'absent':
      return b.type === 'absent'
    case 'symlink':
      return b.type === 'symlink' && a.target === b.target
    case 'directory':
    case 'other':
      return b.type === a.type && a.mode === b.mode
    case 'file':
      return b.type === 'file' && a.mode === b.mode && a.size === b.size && a.sha256 !== null && a.sha256 === b.sha256
    default:
      return a satisfies never
  }
}

/** What is at a path, links not followed. */
export function fingerprintOf(fs: FileSystem, path: string): MaybePromise<Fingerprint> {
  return drive(look(fs, path))
}

function* look(fs: FileSystem, path: string): Steps<Fingerprint> {
  const stat = yield* lstatIfAny(fs, path)
  if (stat === undefined) return { type: 'absent' }
  const { mode, size } = stat
  switch (stat.type) {
    case 'directory':
      return { type: 'directory', mode }
    case 'symlink':
      return { type: 'symlink', target: yield* wait(fs.readlink(path)) }
    case 'file':
      return { type: 'file', mode, size, sha256: yield* contentDigest(fs, path, size), stamp: null }
    case 'character-device':
    case 'fifo':
      return { type: 'other', mode }
    default:
      return stat.type satisfies never
  }
}

/** Undefined where nothing is. */
export function* lstatIfAny(fs: FileSystem, path: string): Steps<FileStat | undefined> {
  try {
    return yield* wait(fs.lstat(path))
  } catch (error) {
    // Behind a link or a file there is nothing of this path.
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || error instanceof LinkMet) return undefined
    throw error
  }
}

const PIECE = 1024 * 1024

function* contentDigest(fs: FileSystem, path: string, size: number): Steps<string> {
  const hash = sha256Hex()
  let at = 0
  while (at < size) {
    const bytes = yield* wait(fs.read(path, at, PIECE))
    if (bytes.length === 0) throw new FileSystemError('ESTALE', path)
    hash.update(bytes)
    at += bytes.length
  }
  return hash.digest()
}
