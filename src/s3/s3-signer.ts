import type { Host } from '../host.ts'
import type { S3Credentials } from './s3-options.ts'

/** What is signed. */
export interface Signable {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a signature holds for. */
export interface SignScope {
  readonly region: string
  /** Milliseconds since the epoch by the server's clock. */
  readonly time: number
}

/** Signs requests as Amazon's signature, version 4, wants it. */
export interface S3Signer {
  /** All headers of the request, with those that sign it. */
  headers(request: Signable, credentials: S3Credentials, scope: SignScope): Promise<Readonly<Record<string, string>>>
  /** The URL that does the same for so many seconds, for who sends exactly the headers of the request with it. */
  url(request: Signable, credentials: S3Credentials, scope: SignScope & { readonly expires: number }): Promise<string>
}

/** Loads what signs when it is first needed. Keys that were derived are kept, a few. */
export function s3Signer(): S3Signer {
  let keys = new Map<string, ArrayBuffer>()
  const options = ({ method, headers }: Signable, credentials: S3Credentials, { region, time }: SignScope) => {
    if (keys.size >= KEPT_KEYS) keys = new Map()
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    return {
      method,
      headers: { ...headers },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: 's3',
      region,
      cache: keys,
      datetime: new Date(time).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    }
  }
  return {
    headers: async (request, credentials, scope) => {
      const { AwsV4Signer } = await import('aws4fetch')
      const signed = await new AwsV4Signer({ url: request.url, ...options(request, credentials, scope) }).sign()
      const headers: Record<string, string> = {}
      ;(signed.headers as Headers).forEach((value, name) => {
        headers[name] = value
      })
      return headers
    },
    url: async (request, credentials, scope) => {
      const { AwsV4Signer } = await import('aws4fetch')
      const url = `${request.url}${request.url.includes('?') ? '&' : '?'}X-Amz-Expires=${scope.expires}`
      const signer = new AwsV4Signer({ url, ...options(request, credentials, scope), signQuery: true, allHeaders: true })
      return (await signer.sign()).url.href
    },
  }
}

/** The credentials of a host that changes them. */
export class CredentialSource {
  readonly #ask: () => Promise<S3Credentials>
  readonly #host: Pick<Host, 'now'>
  #current: S3Credentials | null = null

  constructor(ask: () => Promise<S3Credentials>, host: Pick<Host, 'now'>) {
    this.#ask = ask
    this.#host = host
  }

  /** The same ones until shortly before they end. Who asks at once with others asks for itself: in a worker, another request may be gone. */
  async get(): Promise<S3Credentials> {
    const { expiration } = this.#current ?? {}
    const isOver = expiration !== undefined && this.#host.now() > new Date(expiration).getTime() - EARLY_MS
    if (this.#current === null || isOver) this.#current = await this.#ask()
    return this.#current
  }

  /** The server refused them. */
  drop(): void {
    this.#current = null
  }
}

const KEPT_KEYS = 20
const EARLY_MS = 60_000
