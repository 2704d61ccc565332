import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { S3Bucket, S3CallOptions, S3Condition, S3ObjectHeaders, S3Written } from './s3-bucket.ts'
import { NOT_HELD, S3_NAMESPACE } from './s3-bucket.ts'
import type { S3Upload } from './s3-list.ts'
import { answerText, readUploads } from './s3-list.ts'
import { xmlText } from './xml.ts'

/** Bytes of another object. */
export interface S3Piece {
  readonly key: string
  readonly etag: string
  readonly offset: number
  readonly length: number
}

/** Objects that are sent in parts, and aren't there before they are complete. */
export class S3Uploads {
  readonly #bucket: S3Bucket
  /** The names of the operations that the uploads are, by their ids. */
  readonly #operations = new Map<string, string>()

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  /** Gives the upload's id. */
  async create(key: string, { headers = {}, signal }: S3CallOptions & { readonly headers?: S3ObjectHeaders } = {}): Promise<string> {
    const { operation, marked } = this.#bucket.operation(headers)
    const request = { action: 'write', method: 'POST', key, query: { uploads: '' }, headers: marked, ...(signal && { signal }) } as const
    const { bytes } = await this.#bucket.send(request)
    const uploadId = answerText(bytes, 'InitiateMultipartUploadResult', 'UploadId')
    this.#operations.set(uploadId, operation)
    return uploadId
  }

  /** Part numbers begin with 1; each but the last has 5 MiB at least. Gives the part's etag. */
  async putPart(key: string, uploadId: string, part: number, bytes: Uint8Array, { signal }: S3CallOptions = {}): Promise<string> {
    const query = { partNumber: String(part), uploadId }
    return this.#bucket.etag(
      await this.#bucket.send({ action: 'write', method: 'PUT', key, query, body: bytes, ...(signal && { signal }) }),
    )
  }

  /** A part that is a piece of another object, which isn't sent: 5 GiB at most. Gives the part's etag, null where that object has changed. */
  async copyPart(key: string, uploadId: string, part: number, piece: S3Piece, { signal }: S3CallOptions = {}): Promise<string | null> {
    const answer = await this.#bucket.send({
      action: 'write',
      method: 'PUT',
      key,
      query: { partNumber: String(part), uploadId },
      headers: {
        ...this.#bucket.copySource(piece.key),
        'x-amz-copy-source-if-match': piece.etag,
        'x-amz-copy-source-range': `bytes=${piece.offset}-${piece.offset + piece.length - 1}`,
      },
      answers: NOT_HELD,
      ...(signal && { signal }),
    })
    if (answer.fault !== null) return null
    // Ceph doesn't look at the condition.
    const source = await this.#bucket.head(piece.key, { ...(signal && { signal }) })
    return source?.etag === piece.etag ? answerText(answer.bytes, 'CopyPartResult', 'ETag') : null
  }

  /**
   * Puts the parts together, `etags` in their order. A condition is looked up before; a server that knows conditions of uploads (Amazon) checks
   * it in the same step.
   */
  async complete(
    key: string,
    uploadId: string,
    etags: readonly string[],
    { condition = null, signal }: S3CallOptions & { readonly condition?: S3Condition | null } = {},
  ): Promise<S3Written> {
    const options = { ...(signal && { signal }) }
    if (condition !== null) {
      const found = await this.#bucket.head(key, options)
      if (condition === 'missing' ? found !== null : found?.etag !== condition.etag) return { state: 'conflict' }
    }
    const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`)
    const answer = await this.#bucket.send({
      action: 'write',
      method: 'POST',
      key,
      query: { uploadId },
      headers: {
        'content-type': 'application/xml',
        ...(condition === 'missing' && { 'if-none-match': '*' }),
        ...(condition !== null && condition !== 'missing' && { 'if-match': condition.etag }),
      },
      body: encode(`<CompleteMultipartUpload xmlns="${S3_NAMESPACE}">${parts.join('')}</CompleteMultipartUpload>`),
      answers: [...NOT_HELD, 'NoSuchUpload'],
      ...options,
    })
    const operation = this.#operations.get(uploadId)
    if (answer.fault === null) {
      this.#operations.delete(uploadId)
      const etag = answerText(answer.bytes, 'CompleteMultipartUploadResult', 'ETag')
      // Ceph leaves it out, or its quotes; the object may be gone again.
      if (etag !== '') return { state: 'written', etag: `"${etag.replaceAll('"', '')}"` }
      return { state: 'written', etag: (await this.#bucket.head(key, options))?.etag ?? '' }
    }
    if (answer.repeated && operation !== undefined) {
      // An upload that is gone may have been completed by an earlier try.
      const written = await this.#bucket.writtenBefore(key, operation, options)
      if (written.state === 'written') return written
    }
    if (answer.fault.code !== 'NoSuchUpload') return { state: 'conflict' }
    throw new WorkspaceError(
      'STORE_UNAVAILABLE',
      `cannot write ${JSON.stringify(key)}: NoSuchUpload: the upload was completed, aborted or has expired`,
    )
  }

  /** Throws the parts of an upload away; succeeds also where it is gone. */
  async abort(key: string, uploadId: string, { signal }: S3CallOptions = {}): Promise<void> {
    this.#operations.delete(uploadId)
    await this.#bucket.send({
      action: 'abort the upload of',
      method: 'DELETE',
      key,
      query: { uploadId },
      answers: ['NoSuchUpload', 'NoSuchKey'],
      ...(signal && { signal }),
    })
  }

  /** Those under a prefix that were neither completed nor aborted. */
  async list(prefix: string, { signal }: S3CallOptions = {}): Promise<readonly S3Upload[]> {
    const { keyPrefix } = this.#bucket
    const found: S3Upload[] = []
    let next: Readonly<Record<string, string>> | null = {}
    while (next !== null) {
      const query: Record<string, string> = { uploads: '', prefix: keyPrefix + prefix, ...next }
      const { bytes } = await this.#bucket.sendWhole({ action: 'list the uploads of', method: 'GET', query, ...(signal && { signal }) })
      const page = readUploads(bytes, keyPrefix)
      found.push(...page.uploads)
      next = page.next
    }
    return found
  }
}
