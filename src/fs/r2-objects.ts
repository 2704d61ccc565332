import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { ObjectCondition, ObjectInfo, ObjectPage, Objects, ObjectWriteOptions } from './objects.ts'

/** What is used of a binding of Cloudflare R2: `env.BUCKET` of a worker. */
export interface R2Bucket {
  head(key: string): Promise<R2Object | null>
  get(key: string, options?: { readonly range?: { readonly offset: number; readonly length?: number } }): Promise<R2ObjectBody | null>
  put(key: string, value: unknown, options?: R2PutOptions): Promise<R2Object | null>
  delete(keys: string[]): Promise<void>
  list(options?: {
    readonly prefix?: string
    readonly delimiter?: string
    readonly cursor?: string
    readonly limit?: number
  }): Promise<R2Page>
}

/** An object of R2 without its content. */
export interface R2Object {
  readonly key: string
  readonly size: number
  readonly etag: string
  readonly uploaded: Date
  readonly httpMetadata?: object
  readonly customMetadata?: Record<string, string>
}

/** An object of R2 with its content. */
export interface R2ObjectBody extends R2Object {
  readonly body: unknown
  arrayBuffer(): Promise<ArrayBuffer>
}

interface R2PutOptions {
  readonly onlyIf?: { readonly etagMatches?: string; readonly etagDoesNotMatch?: string }
  readonly httpMetadata?: object
  readonly customMetadata?: Record<string, string>
}

interface R2Page {
  readonly objects: readonly R2Object[]
  readonly delimitedPrefixes: readonly string[]
  readonly truncated: boolean
  readonly cursor?: string
}

/** The objects of a bucket. What may be done twice is tried four times, within about two seconds. */
export class R2Objects implements Objects {
  readonly longestKey: number = 1024
  readonly partBytes: number = 8 * 1024 * 1024
  readonly extendsFrom: number = Number.POSITIVE_INFINITY
  readonly #bucket: R2Bucket
  readonly #host: Pick<Host, 'timer'>

  constructor(bucket: R2Bucket, host: Pick<Host, 'timer'>) {
    this.#bucket = bucket
    this.#host = host
  }

  head(key: string): Promise<ObjectInfo | null> {
    return this.#repeat(`look up '${key}'`, async () => infoOf(await this.#bucket.head(key)))
  }

  get(key: string, offset: number, length: number): Promise<{ readonly info: ObjectInfo; readonly bytes: Uint8Array } | null> {
    return this.#repeat(`read '${key}'`, async () => {
      const isWhole = offset === 0 && length === Number.MAX_SAFE_INTEGER
      const range = length === Number.MAX_SAFE_INTEGER ? { offset } : { offset, length }
      if (!isWhole) {
        // A range past the end is an error of the store's.
        const head = infoOf(await this.#bucket.head(key))
        if (head === null) return null
        if (offset >= head.size || length === 0) return { info: head, bytes: new Uint8Array(0) }
      }
      const found = await this.#bucket.get(key, isWhole ? {} : { range })
      if (found === null) return null
      return { info: new R2ObjectInfo(found), bytes: new Uint8Array(await found.arrayBuffer()) }
    })
  }

  async put(key: string, bytes: Uint8Array, { like, condition }: ObjectWriteOptions): Promise<ObjectInfo | null> {
    const metadata = await this.#metadataOf(like)
    const put = async (): Promise<ObjectInfo | null> => infoOf(await this.#bucket.put(key, bytes, { ...metadata, ...onlyIf(condition) }))
    const action = `write '${key}'`
    return condition === null ? this.#repeat(action, put) : failingAs(action, put)
  }

  /** Never called: R2 makes no object of another. */
  async extend(): Promise<null> {
    return null
  }

  /** R2 has no copies of its own: the content goes through the worker, as a stream where it is large. */
  copy(key: string, to: string): Promise<boolean> {
    return this.#repeat(`copy '${key}' to '${to}'`, async () => {
      const found = await this.#bucket.get(key)
      if (found === null) return false
      const content = found.size <= LARGEST_ARRAY ? await found.arrayBuffer() : found.body
      await this.#bucket.put(to, content, metadataOf(new R2ObjectInfo(found)))
      return true
    })
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_DELETED) {
      const some = keys.slice(at, at + MOST_DELETED)
      await this.#repeat(`delete '${some[0]}'`, () => this.#bucket.delete(some))
    }
  }

  list(options: {
    readonly prefix: string
    readonly delimiter?: string
    readonly cursor?: string
    readonly limit: number
  }): Promise<ObjectPage> {
    return this.#repeat(`list '${options.prefix}'`, async () => {
      const { objects, delimitedPrefixes, truncated, cursor } = await this.#bucket.list(options)
      return {
        objects: objects.map((object) => new R2ObjectInfo(object, true)),
        prefixes: delimitedPrefixes,
        cursor: truncated && cursor !== undefined ? cursor : null,
      }
    })
  }

  async #metadataOf(like: ObjectInfo | null): Promise<R2PutOptions> {
    if (!(like instanceof R2ObjectInfo)) return {}
    return metadataOf(like.isListed ? await this.head(like.key) : like)
  }

  async #repeat<T>(action: string, run: () => Promise<T>): Promise<T> {
    for (const pause of PAUSES) {
      try {
        return await run()
      } catch {
        // What it was shows when the last attempt fails, too.
        await new Promise<void>((resolve) => this.#host.timer(pause, resolve))
      }
    }
    return failingAs(action, run)
  }
}

/** Keys that one call deletes. */
const MOST_DELETED = 1000
/** Bytes that are copied by way of an array, which a call takes more readily than a stream. */
const LARGEST_ARRAY = 1024 * 1024
/** Milliseconds before the next attempt: R2 takes one write a second to a key. */
const PAUSES: readonly number[] = [100, 500, 1200]

class R2ObjectInfo implements ObjectInfo {
  readonly object: R2Object
  /** Listings leave headers and metadata out. */
  readonly isListed: boolean

  constructor(object: R2Object, isListed = false) {
    this.object = object
    this.isListed = isListed
  }

  get key(): string {
    return this.object.key
  }

  get size(): number {
    return this.object.size
  }

  get etag(): string {
    return this.object.etag
  }

  get modifiedMs(): number {
    return this.object.uploaded.getTime()
  }
}

function infoOf(object: R2Object | null): ObjectInfo | null {
  return object === null ? null : new R2ObjectInfo(object)
}

function metadataOf(like: ObjectInfo | null): R2PutOptions {
  if (!(like instanceof R2ObjectInfo)) return {}
  const { httpMetadata, customMetadata } = like.object
  return { httpMetadata, customMetadata }
}

function onlyIf(condition: ObjectCondition | null): R2PutOptions {
  if (condition === null) return {}
  return { onlyIf: condition === 'missing' ? { etagDoesNotMatch: '*' } : { etagMatches: condition.etag } }
}

async function failingAs<T>(action: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw new WorkspaceError('STORE_UNAVAILABLE', `cannot ${action} in the R2 bucket: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
}
