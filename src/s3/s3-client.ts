import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import { randomId, webHost } from '../host.ts'
import { checkKey, encodeKey, LONGEST_KEY } from './s3-address.ts'
import type { S3Answer, S3Request, S3World } from './s3-connection.ts'
import { S3Connection } from './s3-connection.ts'
import type { S3Page, S3Upload } from './s3-list.ts'
import { answerText, readDeleteErrors, readPage, readUploads } from './s3-list.ts'
import type { S3Settings } from './s3-options.ts'
import { xmlText } from './xml.ts'

/** An object without its content. */
export interface S3Info {
  /** As the server gives it, with its quotes. */
  readonly etag: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number
  readonly headers: S3ObjectHeaders
}

/** Headers that are kept with an object: `content-type` and the like, and `x-amz-meta-…`; names in lower case. */
export type S3ObjectHeaders = Readonly<Record<string, string>>

/** What must hold for an object to be written: that it is missing, or still has this etag. */
export type S3Condition = 'missing' | { readonly etag: string }

/** How a conditional write ended. */
export type S3Written = { readonly state: 'written'; readonly etag: string } | { readonly state: 'conflict' }

/** What `get` gives. */
export type S3Read = { readonly info: S3Info; readonly bytes: Uint8Array } | 'same' | null

/** A key that could not be deleted. */
export interface S3DeleteError {
  readonly key: string
  readonly code: string
  readonly message: string
}

interface Options {
  readonly signal?: AbortSignal
}

/** The header by which a write is known again whose answer was lost. */
const OPERATION = 'x-amz-meta-mirage-operation'
/** Headers of an answer that belong to the object. */
const OBJECT_HEADERS: readonly string[] = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type']
const MOST_DELETED = 1000
const DELETES_AT_ONCE = 8
const NOT_HELD: readonly string[] = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey']
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
  readonly #settings: S3Settings
  readonly #world: S3World
  readonly #connection: S3Connection
  /** How the server wants etags in If-Match: found out at the first one. */
  #etagForm: 'bare' | 'quoted' | 'unknown' = 'unknown'
  #deletesMany: boolean

  constructor(settings: S3Settings, world: Partial<S3World> = {}) {
    this.#settings = settings
    this.#world = { host: world.host ?? webHost, fetch: world.fetch ?? ((url, init) => fetch(url, init)) }
    // Who signs for others can't see which keys a list of them names.
    this.#deletesMany = settings.access.type !== 'presign'
    this.#connection = new S3Connection(settings, this.#world)
    this.longestKey = LONGEST_KEY - encode(settings.keyPrefix).length
  }

  /** Null where the object is missing. */
  async head(key: string, { signal }: Options = {}): Promise<S3Info | null> {
    const answer = await this.#look(key, signal)
    return answer.fault === null ? this.#info(answer, Number(answer.headers.get('content-length') ?? 0)) : null
  }

  /**
   * The content, or `length` bytes of it from `offset`: fewer where it ends before, none past its end. Null where the object is missing,
   * `same` where it has the etag `known`.
   */
  async get(
    key: string,
    options: Options & { readonly offset?: number; readonly length?: number; readonly known?: string } = {},
  ): Promise<S3Read> {
    const { offset = 0, length = Number.POSITIVE_INFINITY, known, signal } = options
    const isWhole = offset === 0 && length === Number.POSITIVE_INFINITY
    if (length === 0) return this.#nothingOf(key, signal)
    const end = length === Number.POSITIVE_INFINITY ? '' : offset + length - 1
    const answer = await this.#send({
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
      return { info: this.#info(answer, bytes.length), bytes: isWhole ? bytes : bytes.slice(offset, offset + length) }
    const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
    // A page sees the total only where the bucket's CORS configuration lets it.
    const size = total !== undefined ? Number(total) : ((await this.head(key, options))?.size ?? offset + bytes.length)
    return { info: this.#info(answer, size), bytes }
  }

  /** Writes the whole object. A `conflict` is certain: nothing was written then. */
  async put(
    key: string,
    bytes: Uint8Array,
    {
      condition = null,
      headers = {},
      signal,
    }: Options & { readonly condition?: S3Condition | null; readonly headers?: S3ObjectHeaders } = {},
  ): Promise<S3Written> {
    const request = { action: 'write', method: 'PUT', key, body: bytes, ...(signal && { signal }) } as const
    if (condition === null) return { state: 'written', etag: this.#etag(await this.#send({ ...request, headers })) }
    const operation = randomId(this.#world.host)
    const marked = { ...headers, [OPERATION]: operation }
    if (condition === 'missing') {
      const answer = await this.#send({ ...request, headers: { ...marked, 'if-none-match': '*' }, answers: NOT_HELD })
      if (answer.fault === null) return { state: 'written', etag: this.#etag(answer) }
      return answer.repeated ? this.#writtenBefore(key, operation, signal) : { state: 'conflict' }
    }
    const { etag } = condition
    const form = this.#etagForm
    const answer = await this.#send({
      ...request,
      headers: { ...marked, 'if-match': form === 'bare' ? bare(etag) : etag },
      answers: NOT_HELD,
    })
    if (answer.fault === null) {
      if (form === 'unknown') this.#etagForm = 'quoted'
      return { state: 'written', etag: this.#etag(answer) }
    }
    if (answer.repeated) {
      const written = await this.#writtenBefore(key, operation, signal)
      if (written.state === 'written') return written
    }
    if (form !== 'unknown' || answer.fault.code !== 'PreconditionFailed') return { state: 'conflict' }
    // Ceph compares the etag without the quotes that it gives it with.
    if ((await this.head(key, { ...(signal && { signal }) }))?.etag !== etag) return { state: 'conflict' }
    const again = await this.#send({ ...request, headers: { ...marked, 'if-match': bare(etag) }, answers: NOT_HELD })
    if (again.fault !== null) return again.repeated ? this.#writtenBefore(key, operation, signal) : { state: 'conflict' }
    this.#etagForm = 'bare'
    return { state: 'written', etag: this.#etag(again) }
  }

  /** Copies within the bucket, headers included. False where the object is missing, or `condition` doesn't hold for the target. */
  async copy(
    from: string,
    to: string,
    { condition = null, signal }: Options & { readonly condition?: 'missing' | null } = {},
  ): Promise<boolean> {
    const { bucket, keyPrefix } = this.#settings
    checkKey(keyPrefix + from)
    // Not every server looks at the condition of a copy: it is looked up before, too.
    if (condition === 'missing' && (await this.head(to, { ...(signal && { signal }) })) !== null) return false
    const answer = await this.#send({
      action: 'copy to',
      method: 'PUT',
      key: to,
      headers: {
        'x-amz-copy-source': `/${bucket}/${encodeKey(keyPrefix + from)}`,
        ...(condition === 'missing' && { 'if-none-match': '*' }),
      },
      answers: NOT_HELD,
      ...(signal && { signal }),
    })
    return answer.fault === null
  }

  /** Succeeds also where the object is missing. */
  async delete(key: string, { signal }: Options = {}): Promise<void> {
    await this.#send({ action: 'delete', method: 'DELETE', key, answers: ['NoSuchKey'], ...(signal && { signal }) })
  }

  /** Any number of keys, a thousand in a request; gives those that could not be deleted. One by one where the server can't do many. */
  async deleteMany(keys: readonly string[], { signal }: Options = {}): Promise<readonly S3DeleteError[]> {
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
    options: Options & {
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
    const { keyPrefix } = this.#settings
    const answer = await this.#bucket({
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

  /** Begins an object of several parts; gives the upload's id. */
  async createUpload(key: string, { headers = {}, signal }: Options & { readonly headers?: S3ObjectHeaders } = {}): Promise<string> {
    const answer = await this.#send({
      action: 'write',
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: { ...headers, [OPERATION]: randomId(this.#world.host) },
      ...(signal && { signal }),
    })
    return answerText(answer.bytes, 'InitiateMultipartUploadResult', 'UploadId')
  }

  /** Part numbers begin with 1; each but the last has 5 MiB at least. Gives the part's etag. */
  async putPart(key: string, uploadId: string, part: number, bytes: Uint8Array, { signal }: Options = {}): Promise<string> {
    const query = { partNumber: String(part), uploadId }
    return this.#etag(await this.#send({ action: 'write', method: 'PUT', key, query, body: bytes, ...(signal && { signal }) }))
  }

  /**
   * A part that is `length` bytes from `offset` of another object, which aren't sent: 5 GiB at most. Gives the part's etag, null where that object has
   * changed.
   */
  async copyPart(
    key: string,
    uploadId: string,
    part: number,
    { key: from, etag, offset, length }: { readonly key: string; readonly etag: string; readonly offset: number; readonly length: number },
    { signal }: Options = {},
  ): Promise<string | null> {
    const { bucket, keyPrefix } = this.#settings
    const answer = await this.#send({
      action: 'write',
      method: 'PUT',
      key,
      query: { partNumber: String(part), uploadId },
      headers: {
        'x-amz-copy-source': `/${bucket}/${encodeKey(keyPrefix + from)}`,
        'x-amz-copy-source-if-match': etag,
        'x-amz-copy-source-range': `bytes=${offset}-${offset + length - 1}`,
      },
      answers: NOT_HELD,
      ...(signal && { signal }),
    })
    return answer.fault === null ? answerText(answer.bytes, 'CopyPartResult', 'ETag') : null
  }

  /**
   * Puts the parts together, `etags` in their order. The condition is looked up before; a server that knows conditions of uploads (Amazon)
   * checks it in the same step.
   */
  async completeUpload(
    key: string,
    uploadId: string,
    etags: readonly string[],
    { condition = null, signal }: Options & { readonly condition?: S3Condition | null } = {},
  ): Promise<S3Written> {
    const before = await this.head(key, { ...(signal && { signal }) })
    if (condition === 'missing' && before !== null) return { state: 'conflict' }
    if (condition !== null && condition !== 'missing' && before?.etag !== condition.etag) return { state: 'conflict' }
    const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`)
    const answer = await this.#send({
      action: 'write',
      method: 'POST',
      key,
      query: { uploadId },
      headers: {
        'content-type': 'application/xml',
        ...(condition === 'missing' && { 'if-none-match': '*' }),
        ...(condition !== null &&
          condition !== 'missing' && { 'if-match': this.#etagForm === 'bare' ? bare(condition.etag) : condition.etag }),
      },
      body: encode(`<CompleteMultipartUpload xmlns="${NAMESPACE}">${parts.join('')}</CompleteMultipartUpload>`),
      answers: [...NOT_HELD, 'NoSuchUpload'],
      ...(signal && { signal }),
    })
    // An upload that is gone may have been completed by an earlier try; Ceph leaves the etag out.
    const after = await this.head(key, { ...(signal && { signal }) })
    if (answer.fault === null && after !== null) return { state: 'written', etag: after.etag }
    if (answer.fault?.code === 'NoSuchUpload') {
      if (answer.repeated && after !== null && after.etag !== before?.etag) return { state: 'written', etag: after.etag }
      throw new WorkspaceError(
        'STORE_UNAVAILABLE',
        `cannot write ${JSON.stringify(key)}: NoSuchUpload: the upload was aborted or has expired`,
      )
    }
    return { state: 'conflict' }
  }

  /** Throws the parts of an upload away; succeeds also where it is gone. */
  async abortUpload(key: string, uploadId: string, { signal }: Options = {}): Promise<void> {
    await this.#send({
      action: 'abort the upload of',
      method: 'DELETE',
      key,
      query: { uploadId },
      answers: ['NoSuchUpload', 'NoSuchKey'],
      ...(signal && { signal }),
    })
  }

  /** The uploads under a prefix that were neither completed nor aborted. */
  async listUploads(prefix: string, { signal }: Options = {}): Promise<readonly S3Upload[]> {
    const { keyPrefix } = this.#settings
    const found: S3Upload[] = []
    let next: Readonly<Record<string, string>> | null = {}
    while (next !== null) {
      const query: Record<string, string> = { uploads: '', prefix: keyPrefix + prefix, ...next }
      const { bytes } = await this.#bucket({ action: 'list the uploads of', method: 'GET', query, ...(signal && { signal }) })
      const page = readUploads(bytes, keyPrefix)
      found.push(...page.uploads)
      next = page.next
    }
    return found
  }

  /** Null where the server can't do lists as it is asked. */
  async #deleteList(keys: readonly string[], signal: AbortSignal | undefined): Promise<readonly S3DeleteError[] | null> {
    const { keyPrefix } = this.#settings
    const objects = keys.map((key) => `<Object><Key>${xmlText(keyPrefix + key)}</Key></Object>`)
    const body = encode(`<Delete xmlns="${NAMESPACE}"><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
    const answer = await this.#bucket({
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

  async #nothingOf(key: string, signal: AbortSignal | undefined): Promise<S3Read> {
    const info = await this.head(key, { ...(signal && { signal }) })
    return info === null ? null : { info, bytes: new Uint8Array(0) }
  }

  /** What became of a write whose condition doesn't hold any more, perhaps because an earlier try was carried out. */
  async #writtenBefore(key: string, operation: string, signal: AbortSignal | undefined): Promise<S3Written> {
    const found = await this.#look(key, signal)
    const isOurs = found.fault === null && found.headers.get(OPERATION) === operation
    return isOurs ? { state: 'written', etag: this.#etag(found) } : { state: 'conflict' }
  }

  #look(key: string, signal: AbortSignal | undefined): Promise<S3Answer> {
    return this.#send({ action: 'look up', method: 'HEAD', key, answers: ['NoSuchKey'], ...(signal && { signal }) })
  }

  #send(request: S3Request): Promise<S3Answer> {
    return this.#connection.send({ ...request, key: this.#settings.keyPrefix + request.key })
  }

  #bucket(request: Omit<S3Request, 'key'>): Promise<S3Answer> {
    return this.#connection.send({ ...request, key: '' })
  }

  #info(answer: S3Answer, size: number): S3Info {
    const headers: Record<string, string> = {}
    answer.headers.forEach((value, name) => {
      if (name !== OPERATION && (OBJECT_HEADERS.includes(name) || name.startsWith('x-amz-meta-'))) headers[name] = value
    })
    return { etag: this.#etag(answer), size, modifiedMs: Date.parse(answer.headers.get('last-modified') ?? '') || 0, headers }
  }

  #etag({ headers }: S3Answer): string {
    const etag = headers.get('etag')
    if (etag !== null && etag !== '') return etag
    throw new WorkspaceError(
      'STORE_UNAVAILABLE',
      `the bucket "${this.#settings.bucket}" does not show ETag to this page: add <ExposeHeader>ETag</ExposeHeader> to its CORS configuration`,
    )
  }
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

function bare(etag: string): string {
  return etag.replace(/^"|"$/g, '')
}
