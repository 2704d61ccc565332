import type { NameRecord } from '../../src/fs/records.ts'

/** Names that were read from a database, as they were in one version of it. */
export class RecordCache {
  readonly #directories = new Map<number, CachedDirectory>()
  readonly #limit: number
  #version = ''
  #held = 0

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
    this.#directories.clear()
    this.#held = 0
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

  addName(directory: number, name: string, record: NameRecord): void {
    this.#open(directory).names.set(name, record)
    this.#held += 1
  }

  addNames(directory: number, names: ReadonlyMap<string, NameRecord>): void {
    if (this.#held > this.#limit) this.#forget()
    this.#directories.set(directory, { names: new Map(names), isWhole: true })
    this.#held += names.size
  }

  /** Takes over what a transaction that led to `version` changed. */
  change(version: string, changes: Iterable<readonly [number, string, NameRecord | undefined]>): void {
    this.#version = version
    for (const [directory, name, record] of changes) {
      const cached = this.#open(directory)
      if (record === undefined) cached.names.delete(name)
      else cached.names.set(name, record)
    }
  }

  #open(directory: number): CachedDirectory {
    const found = this.#directories.get(directory)
    if (found !== undefined) return found
    if (this.#held > this.#limit) this.#forget()
    const made = { names: new Map<string, NameRecord>(), isWhole: false }
    this.#directories.set(directory, made)
    return made
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
}
