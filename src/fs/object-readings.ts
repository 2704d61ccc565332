import { FileSystemError } from '../errors.ts'
import type { ObjectInfo } from './objects.ts'
import { isWithin } from './path.ts'

/** A range of an object. */
export interface ObjectRange {
  readonly info: ObjectInfo
  readonly bytes: Uint8Array
}

/**
 * Files that are read piece by piece. Who opens a file gets its beginning with that, and who goes on reading gets ever larger pieces, up to 4 MiB;
 * the end is known without asking, for two seconds. A file that another instance has changed between two pieces fails with ESTALE: what was read and
 * what would come don't belong together.
 */
export class ObjectReadings {
  readonly #fetch: (path: string, offset: number, length: number) => Promise<ObjectRange | null>
  readonly #now: () => number
  /** By path and where the next piece begins. */
  readonly #readings = new Map<string, Reading>()
  #held = 0

  /** `fetch` asks for a range; null where there is no such object. `now` is a clock in milliseconds that never goes back. */
  constructor(fetch: (path: string, offset: number, length: number) => Promise<ObjectRange | null>, now: () => number) {
    this.#fetch = fetch
    this.#now = now
  }

  /** Bytes from `offset`, at most `length`; null where there is no such object. With a length of 0 the file is opened. */
  async read(path: string, offset: number, length: number): Promise<Uint8Array | null> {
    if (length === 0) return offset === 0 ? this.#open(path) : (await this.#fetch(path, offset, 0)) && NOTHING
    const reading = this.#take(path, offset)
    const isHere = reading !== undefined && (reading.ahead.length > 0 || offset >= reading.info.size)
    if (reading === undefined || (isHere && this.#now() - reading.kept > TRUSTED)) {
      const range = await this.#fetch(path, offset, length)
      if (range === null) return null
      return this.#give(path, { info: range.info, ahead: range.bytes, next: offset, piece: FIRST_PIECE }, length)
    }
    if (isHere) return this.#give(path, reading, length)
    const piece = Math.min(reading.piece * 4, LARGEST_PIECE)
    const range = await this.#fetch(path, offset, Math.max(length, piece))
    if (range === null || range.info.etag !== reading.info.etag) throw new FileSystemError('ESTALE', path, { reason: CHANGED })
    return this.#give(path, { info: reading.info, ahead: range.bytes, next: offset, piece }, length)
  }

  /** A file was seen as it is now: where it has changed, the end that was known is none. */
  saw(path: string, { etag }: ObjectInfo): void {
    for (const [key, reading] of this.#readings) {
      if (reading.path === path && reading.next >= reading.info.size && reading.info.etag !== etag) this.#drop(key, reading)
    }
  }

  /** The own instance has changed what is at the path and below it: who reads it gets what it holds now. */
  forget(path: string): void {
    for (const [key, reading] of this.#readings) if (isWithin(reading.path, path)) this.#drop(key, reading)
  }

  clear(): void {
    this.#readings.clear()
    this.#held = 0
  }

  async #open(path: string): Promise<Uint8Array | null> {
    const range = await this.#fetch(path, 0, FIRST_PIECE)
    if (range === null) return null
    this.#keep(path, { info: range.info, ahead: range.bytes, next: 0, piece: FIRST_PIECE })
    return NOTHING
  }

  #give(path: string, { info, ahead, next, piece }: Ahead, length: number): Uint8Array {
    const bytes = ahead.length > length ? ahead.slice(0, length) : ahead
    if (bytes.length > 0) this.#keep(path, { info, ahead: ahead.subarray(bytes.length), next: next + bytes.length, piece })
    return bytes
  }

  #keep(path: string, ahead: Ahead): void {
    const key = keyOf(path, ahead.next)
    const before = this.#readings.get(key)
    if (before !== undefined) this.#drop(key, before)
    this.#readings.set(key, { ...ahead, path, kept: this.#now() })
    this.#held += ahead.ahead.length
    for (const [oldest, reading] of this.#readings) {
      if (this.#readings.size <= MOST_READINGS && this.#held <= MOST_HELD) return
      this.#drop(oldest, reading)
    }
  }

  #take(path: string, offset: number): Reading | undefined {
    const key = keyOf(path, offset)
    const reading = this.#readings.get(key)
    if (reading !== undefined) this.#drop(key, reading)
    return reading
  }

  #drop(key: string, { ahead }: Reading): void {
    this.#readings.delete(key)
    this.#held -= ahead.length
  }
}

interface Ahead {
  readonly info: ObjectInfo
  /** Bytes from `next` that are here already. */
  readonly ahead: Uint8Array
  readonly next: number
  /** How much was asked for last. */
  readonly piece: number
}

interface Reading extends Ahead {
  readonly path: string
  readonly kept: number
}

const NOTHING = new Uint8Array(0)
const CHANGED = 'changed while it was read; read it again'
/** Milliseconds for which what came ahead, and the end, are as good as asked for. */
const TRUSTED = 2000
const FIRST_PIECE = 65_536
const LARGEST_PIECE = 4 * 1024 * 1024
/** Of readings that nobody goes on with, the oldest are dropped; one that is gone on with then asks without comparing. */
const MOST_READINGS = 64
const MOST_HELD = 16 * 1024 * 1024

function keyOf(path: string, offset: number): string {
  return `${offset} ${path}`
}
