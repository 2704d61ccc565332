import type { NameRecord } from '../../src/fs/records.ts'

/** Changes of records that a transaction has made and not yet handed to the database. Reading looks here first. */
export class RecordChanges {
  readonly #names = new Map<number, Map<string, NameRecord | undefined>>()
  readonly #chunks = new Map<number, FileChanges>()
  /** Bytes of the chunks that are held. */
  bytes = 0

  /** Undefined where it was deleted, null where nothing was changed. */
  name(directory: number, name: string): NameRecord | undefined | null {
    const names = this.#names.get(directory)
    return names?.has(name) ? names.get(name) : null
  }

  /** The names of a directory with the changes made. */
  names(directory: number, before: ReadonlyMap<string, NameRecord>): ReadonlyMap<string, NameRecord> {
    const changed = this.#names.get(directory)
    if (changed === undefined) return before
    const after = new Map(before)
    for (const [name, record] of changed) {
      if (record === undefined) after.delete(name)
      else after.set(name, record)
    }
    return after
  }

  /** Undefined where there is no such chunk any more, null where nothing was changed. */
  chunk(ino: number, index: number): Uint8Array | undefined | null {
    const file = this.#chunks.get(ino)
    return file?.chunks.get(index) ?? (file !== undefined && index >= file.deletedFrom ? undefined : null)
  }

  setName(directory: number, name: string, record: NameRecord | undefined): void {
    const names = this.#names.get(directory)
    if (names === undefined) this.#names.set(directory, new Map([[name, record]]))
    else names.set(name, record)
  }

  setChunk(ino: number, index: number, bytes: Uint8Array): void {
    const { chunks } = this.#file(ino)
    this.bytes += bytes.length - (chunks.get(index)?.length ?? 0)
    chunks.set(index, bytes)
  }

  deleteChunks(ino: number, from: number): void {
    const file = this.#file(ino)
    for (const [index, bytes] of file.chunks) {
      if (index < from) continue
      file.chunks.delete(index)
      this.bytes -= bytes.length
    }
    file.deletedFrom = Math.min(file.deletedFrom, from)
  }

  /** All names that were changed. */
  *changedNames(): Generator<readonly [directory: number, name: string, record: NameRecord | undefined]> {
    for (const [directory, names] of this.#names) for (const [name, record] of names) yield [directory, name, record]
  }

  /** Gives the chunks away: those from `deletedFrom` on are deleted before those in `chunks` are set. */
  takeChunks(): readonly (readonly [ino: number, changes: FileChanges])[] {
    const taken = [...this.#chunks]
    this.#chunks.clear()
    this.bytes = 0
    return taken
  }

  #file(ino: number): FileChanges {
    const found = this.#chunks.get(ino) ?? { deletedFrom: Number.POSITIVE_INFINITY, chunks: new Map() }
    this.#chunks.set(ino, found)
    return found
  }
}

interface FileChanges {
  deletedFrom: number
  readonly chunks: Map<number, Uint8Array>
}
