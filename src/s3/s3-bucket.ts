import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import { randomId, webHost } from '../host.ts'
import { checkKey, encodeKey, LONGEST_KEY } from './s3-address.ts'
import type { S3Answer, S3Request, S3World } from './s3-connection.ts'
import { S3Connection } from './s3-connection.ts'
import type { S3Settings } from './s3-options.ts'

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

/** How a conditional write ended. `doubtful`: it may have been carried out, and overwritten since. */
export type S3Written = { readonly state: 'written'; readonly etag: string } | { readonly state: 'conflict'; readonly doubtful?: true }

/** What every operation may be given. */
export interface S3CallOptions {
  readonly signal?: AbortSignal
}

/** Answers to a write of what has to be missing, and isn't. */
export const NOT_MISSING: readonly string[] = ['PreconditionFailed', 'ConditionalRequestConflict']
/** Answers to a write whose condition doesn't hold; to one with an etag also that there is nothing. */
export const NOT_HELD: readonly string[] = [...NOT_MISSING, 'NoSuchKey']
/** Of the documents that are sent. */
export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** The header by which a write is known again whose answer was lost. */
const OPERATION = 'x-amz-meta-mirage-operation'
/** Headers of an answer that belong to the object. */
const OBJECT_HEADERS: readonly string[] = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type']

/** What operations on a bucket have in common: keys below the prefix, and what is read of every answer. */
export class S3Bucket {
  readonly keyPrefix: string
  readonly name: string
  /** Bytes that a key below the prefix may take. */
  readonly longestKey: number
  readonly #world: S3World
  readonly #connection: S3Connection

  constructor(settings: S3Settings, world: Partial<S3World>) {
    this.keyPrefix = settings.keyPrefix
    this.name = settings.bucket
    this.longestKey = LONGEST_KEY - encode(settings.keyPrefix).length
    this.#world = { host: world.host ?? webHost, fetch: world.fetch ?? ((url, init) => fetch(url, init)) }
    this.#connection = new S3Connection(settings, this.#world)
  }

  /** A request of an object. */
  send(request: S3Request): Promise<S3Answer> {
    return this.#connection.send({ ...request, key: this.keyPrefix + request.key })
  }

  /** A request of the bucket itself. */
  sendWhole(request: Omit<S3Request, 'key'>): Promise<S3Answer> {
    return this.#connection.send({ ...request, key: '' })
  }

  /** Null where the object is missing. */
  async head(key: string, options: S3CallOptions): Promise<S3Info | null> {
    const answer = await this.#look(key, options)
    return answer.fault === null ? this.info(answer, Number(answer.headers.get('content-length') ?? 0)) : null
  }

  info(answer: S3Answer, size: number): S3Info {
    const headers: Record<string, string> = {}
    answer.headers.forEach((value, name) => {
      if (name !== OPERATION && (OBJECT_HEADERS.includes(name) || name.startsWith('x-amz-meta-'))) headers[name] = value
    })
    return { etag: this.etag(answer), size, modifiedMs: Date.parse(answer.headers.get('last-modified') ?? '') || 0, headers }
  }

  etag({ headers }: S3Answer): string {
    const etag = headers.get('etag')
    if (etag !== null && etag !== '') return etag
    throw new WorkspaceError(
      'STORE_UNAVAILABLE',
      `the bucket "${this.name}" does not show ETag to this page: add <ExposeHeader>ETag</ExposeHeader> to its CORS configuration`,
    )
  }

  /** A name for a write, by which it is known again, and the headers that say it. */
  operation(headers: S3ObjectHeaders): { readonly operation: string; readonly marked: S3ObjectHeaders } {
    const operation = randomId(this.#world.host)
    return { operation, marked: { ...headers, [OPERATION]: operation } }
  }

  /** What became of a write whose condition doesn't hold any more, perhaps because an earlier try was carried out. */
  async writtenBefore(key: string, operation: string, options: S3CallOptions): Promise<S3Written> {
    const found = await this.#look(key, options)
    const isOurs = found.fault === null && found.headers.get(OPERATION) === operation
    return isOurs ? { state: 'written', etag: this.etag(found) } : { state: 'conflict' }
  }

  /** The header that names what is copied. */
  copySource(key: string): Readonly<Record<string, string>> {
    checkKey(this.keyPrefix + key)
    return { 'x-amz-copy-source': `/${this.name}/${encodeKey(this.keyPrefix + key)}` }
  }

  #look(key: string, { signal }: S3CallOptions): Promise<S3Answer> {
    return this.send({ action: 'look up', method: 'HEAD', key, answers: ['NoSuchKey'], ...(signal && { signal }) })
  }
}
