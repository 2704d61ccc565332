import type { NameRecord, RecordWriter } from '../../src/fs/records.ts'
import type { MaybePromise } from '../../src/host.ts'
import { promisifyRequest } from './indexed-database.ts'
import type { RecordCache } from './record-cache.ts'
import { RecordChanges } from './record-changes.ts'

/** Records by `[directory, name]`. */
export const NAMES = 'names'
/** Bytes by `[inode number, index]`. */
export const CHUNKS = 'chunks'
/** One record, {@link DatabaseState}. */
export const STATE = 'state'

export interface DatabaseState {
  /** Which database this is: another one may have been made in its place. */
  readonly id: string
  /** Counts the transactions that changed something. */
  readonly generation: number
  readonly lastIno: number
}

/** Bytes of chunks that are held back, so that many changes of one chunk are one. */
const HELD_BYTES = 1024 * 1024

/** The records of one transaction. Changes show in the cache at once and go to the database with `store`. */
export class RecordTransaction implements RecordWriter {
  readonly #names: IDBObjectStore
  readonly #chunks: IDBObjectStore
  readonly #cache: RecordCache
  readonly #changes = new RecordChanges()
  readonly #before: DatabaseState
  #version: string
  #lastIno: number
  #bytesStored = 0

  /** What the cache holds must be of `state`. */
  constructor(names: IDBObjectStore, cache: RecordCache, state: DatabaseState) {
    this.#names = names
    this.#chunks = names.transaction.objectStore(CHUNKS)
    this.#cache = cache
    this.#before = state
    this.#version = versionOf(state)
    this.#lastIno = state.lastIno
  }

  /** Changes that were made. */
  get changesMade(): number {
    return this.#changes.made
  }

  /** Bytes of content that were written. */
  get bytesMade(): number {
    return this.#bytesStored + this.#changes.bytes
  }

  name(directory: number, name: string): MaybePromise<NameRecord | undefined> {
    const changed = this.#changes.name(directory, name)
    if (changed !== null) return changed
    const cached = this.#isCurrent ? this.#cache.name(directory, name) : null
    return cached !== null ? cached : this.#storedName(directory, name)
  }

  names(directory: number): MaybePromise<readonly (readonly [string, NameRecord])[]> {
    const cached = this.#isCurrent ? this.#cache.names(directory) : null
    return cached !== null ? [...cached] : this.#storedNames(directory)
  }

  chunks(ino: number, from: number, to: number): MaybePromise<readonly (Uint8Array | undefined)[]> {
    const held = Array.from({ length: to - from + 1 }, (_, i) => this.#heldChunk(ino, from + i))
    if (held.every((chunk) => chunk !== null)) return held
    return this.#storedChunks(ino, from, to).then((stored) => held.map((chunk, i) => (chunk === null ? stored[i] : chunk)))
  }

  newIno(): number {
    this.#lastIno += 1
    return this.#lastIno
  }

  setName(directory: number, name: string, record: NameRecord): void {
    this.#setName(directory, name, record)
  }

  deleteName(directory: number, name: string): void {
    this.#setName(directory, name, undefined)
  }

  setChunk(ino: number, index: number, bytes: Uint8Array): void {
    this.#advance()
    this.#changes.setChunk(ino, index, bytes)
    if (this.#isCurrent) this.#cache.setChunk(ino, index, bytes)
    if (this.#changes.bytes > HELD_BYTES) this.store()
  }

  deleteChunks(ino: number, from: number): void {
    this.#advance()
    this.#changes.deleteChunks(ino, from)
    if (this.#isCurrent) this.#cache.deleteChunks(ino, from)
  }

  /** Hands the changes to the database. The transaction must be active. */
  store(): void {
    if (this.#changes.isEmpty) return
    this.#bytesStored += this.#changes.bytes
    this.#changes.store(this.#names, this.#chunks)
    this.#names.transaction.objectStore(STATE).put(this.#after, STATE)
  }

  get #after(): DatabaseState {
    return { ...this.#before, generation: this.#before.generation + 1, lastIno: this.#lastIno }
  }

  #setName(directory: number, name: string, record: NameRecord | undefined): void {
    this.#advance()
    this.#changes.setName(directory, name, record)
    if (!this.#isCurrent) return
    this.#cache.setName(directory, name, record)
    // Nothing can be in a directory that was just made.
    const isNew = record?.type === 'directory' && record.size === 0 && record.ino > this.#before.lastIno
    if (isNew && this.#cache.names(record.ino) === null) this.#cache.setNames(record.ino, new Map())
  }

  /** The first change leads to the next version. */
  #advance(): void {
    if (this.#changes.made > 0 || !this.#isCurrent) return
    this.#version = versionOf(this.#after)
    this.#cache.advance(this.#version)
  }

  /** False once the cache went on to another version than this transaction sees. */
  get #isCurrent(): boolean {
    return this.#cache.version === this.#version
  }

  #heldChunk(ino: number, index: number): Uint8Array | undefined | null {
    const changed = this.#changes.chunk(ino, index)
    return changed === null && this.#isCurrent ? this.#cache.chunk(ino, index) : changed
  }

  async #storedName(directory: number, name: string): Promise<NameRecord | undefined> {
    if (this.#isCurrent && this.#cache.misses(directory)) return new Map(await this.#storedNames(directory)).get(name)
    const record = await promisifyRequest<NameRecord | undefined>(this.#names.get([directory, name]))
    if (record !== undefined && this.#isCurrent) this.#cache.setName(directory, name, record)
    return record
  }

  async #storedNames(directory: number): Promise<readonly (readonly [string, NameRecord])[]> {
    // What is asked for now doesn't see what is stored later.
    this.store()
    const range = IDBKeyRange.bound([directory], [directory, []])
    const [keys, records] = await Promise.all([
      promisifyRequest<IDBValidKey[]>(this.#names.getAllKeys(range)),
      promisifyRequest<NameRecord[]>(this.#names.getAll(range)),
    ])
    const names = new Map(keys.map((key, i) => [(key as [number, string])[1], records[i] as NameRecord]))
    if (this.#isCurrent) this.#cache.setNames(directory, names)
    return [...names]
  }

  async #storedChunks(ino: number, from: number, to: number): Promise<readonly (Uint8Array | undefined)[]> {
    if (to > from) {
      const all = await promisifyRequest<Uint8Array[]>(this.#chunks.getAll(IDBKeyRange.bound([ino, from], [ino, to])))
      if (all.length === to - from + 1) return all
    }
    const indexes = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const chunks = await Promise.all(indexes.map((index) => promisifyRequest<Uint8Array | undefined>(this.#chunks.get([ino, index]))))
    // One alone is a small file, or the end of a large one.
    const [first] = chunks
    if (from === to && first !== undefined && this.#isCurrent) this.#cache.setChunk(ino, from, first)
    return chunks
  }
}

export function versionOf({ id, generation }: DatabaseState): string {
  return `${id}.${generation}`
}
