import type { NameRecord } from '../../src/fs/records.ts'

/** Misses in a directory after which all of it is read. */
const PATIENCE = 8
/** Bytes of content that are kept. */
const CONTENT_BYTES = 16 * 1024 * 1024

/** Names and chunks that were read from a database or written to it, as they are in one version of it. */
export class RecordCache {
  readonly #directories = new Map<number, CachedDirectory>()
  readonly #chunks = new Map<number, Map<number, Uint8Array>>()
  readonly #limit: number
  #version = ''
  #held = 0
  #bytes = 0

  /** Holds at most `limit` names beside the directory that was read last. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get version(): string {
    return this.#version
  }

  /** Drops everything that is not of `version`. */
  enter(version: string): void {
    if (version === this.#version) return
    this.clear()
    this.#version = version
  }

  clear(): void {
    this.#forget()
    this.#forgetChunks()
    this.#version = ''
  }

  /** Null where it isn't known. */
  name(directory: number, name: string): NameRecord | undefined | null {
    const cached = this.#directories.get(directory)
    if (cached === undefined) return null
    const found = cached.names.get(name)
    return found !== undefined || cached.isWhole ? found : null
  }

  /** Null where not all are known. */
  names(directory: number): ReadonlyMap<string, NameRecord> | null {
    const cached = this.#directories.get(directory)
    return cached?.isWhole ? cached.names : null
  }

  setNames(directory: number, names: ReadonlyMap<string, NameRecord>): void {
    if (this.#held > this.#limit) this.#forget()
    this.#directories.set(directory, { names: new Map(names), isWhole: true, misses: 0 })
    this.#held += names.size
  }

  /** Takes over a change; `version` is then what it leads to. */
  setName(directory: number, name: string, record: NameRecord | undefined): void {
    const cached = this.#open(directory)
    if (record === undefined) cached.names.delete(name)
    else cached.names.set(name, record)
    this.#held += 1
  }

  /** Null where it isn't known. */
  chunk(ino: number, index: number): Uint8Array | null {
    return this.#chunks.get(ino)?.get(index) ?? null
  }

  setChunk(ino: number, index: number, bytes: Uint8Array): void {
    this.#bytes += bytes.length
    if (this.#bytes > CONTENT_BYTES) this.#forgetChunks()
    const chunks = this.#chunks.get(ino)
    if (chunks === undefined) this.#chunks.set(ino, new Map([[index, bytes]]))
    else {
      this.#bytes -= chunks.get(index)?.length ?? 0
      chunks.set(index, bytes)
    }
  }

  deleteChunks(ino: number, from: number): void {
    const chunks = this.#chunks.get(ino)
    if (chunks === undefined) return
    for (const [index, bytes] of chunks) {
      if (index < from) continue
      chunks.delete(index)
      this.#bytes -= bytes.length
    }
    if (chunks.size === 0) this.#chunks.delete(ino)
  }

  /** True once so many names of a directory weren't known that all of them may as well be read. */
  misses(directory: number): boolean {
    const cached = this.#open(directory)
    cached.misses += 1
    return cached.misses > PATIENCE
  }

  /** Goes on to the version that changes lead to. */
  advance(version: string): void {
    this.#version = version
  }

  #open(directory: number): CachedDirectory {
    const found = this.#directories.get(directory)
    if (found !== undefined) return found
    if (this.#held > this.#limit) this.#forget()
    const made = { names: new Map<string, NameRecord>(), isWhole: false, misses: 0 }
    this.#directories.set(directory, made)
    return made
  }

  #forgetChunks(): void {
    this.#chunks.clear()
    this.#bytes = 0
  }

  #forget(): void {
    this.#directories.clear()
    this.#held = 0
  }
}

interface CachedDirectory {
  readonly names: Map<string, NameRecord>
  /** True where a name that isn't in `names` isn't in the directory. */
  readonly isWhole: boolean
  misses: number
}
