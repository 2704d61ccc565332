import { FileSystemError, hasCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { jittered, sleep } from '../sleep.ts'
import type { ObjectInfo, Objects } from './objects.ts'

/** An object that was changed, and as it was before that; null where it was missing. */
export interface ChangedObject {
  readonly info: ObjectInfo
  readonly before: ObjectInfo | null
}

/**
 * Changes of objects that depend on what they hold. Where another instance writes an object in between it is changed again, as it is then: nothing is lost.
 * EBUSY after too many attempts.
 */
export class ObjectChanges {
  readonly #objects: Objects
  readonly #host: Pick<Host, 'random' | 'timer'>

  constructor(objects: Objects, host: Pick<Host, 'random' | 'timer'>) {
    this.#objects = objects
    this.#host = host
  }

  /** Adds to the end of an object, which was `base` when it was looked at; made where it is missing. */
  extend(path: string, key: string, base: ObjectInfo | null, added: Uint8Array): Promise<ChangedObject> {
    let known: ObjectInfo | null | undefined = base
    return this.#repeat(path, async () => {
      const before = known === undefined ? await this.#objects.head(key) : known
      known = undefined
      if (before === null) return this.#put(key, added, null)
      if (before.size >= this.#objects.extendsFrom) {
        const info = await this.#objects.extend(before, added)
        return info === null ? null : { info, before }
      }
      if (before.size === 0) return this.#put(key, added, before)
      const found = await this.#objects.get(key, 0, Number.MAX_SAFE_INTEGER)
      return found === null ? null : this.#put(key, overwritten(found.bytes, found.bytes.length, added), found.info)
    })
  }

  /** Writes an object anew as `change` makes it of what it holds; ENOENT where it is missing. */
  rewrite(path: string, key: string, change: (bytes: Uint8Array) => Uint8Array): Promise<ChangedObject> {
    return this.#repeat(path, async () => {
      const found = await this.#objects.get(key, 0, Number.MAX_SAFE_INTEGER)
      if (found === null) throw new FileSystemError('ENOENT', path)
      return this.#put(key, change(found.bytes), found.info)
    })
  }

  async #repeat(path: string, attempt: () => Promise<ChangedObject | null>): Promise<ChangedObject> {
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
      if (attempts > 0) await sleep(this.#host, this.#pause(attempts))
      const changed = await attempt()
      if (changed !== null) return changed
    }
    throw new FileSystemError('EBUSY', path)
  }

  /** A write whose answer was lost is looked for, also below what others added since, before it counts as failed: done twice it would add twice. */
  async #put(key: string, bytes: Uint8Array, before: ObjectInfo | null): Promise<ChangedObject | null> {
    const condition = before === null ? ('missing' as const) : { etag: before.etag }
    try {
      const info = await this.#objects.put(key, bytes, { like: before, condition })
      return info === null ? null : { info, before }
    } catch (error) {
      if (!hasCode(error, 'STORE_UNAVAILABLE')) throw error
      const found = await this.#objects.get(key, 0, Number.MAX_SAFE_INTEGER)
      return found !== null && beginsWith(found.bytes, bytes) ? { info: found.info, before } : null
    }
  }

  /** Milliseconds before the next attempt; half of it is chance. */
  #pause(attempts: number): number {
    return jittered(this.#host, Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** attempts))
  }
}

const MOST_ATTEMPTS = 12
const SHORTEST_PAUSE = 10
const LONGEST_PAUSE = 2000

/** The bytes with others over them from `offset`, and zeros in a gap. */
export function overwritten(bytes: Uint8Array, offset: number, data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.max(bytes.length, offset + data.length))
  whole.set(bytes)
  whole.set(data, offset)
  return whole
}

function beginsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, at) => byte === bytes[at])
}
