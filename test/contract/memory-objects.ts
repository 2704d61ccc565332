import { WorkspaceError } from '../../src/errors.ts'
import type { ObjectCondition, ObjectInfo, ObjectPage, Objects, ObjectUpload, ObjectWriteOptions } from '../../src/fs/objects.ts'
import { webHost } from '../../src/host.ts'

interface Held {
  readonly info: ObjectInfo
  readonly bytes: Uint8Array
}

/** Objects in memory that list what was asked of them; several file systems may share one. */
export class MemoryObjects implements Objects {
  readonly longestKey: number = 1024
  readonly partBytes: number
  /** Names of the operations, in order. */
  readonly asked: string[] = []
  /** Uploads that were begun and are neither complete nor aborted. */
  open = 0
  /** Bytes that were sent. */
  sent = 0
  /** Called before each operation; what it throws is the operation's failure. */
  before: (operation: string, key: string) => void = () => undefined
  /** Milliseconds until a listing is answered. */
  delay = 0
  readonly #held = new Map<string, Held>()
  #versions = 0

  get extendsFrom(): number {
    return this.partBytes
  }

  constructor({ partBytes = 8 * 1024 * 1024 }: { partBytes?: number } = {}) {
    this.partBytes = partBytes
  }

  get keys(): string[] {
    return [...this.#held.keys()].sort()
  }

  async head(key: string): Promise<ObjectInfo | null> {
    this.#ask('head', key)
    return this.#held.get(key)?.info ?? null
  }

  async get(key: string, offset: number, length: number): Promise<Held | null> {
    this.#ask('get', key)
    const held = this.#held.get(key)
    return held === undefined ? null : { info: held.info, bytes: held.bytes.slice(offset, offset + length) }
  }

  async put(key: string, bytes: Uint8Array, { condition }: ObjectWriteOptions): Promise<ObjectInfo | null> {
    this.#ask('put', key)
    this.sent += bytes.length
    return this.#put(key, bytes, condition)
  }

  async copy(key: string, to: string): Promise<boolean> {
    this.#ask('copy', key)
    const held = this.#held.get(key)
    if (held !== undefined) this.#put(to, held.bytes, null)
    return held !== undefined
  }

  async delete(keys: readonly string[]): Promise<void> {
    this.#ask('delete', keys[0] ?? '')
    for (const key of keys) this.#held.delete(key)
  }

  async list({ prefix, delimiter, cursor = '', limit }: Parameters<Objects['list']>[0]): Promise<ObjectPage> {
    this.#ask('list', prefix)
    if (this.delay > 0) await new Promise<void>((resolve) => webHost.timer(this.delay, resolve))
    const objects: ObjectInfo[] = []
    const prefixes: string[] = []
    let last = ''
    for (const key of this.keys) {
      if (!key.startsWith(prefix) || key <= cursor || (cursor.endsWith('/') && cursor !== prefix && key.startsWith(cursor))) continue
      const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
      const common = end < 0 ? null : key.slice(0, end + 1)
      if (common !== null && common === prefixes.at(-1)) continue
      if (objects.length + prefixes.length === limit) return { objects, prefixes, cursor: last }
      last = common ?? key
      if (common === null) objects.push((this.#held.get(key) as Held).info)
      else prefixes.push(common)
    }
    return { objects, prefixes, cursor: null }
  }

  async extend({ key, etag }: ObjectInfo, bytes: Uint8Array): Promise<ObjectInfo | null> {
    this.#ask('extend', key)
    const held = this.#held.get(key)
    if (held?.info.etag !== etag) return null
    this.sent += bytes.length
    const whole = new Uint8Array(held.bytes.length + bytes.length)
    whole.set(held.bytes)
    whole.set(bytes, held.bytes.length)
    return this.#put(key, whole, null)
  }

  async upload(key: string): Promise<ObjectUpload> {
    this.#ask('upload', key)
    this.open += 1
    const parts: Uint8Array[] = []
    return {
      part: async (bytes) => {
        this.#ask('part', key)
        this.sent += bytes.length
        parts.push(bytes)
      },
      complete: async (condition) => {
        this.#ask('complete', key)
        this.open -= 1
        const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
        let at = 0
        for (const part of parts) {
          whole.set(part, at)
          at += part.length
        }
        return this.#put(key, whole, condition)
      },
      abort: async () => {
        this.#ask('abort', key)
        this.open -= 1
      },
    }
  }

  #put(key: string, bytes: Uint8Array, condition: ObjectCondition | null): ObjectInfo | null {
    const held = this.#held.get(key)
    if (condition === 'missing' && held !== undefined) return null
    if (condition !== null && condition !== 'missing' && held?.info.etag !== condition.etag) return null
    const info = { key, size: bytes.length, etag: `v${++this.#versions}`, modifiedMs: 1_700_000_000_000 }
    this.#held.set(key, { info, bytes: bytes.slice() })
    return info
  }

  #ask(operation: string, key: string): void {
    this.asked.push(operation)
    this.before(operation, key)
  }
}

/** A failure as a store that can't be reached has it. */
export function unreachable(): WorkspaceError {
  return new WorkspaceError('STORE_UNAVAILABLE', 'the store does not answer')
}
