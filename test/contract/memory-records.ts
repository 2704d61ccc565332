import type { FileSystemSpace } from '../../src/fs/file-system.ts'
import { drive, rescue, type Steps } from '../../src/fs/maybe.ts'
import { find } from '../../src/fs/record-walk.ts'
import { type FileRecords, type NameRecord, type RecordReader, type RecordWriter, ROOT, rootRecord, UNNAMED } from '../../src/fs/records.ts'
import type { MaybePromise } from '../../src/host.ts'
import type { StoredRecords } from './stored-records.ts'

/** How records in memory behave. */
export interface MemoryRecordsOptions {
  /** Answer by promise, one turn later. */
  readonly late?: boolean
  /** Called before each change; what it throws ends the transaction. */
  readonly onChange?: () => void
}

/** Records in memory, with transactions: for tests of what is built on records. */
export class MemoryRecords implements FileRecords {
  readonly #late: boolean
  readonly #onChange: () => void
  readonly #names = new Map<number, Map<string, NameRecord>>([[UNNAMED, new Map([[String(ROOT), rootRecord(0)]])]])
  readonly #chunks = new Map<number, Map<number, Uint8Array>>()
  #lastIno: number = ROOT
  /** What takes the running transaction back, last change last. */
  #undo: (() => void)[] = []
  /** One transaction at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Chunks that were asked for, and that were written. */
  chunksRead = 0
  chunksWritten = 0

  constructor({ late = false, onChange = () => {} }: MemoryRecordsOptions = {}) {
    this.#late = late
    this.#onChange = onChange
  }

  read<T>(_path: string, run: (records: RecordReader) => Steps<T>): MaybePromise<T> {
    return this.#inTurn(() => drive(run(this.#records)))
  }

  write<T>(_path: string, run: (records: RecordWriter) => Steps<T>): MaybePromise<T> {
    return this.#inTurn(() => {
      this.#undo = []
      return rescue(
        () => drive(run(this.#records)),
        (error) => {
          for (const undo of this.#undo.reverse()) undo()
          throw error
        },
      )
    })
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    return this.read(path, function* (records) {
      yield* find(records, path)
      return { total: 2 ** 40, free: 2 ** 39 }
    })
  }

  sync(): void {}

  close(): void {}

  stored(): StoredRecords {
    return {
      names: [...this.#names].flatMap(([directory, names]) => [...names].map(([name, record]) => [directory, name, record] as const)),
      chunks: [...this.#chunks].flatMap(([ino, chunks]) => [...chunks].map(([index, bytes]) => [ino, index, bytes.length] as const)),
    }
  }

  readonly #records: RecordWriter = {
    name: (directory, name) => this.#answer(this.#names.get(directory)?.get(name)),
    names: (directory) => this.#answer([...(this.#names.get(directory) ?? [])]),
    chunks: (ino, from, to) => {
      this.chunksRead += to - from + 1
      return this.#answer(Array.from({ length: to - from + 1 }, (_, i) => this.#chunks.get(ino)?.get(from + i)))
    },
    newIno: () => ++this.#lastIno,
    setName: (directory, name, record) => this.#change(inner(this.#names, directory), name, record),
    deleteName: (directory, name) => this.#change(inner(this.#names, directory), name, undefined),
    setChunk: (ino, index, bytes) => {
      this.chunksWritten += 1
      this.#change(inner(this.#chunks, ino), index, bytes)
    },
    deleteChunks: (ino, from) => {
      const chunks = inner(this.#chunks, ino)
      for (const index of [...chunks.keys()]) if (index >= from) this.#change(chunks, index, undefined)
    },
  }

  #change<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    this.#onChange()
    const before = map.get(key)
    this.#undo.push(() => set(map, key, before))
    set(map, key, value)
  }

  #answer<T>(value: T): MaybePromise<T> {
    return this.#late ? Promise.resolve(value) : value
  }

  #inTurn<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    if (!this.#late) return work()
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }
}

function inner<K, V>(maps: Map<number, Map<K, V>>, key: number): Map<K, V> {
  const found = maps.get(key) ?? new Map<K, V>()
  maps.set(key, found)
  return found
}

function set<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}
