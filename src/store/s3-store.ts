import { WorkspaceError } from '../errors.ts'
import { lazyS3Client } from '../s3/lazy-s3-client.ts'
import type { S3Client } from '../s3/s3-client.ts'
import type { S3World } from '../s3/s3-connection.ts'
import type { S3Page } from '../s3/s3-list.ts'
import type { S3Settings } from '../s3/s3-options.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoredValue, StoreWritten, Version } from './store.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
/** What one request writes on S3. */
const LARGEST_PUT = 5 * 1024 ** 3

/**
 * A store in a bucket: a value is an object, its version the object's etag. A bucket can't append, lock, or tell of changes, so neither can
 * this: of writers that expect the same version one wins, and the others are refused.
 */
export class S3Store implements Store {
  readonly capabilities: StoreCapabilities = { append: false, leases: false, maxValueBytes: LARGEST_PUT, watch: false }
  readonly #client: () => Promise<S3Client>
  #serverLooks = false
  #closed = false

  constructor(settings: S3Settings, world: Partial<S3World> = {}) {
    this.#client = lazyS3Client(settings, world)
  }

  async get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    const client = await this.#open()
    const read = await client.get(key, { ...(known !== undefined && { known }) })
    return read === null || read === 'same' ? read : { bytes: read.bytes, version: read.info.etag }
  }

  async put(key: string, bytes: Uint8Array, expected?: Version | null): Promise<StoreWritten> {
    const own = bytes.slice()
    const client = await this.#open()
    const condition = expected === undefined ? null : expected === null ? 'missing' : { etag: expected }
    const written = await client.put(key, own, { condition, headers: JSON_TYPE })
    if (written.state === 'conflict') return written
    if (expected === null) await this.#checkServer(client, key, own)
    return { state: 'written', version: written.etag }
  }

  async append(): Promise<StoreAppended> {
    this.#check()
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', 'a bucket cannot append; keep history in RAM, on disk or on Redis')
  }

  /** Of two at once, both may be told that they deleted it. */
  async delete(key: string): Promise<boolean> {
    const client = await this.#open()
    if ((await client.head(key)) === null) return false
    await client.delete(key)
    return true
  }

  async list(prefix: string): Promise<readonly string[]> {
    const client = await this.#open()
    const keys: string[] = []
    let cursor: string | null = null
    do {
      const page: S3Page = await client.list({ prefix, ...(cursor !== null && { cursor }) })
      for (const { key } of page.objects) keys.push(key)
      cursor = page.cursor
    } while (cursor !== null)
    return keys
  }

  /** Given to everybody: it guards nothing. */
  async lease(key: string, signal?: AbortSignal): Promise<Lease> {
    this.#check()
    signal?.throwIfAborted()
    return { key, end: () => undefined }
  }

  /** Never called: a bucket tells nothing. */
  watch(): () => void {
    this.#check()
    return () => undefined
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  /** Once, after something was made, which is seldom: a server that ignores conditions would lose what instances write at the same time. */
  async #checkServer(client: S3Client, key: string, bytes: Uint8Array): Promise<void> {
    if (this.#serverLooks) return
    try {
      this.#serverLooks = await client.looksAtConditions(key, bytes, JSON_TYPE)
    } catch {
      // It isn't known; what was written counts. Asked again next time.
      return
    }
    if (this.#serverLooks) return
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `the server of the bucket ignores If-Match, so instances would overwrite what others write: use one that honours conditional writes, as Amazon S3 and Ceph do`,
    )
  }

  async #open(): Promise<S3Client> {
    this.#check()
    return this.#client()
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}
