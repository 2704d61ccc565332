import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { S3ObjectHeaders } from '../s3/s3-bucket.ts'
import type { S3Client } from '../s3/s3-client.ts'
import type { S3Listed } from '../s3/s3-list.ts'
import type { ObjectInfo, ObjectPage, Objects, ObjectUpload, ObjectWriteOptions } from './objects.ts'

/** The objects of an S3 bucket. */
export class S3Objects implements Objects {
  readonly longestKey: number
  readonly partBytes: number = 8 * 1024 * 1024
  /** A part that isn't the last must have 5 MiB. */
  readonly extendsFrom: number = 8 * 1024 * 1024
  readonly #open: () => Promise<S3Client>
  readonly #host: Pick<Host, 'now'>

  /** `open` gives the client, at the first request. `longestKey` is the client's. */
  constructor(open: () => Promise<S3Client>, longestKey: number, host: Pick<Host, 'now'>) {
    this.#open = open
    this.longestKey = longestKey
    this.#host = host
  }

  async head(key: string): Promise<S3ObjectInfo | null> {
    const info = await (await this.#open()).head(key)
    return info === null ? null : { key, ...info }
  }

  async get(key: string, offset: number, length: number): Promise<{ readonly info: ObjectInfo; readonly bytes: Uint8Array } | null> {
    const client = await this.#open()
    const read = await client.get(key, { offset, ...(length < Number.MAX_SAFE_INTEGER && { length }) })
    return read === null || read === 'same' ? null : { info: { key, ...read.info }, bytes: read.bytes }
  }

  async put(key: string, bytes: Uint8Array, { like, condition }: ObjectWriteOptions): Promise<ObjectInfo | null> {
    const client = await this.#open()
    const written = await client.put(key, bytes, { condition, headers: await this.#headersOf(like), asks: true })
    if (written.state === 'written') return { key, size: bytes.length, etag: written.etag, modifiedMs: this.#host.now() }
    if (written.doubtful !== true) return null
    throw new WorkspaceError('STORE_UNAVAILABLE', `it is not known whether '${key}' was written before others wrote it`)
  }

  async copy(key: string, to: string): Promise<boolean> {
    return (await this.#open()).copy(key, to)
  }

  async delete(keys: readonly string[]): Promise<void> {
    const [failed] = await (await this.#open()).deleteMany(keys)
    if (failed === undefined) return
    throw new WorkspaceError('STORE_UNAVAILABLE', `cannot delete ${JSON.stringify(failed.key)}: ${failed.code}: ${failed.message}`)
  }

  async list(options: Parameters<Objects['list']>[0]): Promise<ObjectPage> {
    return (await this.#open()).list(options)
  }

  upload(key: string, like: ObjectInfo | null): Promise<ObjectUpload> {
    return this.#upload(key, like)
  }

  /** The server copies what the object holds as the first parts of a new one. */
  async extend(info: ObjectInfo, bytes: Uint8Array): Promise<ObjectInfo | null> {
    const upload = await this.#upload(info.key, info)
    try {
      if (await upload.copied(info)) {
        await upload.part(bytes)
        return await upload.complete({ etag: info.etag })
      }
      await upload.abort()
      return null
    } catch (error) {
      await upload.abort().catch(() => undefined)
      throw error
    }
  }

  async #upload(key: string, like: ObjectInfo | null): Promise<CopyingUpload> {
    const client = await this.#open()
    const id = await client.uploads.create(key, { headers: await this.#headersOf(like) })
    const etags: string[] = []
    let size = 0
    let parts = 0
    return {
      part: async (bytes) => {
        const part = ++parts
        size += bytes.length
        etags[part - 1] = await client.uploads.putPart(key, id, part, bytes)
      },
      copied: async (info) => {
        // Pieces of nearly the same size: none is too small to be a part.
        const pieces = Math.ceil(info.size / LARGEST_COPY)
        for (let piece = 0; piece < pieces; piece++) {
          const offset = Math.floor((info.size * piece) / pieces)
          const length = Math.floor((info.size * (piece + 1)) / pieces) - offset
          const etag = await client.uploads.copyPart(key, id, parts + 1, { key: info.key, etag: info.etag, offset, length })
          if (etag === null) return false
          etags[parts++] = etag
        }
        size += info.size
        return true
      },
      complete: async (condition) => {
        const written = await client.uploads.complete(key, id, etags, { condition })
        if (written.state === 'written') return { key, size, etag: written.etag, modifiedMs: this.#host.now() }
        await client.uploads.abort(key, id)
        return null
      },
      abort: () => client.uploads.abort(key, id),
    }
  }

  async #headersOf(like: ObjectInfo | null): Promise<S3ObjectHeaders> {
    if (like === null) return {}
    return hasHeaders(like) ? like.headers : ((await this.head(like.key))?.headers ?? {})
  }
}

/** What a listing gives, and, of a single object, its headers. */
interface S3ObjectInfo extends S3Listed {
  readonly headers: S3ObjectHeaders
}

interface CopyingUpload extends ObjectUpload {
  /** The next parts: what the object holds. False where it has changed. */
  copied(info: ObjectInfo): Promise<boolean>
}

/** Bytes that are copied as one part. */
const LARGEST_COPY = 1024 ** 3

function hasHeaders(info: ObjectInfo): info is S3ObjectInfo {
  return 'headers' in info
}
