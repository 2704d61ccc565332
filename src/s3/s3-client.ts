import { encode } from '../bytes.ts'
import type { S3CallOptions, S3Condition, S3Info, S3ObjectHeaders, S3Written } from './s3-bucket.ts'
import { NOT_HELD, NOT_MISSING, S3_NAMESPACE, S3Bucket } from './s3-bucket.ts'
import type { S3World } from './s3-connection.ts'
import type { S3Page } from './s3-list.ts'
import { readDeleteErrors, readPage } from './s3-list.ts'
import type { S3Settings } from './s3-options.ts'
import { S3Uploads } from './s3-uploads.ts'
import { xmlText } from './xml.ts'

/** What `get` gives. */
export type S3Read = { readonly info: S3Info; readonly bytes: Uint8Array } | 'same' | null

/** A key that could not be deleted. */
export interface S3DeleteError {
  readonly key: string
  readonly code: string
  readonly message: string
}

const MOST_DELETED = 1000
const DELETES_AT_ONCE = 8
/** What servers say that want another digest of a list of keys than the one they are sent, or can't delete many. */
const NO_LISTS: readonly string[] = [
  'InvalidDigest',
  'InvalidRequest',
  'MalformedXML',
  'MethodNotAllowed',
  'MissingContentMD5',
  'NotImplemented',
]

/**
 * The operations of one bucket, on keys that begin with the settings' `keyPrefix` and are given without it. Each fails with an error that
 * names bucket, key and S3's code; none is carried out twice by being sent again.
 */
export class S3Client {
  /** Bytes that a key may take. */
  readonly longestKey: number
  /** Objects of several parts. */
  readonly uploads: S3Uploads
  readonly #bucket: S3Bucket
  /** How the server wants etags in If-Match: found out at the first one. */
  #etagForm: 'bare' | 'quoted' | 'unknown' = 'unknown'
  #deletesMany: boolean

  constructor(settings: S3Settings, world: Partial<S3World> = {}) {
    this.#bucket = new S3Bucket(settings, world)
    this.longestKey = this.#bucket.longestKey
    this.uploads = new S3Uploads(this.#bucket)
    // Who signs for others can't see which keys a list of them names.
    this.#deletesMany = settings.access.type !== 'presign'
  }

  /** Null where the object is missing. */
  head(key: string, options: S3CallOptions = {}): Promise<S3Info | null> {
    return this.#bucket.head(key, options)
  }

  /**
   * The content, or `length` bytes of it from `offset`: fewer where it ends before, none past its end. Null where the object is missing,
   * `same` where it has the etag `known`.
   */
  async get(
    key: string,
    options: S3CallOptions & { readonly offset?: number; readonly length?: number; readonly known?: string } = {},
  ): Promise<S3Read> {
    const { offset = 0, length = Number.POSITIVE_INFINITY, known, signal } = options
    const isWhole = offset === 0 && length === Number.POSITIVE_INFINITY
    if (length === 0) return this.#nothingOf(key, signal)
    const end = length === Number.POSITIVE_INFINITY ? '' : offset + length - 1
    const answer = await this.#bucket.send({
      action: 'read',
      method: 'GET',
      key,
      headers: { ...(known !== undefined && { 'if-none-match': known }), ...(!isWhole && { range: `bytes=${offset}-${end}` }) },
      answers: ['InvalidRange', 'NoSuchKey', 'NotModified'],
      ...(signal && { signal }),
    })
    switch (answer.fault?.code) {
      case 'NoSuchKey':
        return null
      case 'NotModified':
        return 'same'
      case 'InvalidRange':
        return this.#nothingOf(key, signal)
    }
    const { bytes, headers } = answer
    if (answer.status !== 206)
      return { info: this.#bucket.info(answer, bytes.length), bytes: isWhole ? bytes : bytes.slice(offset, offset + length) }
    const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
    // A page sees the total only where the bucket's CORS configuration lets it.
    const size = total !== undefined ? Number(total) : ((await this.head(key, options))?.size ?? offset + bytes.length)
    return { info: this.#bucket.info(answer, size), bytes }
  }

  /**
   * Writes the whole object. At a `conflict` nothing was written, or others have written since. With `asks` each conflict is looked into, since a network
   * may have sent the request twice, and one where both may be is `doubtful`.
   */
  async put(
    key: string,
    bytes: Uint8Array,
    {
      condition = null,
      headers = {},
      asks = false,
      signal,
    }: S3CallOptions & { readonly condition?: S3Condition | null; readonly headers?: S3ObjectHeaders; readonly asks?: boolean } = {},
  ): Promise<S3Written> {
    const request = { action: 'write', method: 'PUT', key, body: bytes, ...(signal && { signal }) } as const
    if (condition === null) return { state: 'written', etag: this.#bucket.etag(await this.#bucket.send({ ...request, headers })) }
    const { operation, marked } = this.#bucket.operation(headers)
    if (condition === 'missing') {
      const answer = await this.#bucket.send({ ...request, headers: { ...marked, 'if-none-match': '*' }, answers: NOT_MISSING })
      if (answer.fault === null) return { state: 'written', etag: this.#bucket.etag(answer) }
      return this.#conflict(key, operation, answer.repeated, asks, signal)
    }
    const { etag } = condition
    const form = this.#etagForm
    const answer = await this.#bucket.send({
      ...request,
      headers: { ...marked, 'if-match': form === 'bare' ? bare(etag) : etag },
      answers: NOT_HELD,
    })
    if (answer.fault === null) {
      if (form === 'unknown') this.#etagForm = 'quoted'
      return { state: 'written', etag: this.#bucket.etag(answer) }
    }
    const before = await this.#conflict(key, operation, answer.repeated, asks, signal)
    if (before.state === 'written') return before
    if (form !== 'unknown' || answer.fault.code !== 'PreconditionFailed') return before
    // Ceph compares the etag without the quotes that it gives it with.
    if ((await this.head(key, { ...(signal && { signal }) }))?.etag !== etag) return before
    const again = await this.#bucket.send({ ...request, headers: { ...marked, 'if-match': bare(etag) }, answers: NOT_HELD })
    if (again.fault !== null) return this.#conflict(key, operation, again.repeated, asks, signal)
    this.#etagForm = 'bare'
    return { state: 'written', etag: this.#bucket.etag(again) }
  }

  /**
   * Whether the server looks at conditions at all: it is sent the object once more under a condition that can't hold. Who doesn't look at it
   * writes the same again.
   */
  async looksAtConditions(key: string, bytes: Uint8Array, headers: S3ObjectHeaders = {}): Promise<boolean> {
    const stale = { ...headers, 'if-match': `"${'0'.repeat(32)}"` }
    const answer = await this.#bucket.send({ action: 'write', method: 'PUT', key, body: bytes, headers: stale, answers: NOT_HELD })
    return answer.fault !== null
  }

  /** Copies within the bucket, headers included. False where the object is missing, or `condition` doesn't hold for the target. */
  async copy(
    from: string,
    to: string,
    { condition = null, signal }: S3CallOptions & { readonly condition?: 'missing' | null } = {},
  ): Promise<boolean> {
    const source = this.#bucket.copySource(from)
    // Not every server looks at the condition of a copy: it is looked up before, too.
    if (condition === 'missing' && (await this.head(to, { ...(signal && { signal }) })) !== null) return false
    const answer = await this.#bucket.send({
      action: 'copy to',
      method: 'PUT',
      key: to,
      headers: { ...source, ...(condition === 'missing' && { 'if-none-match': '*' }) },
      answers: NOT_HELD,
      ...(signal && { signal }),
    })
    return answer.fault === null
  }

  /** Succeeds also where the object is missing. */
  async delete(key: string, { signal }: S3CallOptions = {}): Promise<void> {
    await this.#bucket.send({ action: 'delete', method: 'DELETE', key, answers: ['NoSuchKey'], ...(signal && { signal }) })
  }

  /** Any number of keys, a thousand in a request; gives those that could not be deleted. One by one where the server can't do many. */
  async deleteMany(keys: readonly string[], { signal }: S3CallOptions = {}): Promise<readonly S3DeleteError[]> {
    const errors: S3DeleteError[] = []
    const single: string[] = []
    for (let at = 0; at < keys.length; at += MOST_DELETED) {
      const some = keys.slice(at, at + MOST_DELETED)
      const inXml = some.filter((key) => xmlText(key) !== null)
      single.push(...some.filter((key) => xmlText(key) === null))
      if (inXml.length === 0) continue
      const failed = this.#deletesMany ? await this.#deleteList(inXml, signal) : null
      if (failed === null) single.push(...inXml)
      else errors.push(...failed)
    }
    for (let at = 0; at < single.length; at += DELETES_AT_ONCE) {
      await Promise.all(single.slice(at, at + DELETES_AT_ONCE).map((key) => this.delete(key, { ...(signal && { signal }) })))
    }
    return errors
  }

  /** A page of the keys that begin with `prefix`: at most `limit` objects and prefixes together, a thousand when left out. */
  async list(
    options: S3CallOptions & {
      readonly prefix: string
      readonly delimiter?: string
      /** Of the page before. */
      readonly cursor?: string
      /** Only keys that come after this one. */
      readonly after?: string
      readonly limit?: number
    },
  ): Promise<S3Page> {
    const { prefix, delimiter, cursor, after, limit, signal } = options
    const { keyPrefix } = this.#bucket
    const answer = await this.#bucket.sendWhole({
      action: 'list',
      method: 'GET',
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        prefix: keyPrefix + prefix,
        ...(delimiter !== undefined && { delimiter }),
        ...(cursor !== undefined && { 'continuation-token': cursor }),
        ...(after !== undefined && { 'start-after': keyPrefix + after }),
        ...(limit !== undefined && { 'max-keys': String(limit) }),
      },
      ...(signal && { signal }),
    })
    return readPage(answer.bytes, keyPrefix)
  }

  /** Null where the server can't do lists as it is asked. */
  async #deleteList(keys: readonly string[], signal: AbortSignal | undefined): Promise<readonly S3DeleteError[] | null> {
    const { keyPrefix } = this.#bucket
    const objects = keys.map((key) => `<Object><Key>${xmlText(keyPrefix + key)}</Key></Object>`)
    const body = encode(`<Delete xmlns="${S3_NAMESPACE}"><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
    const answer = await this.#bucket.sendWhole({
      action: 'delete keys of',
      method: 'POST',
      query: { delete: '' },
      headers: {
        'content-type': 'application/xml',
        'x-amz-checksum-sha256': btoa(String.fromCharCode(...digest)),
        'x-amz-sdk-checksum-algorithm': 'SHA256',
      },
      body,
      answers: NO_LISTS,
      ...(signal && { signal }),
    })
    if (answer.fault === null) {
      const errors = readDeleteErrors(answer.bytes).filter(({ code }) => code !== 'NoSuchKey')
      return errors.map((error) => ({ ...error, key: error.key.slice(keyPrefix.length) }))
    }
    this.#deletesMany = false
    return null
  }

  /** What a write is whose condition doesn't hold. */
  async #conflict(key: string, operation: string, repeated: boolean, asks: boolean, signal: AbortSignal | undefined): Promise<S3Written> {
    if (!repeated && !asks) return { state: 'conflict' }
    const written = await this.#bucket.writtenBefore(key, operation, { ...(signal && { signal }) })
    return written.state === 'conflict' && repeated && asks ? { state: 'conflict', doubtful: true } : written
  }

  async #nothingOf(key: string, signal: AbortSignal | undefined): Promise<S3Read> {
    const info = await this.head(key, { ...(signal && { signal }) })
    return info === null ? null : { info, bytes: new Uint8Array(0) }
  }
}

function bare(etag: string): string {
  return etag.replace(/^"|"$/g, '')
}
