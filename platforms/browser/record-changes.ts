import type { NameRecord } from '../../src/fs/records.ts'

/** Changes of records that were made and not yet handed to the database. Reading looks here first. */
export class RecordChanges {
  readonly #names = new Map<number, Map<string, NameRecord | undefined>>()
  readonly #chunks = new Map<number, FileChanges>()
  /** Bytes of the chunks that are held. */
  bytes = 0
  /** Changes that were ever made. */
  made = 0

  get isEmpty(): boolean {
    return this.#names.size === 0 && this.#chunks.size === 0
  }

  /** Undefined where it was deleted, null where nothing was changed. */
  name(directory: number, name: string): NameRecord | undefined | null {
    const names = this.#names.get(directory)
    return names?.has(name) ? names.get(name) : null
  }

  /** Undefined where there is no such chunk any more, null where nothing was changed. */
  chunk(ino: number, index: number): Uint8Array | undefined | null {
    const file = this.#chunks.get(ino)
    return file?.chunks.get(index) ?? (file !== undefined && index >= file.deletedFrom ? undefined : null)
  }

  setName(directory: number, name: string, record: NameRecord | undefined): void {
    this.made += 1
    const names = this.#names.get(directory)
    if (names === undefined) this.#names.set(directory, new Map([[name, record]]))
    else names.set(name, record)
  }

  setChunk(ino: number, index: number, bytes: Uint8Array): void {
    this.made += 1
    const { chunks } = this.#file(ino)
    this.bytes += bytes.length - (chunks.get(index)?.length ?? 0)
    chunks.set(index, bytes)
  }

  deleteChunks(ino: number, from: number): void {
    this.made += 1
    const file = this.#file(ino)
    for (const [index, bytes] of file.chunks) {
      if (index < from) continue
      file.chunks.delete(index)
      this.bytes -= bytes.length
    }
    file.deletedFrom = Math.min(file.deletedFrom, from)
  }

  /** Hands all changes to the object stores of a transaction that is active. */
  store(names: IDBObjectStore, chunks: IDBObjectStore): void {
    for (const [ino, file] of this.#chunks) {
      if (file.deletedFrom !== Number.POSITIVE_INFINITY) chunks.delete(IDBKeyRange.bound([ino, file.deletedFrom], [ino, []]))
      for (const [index, bytes] of file.chunks) chunks.put(bytes, [ino, index])
    }
    for (const [directory, changed] of this.#names) {
      for (const [name, record] of changed) {
        if (record === undefined) names.delete([directory, name])
        else names.put(record, [directory, name])
      }
    }
    this.#chunks.clear()
    this.#names.clear()
    this.bytes = 0
  }

  #file(ino: number): FileChanges {
    const found = this.#chunks.get(ino) ?? { deletedFrom: Number.POSITIVE_INFINITY, chunks: new Map() }
    this.#chunks.set(ino, found)
    return found
  }
}

interface FileChanges {
  /** Chunks from here on are deleted before those in `chunks` are set. */
  deletedFrom: number
  readonly chunks: Map<number, Uint8Array>
}
