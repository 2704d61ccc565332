import type { ObjectInfo } from './objects.ts'
import { basename, dirname, isWithin } from './path.ts'

/** What is at a path. */
export type FoundObject = { readonly type: 'file'; readonly info: ObjectInfo } | { readonly type: 'directory'; readonly modifiedMs: number }

/**
 * What was seen of directories, for a short time: a walk lists each once, and asks for no file that was listed. What is known can be another
 * instance's past, never the own: whoever writes says so here.
 *
 * An answer is given for `ttl` milliseconds. A name that was listed and never asked for since is an exception: it is answered for up to a minute, so
 * that a walk that takes long doesn't ask for each file.
 */
export class ObjectListings {
  readonly #ttl: number
  readonly #now: () => number
  readonly #directories = new Map<string, Directory>()
  #size = 0
  #changes = 0

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(ttl: number, now: () => number) {
    this.#ttl = ttl
    this.#now = now
  }

  /** Changes with each own change: what was asked for before one and answered after it isn't kept. */
  get changes(): number {
    return this.#changes
  }

  /** What is at the path, null where nothing is; undefined where that isn't known. */
  find(path: string): FoundObject | null | undefined {
    const directory = this.#directories.get(dirname(path))
    if (directory === undefined) return undefined
    const now = this.#now()
    const entry = directory.entries.get(basename(path))
    if (entry === undefined) return now - directory.listed < this.#ttl ? null : undefined
    const isFresh = now - entry.seen < this.#ttl || (entry.isListed && now - entry.seen < LONGEST)
    if (!isFresh) return undefined
    if (entry.isListed) {
      entry.isListed = false
      entry.seen = Math.max(entry.seen, Math.min(now, entry.seen + LONGEST - this.#ttl))
    }
    return entry.found
  }

  /** All names of a directory; undefined where they aren't known. */
  list(path: string): ReadonlyMap<string, FoundObject> | undefined {
    const directory = this.#directories.get(path)
    if (directory === undefined || this.#now() - directory.listed >= this.#ttl) return undefined
    const names = new Map<string, FoundObject>()
    for (const [name, { found }] of directory.entries) if (found !== null) names.set(name, found)
    return names
  }

  /** Keeps a whole listing that was asked for when `changes` was as given. */
  keep(path: string, names: ReadonlyMap<string, FoundObject>, changes: number): void {
    if (changes !== this.#changes || names.size > MOST_ENTRIES || this.#ttl === 0) return
    this.#drop(path)
    const seen = this.#now()
    const entries = new Map<string, Entry>()
    for (const [name, found] of names) entries.set(name, { found, seen, isListed: true })
    this.#directories.set(path, { listed: seen, entries })
    this.#size += names.size + 1
    this.#trim()
  }

  /** Keeps what a single path was found to be. */
  keepOne(path: string, found: FoundObject | null, changes: number): void {
    if (changes !== this.#changes || this.#ttl === 0) return
    this.#set(path, found)
  }

  /** The own instance has made a path what it is now; null: removed it. */
  changed(path: string, found: FoundObject | null): void {
    this.#changes += 1
    if (this.#ttl > 0) this.#set(path, found)
  }

  /** The own instance has changed what is at a path and below it, and doesn't know to what. */
  forget(path: string): void {
    this.#changes += 1
    for (const at of this.#directories.keys()) if (isWithin(at, path)) this.#drop(at)
    const directory = this.#directories.get(dirname(path))
    if (directory === undefined) return
    directory.listed = Number.NEGATIVE_INFINITY
    if (directory.entries.delete(basename(path))) this.#size -= 1
  }

  /** Nothing that was seen is known any more. */
  clear(): void {
    this.#changes += 1
    this.#directories.clear()
    this.#size = 0
  }

  #set(path: string, found: FoundObject | null): void {
    const at = dirname(path)
    const seen = this.#now()
    let directory = this.#directories.get(at)
    if (directory === undefined) {
      directory = { listed: Number.NEGATIVE_INFINITY, entries: new Map() }
      this.#directories.set(at, directory)
      this.#size += 1
    }
    const name = basename(path)
    if (!directory.entries.has(name)) this.#size += 1
    directory.entries.set(name, { found, seen, isListed: false })
    this.#trim()
  }

  #drop(path: string): void {
    const directory = this.#directories.get(path)
    if (directory === undefined) return
    this.#directories.delete(path)
    this.#size -= directory.entries.size + 1
  }

  /** The directory that came first goes first; what is left of the last one is all there is. */
  #trim(): void {
    for (const path of this.#directories.keys()) {
      if (this.#size <= MOST_ENTRIES) return
      this.#drop(path)
    }
  }
}

interface Directory {
  /** When all its names were known; -Infinity where some may be missing. */
  listed: number
  readonly entries: Map<string, Entry>
}

interface Entry {
  readonly found: FoundObject | null
  seen: number
  /** It came with a listing, and nobody asked for it yet. */
  isListed: boolean
}

/** Names that are kept, of all directories together: some 20 MB. */
const MOST_ENTRIES = 100_000
const LONGEST = 60_000
