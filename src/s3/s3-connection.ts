import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { Patience } from '../patience.ts'
import { retryAfter } from '../retry-after.ts'
import { sleep } from '../sleep.ts'
import { checkKey, s3Url } from './s3-address.ts'
import type { S3Fault } from './s3-error.ts'
import { errorDocument, faultOf, s3Error, s3Unreachable } from './s3-error.ts'
import type { S3Credentials, S3PresignRequest, S3Settings } from './s3-options.ts'
import type { S3Signer } from './s3-signer.ts'
import { CredentialSource, s3Signer } from './s3-signer.ts'

/** One request of a bucket. */
export interface S3Request {
  /** What error messages say that it does: `read`, `write`, … */
  readonly action: string
  readonly method: S3PresignRequest['method']
  /** `keyPrefix` included; empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Codes of S3 that are an answer to the caller, not an error. */
  readonly answers?: readonly string[]
  readonly signal?: AbortSignal
}

/** What the server answered in the end. */
export interface S3Answer {
  readonly status: number
  readonly headers: Pick<Headers, 'forEach' | 'get'>
  readonly bytes: Uint8Array
  /** Null for a success. */
  readonly fault: S3Fault | null
  /** It was sent more than once, and an earlier time may have been carried out. */
  readonly repeated: boolean
}

/** What the connection takes from the world. */
export interface S3World {
  readonly host: Host
  readonly fetch: typeof fetch
}

/** How one try ended; `lost` where no answer came, and it stays open whether it was carried out. */
type Outcome = { readonly type: 'answer'; readonly answer: Omit<S3Answer, 'repeated'> } | { readonly type: 'lost'; readonly why: string }

const TRIES = 6
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000
const BYTES_A_SECOND = 1024 * 1024
/** To be tried again after a pause, whatever is asked. */
const PASSING: ReadonlySet<string> = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'TooManyRequests',
  'XAmzContentSHA256Mismatch',
])
/** Statuses that a HEAD may have for more than one reason. */
const UNEXPLAINED: ReadonlySet<number> = new Set([301, 307, 400, 403, 404])
const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'TokenRefreshRequired'])
const ELSEWHERE: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'PermanentRedirect',
  'Redirect',
  'TemporaryRedirect',
])

/**
 * Sends requests to one bucket: signed, within a limit of time, and again where that may help, with growing pauses of random length. It
 * remembers the bucket's region and how far this machine's clock is off.
 */
export class S3Connection {
  readonly #settings: S3Settings
  readonly #host: Host
  readonly #fetch: typeof fetch
  readonly #signer: S3Signer = s3Signer()
  readonly #patience: Patience
  readonly #source: CredentialSource | null
  #region: string
  #clockOff = 0
  #bucketSeen = false
  /** What no error may show. */
  #hidden: readonly string[] = []

  constructor(settings: S3Settings, { host, fetch }: S3World) {
    this.#settings = settings
    this.#host = host
    this.#fetch = fetch
    this.#region = settings.region
    this.#patience = new Patience(host, settings.timeoutMs)
    this.#source = settings.access.type === 'provider' ? new CredentialSource(settings.access.credentials, host) : null
  }

  /** Rejects with what s3Error makes of the server's refusal, STORE_UNAVAILABLE where it can't be reached, or the signal's reason. */
  async send(request: S3Request): Promise<S3Answer> {
    if (request.key !== '') checkKey(request.key)
    const started = this.#host.elapsed()
    const limit = this.#patience.limit()
    const mended = new Set<string>()
    let repeated = false
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(request)
      const fault = outcome.type === 'answer' ? outcome.answer.fault : null
      const isAnswer = fault !== null && request.answers?.includes(fault.code) === true
      if (outcome.type === 'answer') {
        this.#patience.answered()
        if (fault === null || (isAnswer && !PASSING.has(fault.code))) return { ...outcome.answer, repeated }
        const cure = this.#cure(fault)
        if (cure !== null && !mended.has(cure)) {
          mended.add(cure)
          continue
        }
        if (!isPassing(outcome.answer.status, fault)) throw this.#error(request, fault)
        repeated ||= outcome.answer.status < 300 || outcome.answer.status >= 500
      } else repeated = true
      const asked =
        outcome.type === 'answer' ? retryAfter(outcome.answer.headers.get('retry-after'), this.#host.now() + this.#clockOff) : null
      const pause = Math.max(this.#pause(tries), asked ?? 0)
      const isLate = this.#host.elapsed() - started + pause >= limit
      if (tries === TRIES || isLate) {
        if (outcome.type === 'lost') {
          this.#patience.unanswered(limit)
          throw this.#unreachable(request, outcome.why)
        }
        if (isAnswer || fault === null) return { ...outcome.answer, repeated }
        throw this.#error(request, fault)
      }
      await sleep(this.#host, pause, request.signal)
    }
  }

  /** What a fault that this connection can do something about asks for; the name of that, or null. */
  #cure(fault: S3Fault): string | null {
    if (fault.code === 'RequestTimeTooSkewed' && fault.serverTime !== null) {
      this.#clockOff = fault.serverTime - this.#host.now()
      return 'clock'
    }
    if (ELSEWHERE.has(fault.code) && fault.region !== null && fault.region !== this.#region) {
      this.#region = fault.region
      return 'region'
    }
    if (EXPIRED.has(fault.code) && this.#source !== null) {
      this.#source.drop()
      return 'credentials'
    }
    return null
  }

  #pause(tries: number): number {
    const most = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS)
    const random = new Uint8Array(2)
    this.#host.random(random)
    return (most * ((random[0] as number) * 256 + (random[1] as number) + 1)) / 65_536
  }

  async #try(request: S3Request): Promise<Outcome> {
    const outcome = await this.#exchange(request, 'manual')
    if (outcome.type === 'lost') return outcome
    const { status, fault } = outcome.answer
    if (fault === null || status === 304) this.#bucketSeen = true
    if (request.method !== 'HEAD' || !UNEXPLAINED.has(status) || (status === 404 && this.#bucketSeen)) return outcome
    // A HEAD is refused without a reason, also where the bucket is missing. The same as a GET has one.
    const told = await this.#exchange({ ...request, method: 'GET', headers: { ...request.headers, range: 'bytes=0-0' } }, 'manual')
    if (told.type === 'answer' && told.answer.fault?.code === 'NoSuchKey') this.#bucketSeen = true
    return told.type === 'lost' || told.answer.fault !== null ? told : outcome
  }

  /** One request and its whole answer, within the limit. */
  #exchange(request: S3Request, redirect: 'follow' | 'manual'): Promise<Outcome> {
    const { signal, body } = request
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const controller = new AbortController()
      const most = this.#patience.limit()
      let cancel = (): void => undefined
      /** From now on, the answer has so long. */
      const limit = (bytes: number): void => {
        cancel()
        const ms = most + (bytes / BYTES_A_SECOND) * 1000
        cancel = this.#host.timer(ms, () => {
          end()
          controller.abort()
          resolve({ type: 'lost', why: `no answer within ${Math.round(ms) / 1000} s` })
        })
      }
      const stop = (): void => {
        end()
        controller.abort()
        reject(signal?.reason)
      }
      const end = (): void => {
        cancel()
        signal?.removeEventListener('abort', stop)
      }
      signal?.addEventListener('abort', stop, { once: true })
      limit(body?.length ?? 0)
      this.#answer(request, redirect, controller.signal, limit).then(
        (outcome) => {
          end()
          resolve(outcome)
        },
        (error: unknown) => {
          end()
          if (error instanceof WorkspaceError) reject(error)
          else resolve({ type: 'lost', why: `no answer (${textOfFailure(error)}); ${CHECK_NETWORK}` })
        },
      )
    })
  }

  async #answer(request: S3Request, redirect: 'follow' | 'manual', signal: AbortSignal, limit: (bytes: number) => void): Promise<Outcome> {
    const { url, headers } = await this.#prepare(request)
    const { method, body } = request
    const send = this.#fetch
    const cache = cacheFor(method)
    const response = await send(url, { method, headers, redirect, signal, ...(cache && { cache }), ...(body && { body }) })
    // A page can't see where a redirect leads, unless it follows it; S3 redirects to another region without an address to follow.
    if (response.type === 'opaqueredirect' && redirect === 'manual') return this.#answer(request, 'follow', signal, limit)
    limit(Number(response.headers.get('content-length') ?? 0))
    const bytes = method === 'HEAD' ? new Uint8Array(0) : new Uint8Array(await response.arrayBuffer())
    const { status } = response
    const isSuccess = status >= 200 && status < 300
    // Copying and completing may begin as a success and end as an error.
    const isFault = !isSuccess || (method !== 'GET' && bytes.length > 0 && errorDocument(bytes) !== null)
    const fault = isFault ? faultOf(method, status, response.headers, bytes) : null
    return { type: 'answer', answer: { status, headers: response.headers, bytes, fault } }
  }

  async #prepare(request: S3Request): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }> {
    const { method, key, query = {}, body } = request
    const { access } = this.#settings
    const digest = body === undefined ? EMPTY_DIGEST : await hexDigest(body)
    if (access.type === 'presign') {
      const headers = { ...request.headers, ...(body && { 'x-amz-content-sha256': digest }) }
      const signed = await this.#asked(request, 'presign', () => access.presign({ method, key, query, headers }))
      const url = typeof signed === 'string' ? signed : signed?.url
      if (typeof url !== 'string' || !URL.canParse(url)) throw this.#unreachable(request, 'presign gave no URL')
      const added = typeof signed === 'string' ? {} : (signed.headers ?? {})
      this.#hidden = [...parametersOf(url, query), ...Object.values(added)]
      return { url, headers: { ...headers, ...added } }
    }
    const credentials = await this.#credentials(request)
    const url = s3Url(this.#settings, this.#region, key, query)
    const time = this.#host.now() + this.#clockOff
    const headers = { ...request.headers, 'x-amz-content-sha256': digest }
    return { url, headers: await this.#signer.headers({ method, url, headers }, credentials, { region: this.#region, time }) }
  }

  async #credentials(request: S3Request): Promise<S3Credentials> {
    const { access } = this.#settings
    const source = this.#source
    if (source === null) {
      if (access.type !== 'keys') {
        throw new WorkspaceError(
          'CONFIG_INVALID',
          `no credentials for the bucket "${this.#settings.bucket}": give accessKeyId and secretAccessKey, or credentials, or presign; on Node, Deno and Bun, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY do, too`,
        )
      }
      return this.#hide(access.credentials)
    }
    const credentials = await this.#asked(request, 'credentials', () => source.get())
    if (typeof credentials?.accessKeyId !== 'string' || typeof credentials.secretAccessKey !== 'string') {
      throw this.#unreachable(request, 'credentials gave no accessKeyId and secretAccessKey')
    }
    return this.#hide(credentials)
  }

  #hide(credentials: S3Credentials): S3Credentials {
    this.#hidden = [credentials.accessKeyId, credentials.secretAccessKey, credentials.sessionToken ?? '']
    return credentials
  }

  /** What a function of the host's gives. */
  async #asked<T>(request: S3Request, name: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      throw this.#unreachable(request, `${name} failed: ${textOfFailure(error)}`)
    }
  }

  #error(request: S3Request, fault: S3Fault): WorkspaceError {
    return s3Error({ ...request, bucket: this.#settings.bucket }, fault, this.#hidden)
  }

  #unreachable(request: S3Request, why: string): WorkspaceError {
    return s3Unreachable({ ...request, bucket: this.#settings.bucket }, why, this.#hidden)
  }
}

const CHECK_NETWORK = "check endpointUrl, and in a page the bucket's CORS configuration"
const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

type Cache = 'force-cache' | 'no-store'
const taken = new Map<Cache, boolean>()

/**
 * A browser would answer a GET from its cache. To a conditional PUT fetch adds `Cache-Control: no-cache`, which the server would keep with the
 * object, unless it is told to use the cache, which a PUT never does. Workers refuse what they don't know of the option.
 */
function cacheFor(method: string): Cache | undefined {
  const cache = method === 'GET' || method === 'HEAD' ? 'no-store' : 'force-cache'
  if (!taken.has(cache)) taken.set(cache, takes(cache))
  return taken.get(cache) === true ? cache : undefined
}

function takes(cache: Cache): boolean {
  try {
    return new Request('https://example.com/', { cache }) !== null
  } catch {
    return false
  }
}

function isPassing(status: number, { code }: S3Fault): boolean {
  return PASSING.has(code) || status === 429 || status === 408 || (status >= 500 && status !== 501 && status !== 507)
}

/** What the query of a signed URL holds besides the request's own parameters. */
function parametersOf(url: string, own: Readonly<Record<string, string>>): string[] {
  const parameters: string[] = []
  new URL(url).searchParams.forEach((value, name) => {
    if (own[name] !== value) parameters.push(value)
  })
  return parameters
}

async function hexDigest(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** An error's words and those of its causes, which runtimes put the reason into. */
function textOfFailure(error: unknown): string {
  const words: string[] = []
  for (let at = error; at instanceof Error && words.length < 3; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' && !at.message.includes(at.code) ? ` ${at.code}` : ''
    words.push(`${at.message}${code}`)
  }
  return words.length === 0 ? String(error) : words.join(': ')
}
