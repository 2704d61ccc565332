import type { Host } from '../host.ts'
import type { S3Credentials } from './s3-options.ts'

/** What is signed. */
export interface Signable {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Adds the headers that sign a request as Amazon's signature, version 4, wants it. */
export type Sign = (
  request: Signable,
  credentials: S3Credentials,
  /** Where the bucket is, and milliseconds since the epoch by the server's clock. */
  scope: { readonly region: string; readonly time: number },
) => Promise<Readonly<Record<string, string>>>

/** Loads what signs when it is first needed. Keys that were derived are kept, a few. */
export function s3Signer(): Sign {
  let keys = new Map<string, ArrayBuffer>()
  return async ({ method, url, headers }, { accessKeyId, secretAccessKey, sessionToken }, { region, time }) => {
    const { AwsV4Signer } = await import('aws4fetch')
    if (keys.size >= KEPT_KEYS) keys = new Map()
    const signer = new AwsV4Signer({
      method,
      url,
      headers,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: 's3',
      region,
      cache: keys,
      datetime: new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    })
    const signed: Record<string, string> = {}
    const { headers: all } = await signer.sign()
    ;(all as Headers).forEach((value, name) => {
      signed[name] = value
    })
    return signed
  }
}

/** The credentials of a host that changes them. */
export class CredentialSource {
  readonly #ask: () => Promise<S3Credentials>
  readonly #host: Pick<Host, 'now'>
  #current: Promise<S3Credentials> | null = null
  #endsAt: number = Number.POSITIVE_INFINITY

  constructor(ask: () => Promise<S3Credentials>, host: Pick<Host, 'now'>) {
    this.#ask = ask
    this.#host = host
  }

  /** The same ones until shortly before they end; asked for once at a time. */
  async get(): Promise<S3Credentials> {
    if (this.#host.now() > this.#endsAt - EARLY_MS) this.drop()
    this.#current ??= this.#fetch()
    try {
      return await this.#current
    } catch (error) {
      this.drop()
      throw error
    }
  }

  /** The server refused them. */
  drop(): void {
    this.#current = null
    this.#endsAt = Number.POSITIVE_INFINITY
  }

  async #fetch(): Promise<S3Credentials> {
    const credentials = await this.#ask()
    const { expiration } = credentials
    if (expiration !== undefined) this.#endsAt = new Date(expiration).getTime()
    return credentials
  }
}

const KEPT_KEYS = 20
const EARLY_MS = 60_000
