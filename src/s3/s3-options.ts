import { WorkspaceError } from '../errors.ts'
import { checkNames, invalid } from '../option-checks.ts'
import { shownUrl } from '../shown-url.ts'

/** What requests are signed with. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Comes with temporary credentials. */
  readonly sessionToken?: string
  /** When they end; new ones are asked for a minute before. Milliseconds since the epoch where it is a number. */
  readonly expiration?: Date | string | number
}

/** One request, as a host's signer sees it. */
export interface S3PresignRequest {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** The object, `keyPrefix` included, not encoded; empty for requests of the bucket itself. */
  readonly key: string
  /** Parameters of the query, not encoded: `{ 'list-type': '2', prefix: 'mirage/' }`. */
  readonly query: Readonly<Record<string, string>>
  /** What is sent with it and has to be signed, by names in lower case: conditions, ranges, metadata, the body's digest. */
  readonly headers: Readonly<Record<string, string>>
}

/** Signs a request somewhere that may know the secret: gives the URL, and headers to send besides those of the request. */
export type S3Presign = (
  request: S3PresignRequest,
) => Promise<string | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }>

/** A bucket, and how it is reached. Credentials are `accessKeyId` with `secretAccessKey`, or `credentials`, or `presign`. */
export interface S3Options {
  readonly bucket: string
  /** `us-east-1` when left out. Where it is the wrong one and the server tells, the right one is used. */
  readonly region?: string
  /** Of an S3-compatible server, such as `https://s3.example.com`; Amazon's when left out. */
  readonly endpointUrl?: string
  /**
   * The bucket goes into the path (true) or into the host's name (false). When left out, into the name where that works: on Amazon, and on
   * endpoints with a domain name of several parts, for a bucket whose name has no dots or capitals.
   */
  readonly pathStyle?: boolean
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
  readonly sessionToken?: string
  /** Gives credentials that change: asked at first, shortly before they expire, and when the server says that they have. */
  readonly credentials?: () => Promise<S3Credentials>
  /** Signs each request elsewhere, for pages, which must hold no secret. No credentials then. */
  readonly presign?: S3Presign
  /** Seconds that a request may take, and one more for each MiB it carries; 10 when left out. */
  readonly timeout?: number
  /** Begins every key. Ends with a slash. */
  readonly keyPrefix?: string
}

/** How requests are allowed. */
export type S3Access =
  | { readonly type: 'keys'; readonly credentials: S3Credentials }
  | { readonly type: 'provider'; readonly credentials: () => Promise<S3Credentials> }
  | { readonly type: 'presign'; readonly presign: S3Presign }
  | { readonly type: 'none' }

/** Options that were checked. */
export interface S3Settings {
  readonly bucket: string
  readonly region: string
  readonly endpoint: { readonly origin: string; readonly host: string; readonly path: string } | null
  readonly pathStyle: boolean | null
  readonly access: S3Access
  readonly timeoutMs: number
  readonly keyPrefix: string
}

/** The names of the options. */
export const S3_OPTION_NAMES: readonly string[] = [
  'bucket',
  'region',
  'endpointUrl',
  'pathStyle',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'credentials',
  'presign',
  'timeout',
  'keyPrefix',
]

/** CONFIG_INVALID for options that can't be meant; `where` says whose they are, `others` which ones are there besides. */
export function s3Settings(options: S3Options, where: string, others: readonly string[] = []): S3Settings {
  checkNames(options, [...S3_OPTION_NAMES, ...others], where)
  const { bucket, region = 'us-east-1', endpointUrl, pathStyle, timeout = 10, keyPrefix = '' } = options
  if (typeof bucket !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(bucket)) {
    throw invalid(`${where}: bucket`, bucket, 'the name of a bucket: 3 or more letters, digits, dots and hyphens')
  }
  if (typeof region !== 'string' || !/^[A-Za-z0-9-]+$/.test(region)) {
    throw invalid(`${where}: region`, region, 'the name of a region, such as "us-east-1"')
  }
  if (pathStyle !== undefined && typeof pathStyle !== 'boolean') throw invalid(`${where}: pathStyle`, pathStyle, 'true or false')
  if (typeof timeout !== 'number' || !(timeout > 0)) throw invalid(`${where}: timeout`, timeout, 'a number of seconds above 0')
  checkPrefix(keyPrefix, where)
  return {
    bucket,
    region,
    endpoint: endpointUrl === undefined ? null : endpointOf(endpointUrl, where),
    pathStyle: pathStyle ?? null,
    access: accessOf(options, where),
    timeoutMs: timeout * 1000,
    keyPrefix,
  }
}

function checkPrefix(keyPrefix: unknown, where: string): void {
  const wanted = 'a text that ends with "/", has no part "." or "..", and at most 512 characters; or empty'
  if (typeof keyPrefix !== 'string' || keyPrefix.length > 512) throw invalid(`${where}: keyPrefix`, keyPrefix, wanted)
  if (keyPrefix === '') return
  const parts = keyPrefix.split('/')
  if (parts.at(-1) !== '' || parts.includes('.') || parts.includes('..')) throw invalid(`${where}: keyPrefix`, keyPrefix, wanted)
}

function endpointOf(endpointUrl: unknown, where: string): NonNullable<S3Settings['endpoint']> {
  const wanted = 'an https: or http: URL without a query, such as "https://s3.example.com"'
  const url = typeof endpointUrl === 'string' && URL.canParse(endpointUrl) ? new URL(endpointUrl) : null
  // What is wrong isn't shown where it may hold a password.
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw refused(`${where}: endpointUrl holds a name or a password`, `${wanted}; credentials go to accessKeyId and secretAccessKey`)
  }
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    if (typeof endpointUrl === 'string') throw refused(`${where}: endpointUrl is ${shownUrl(endpointUrl)}`, wanted)
    throw invalid(`${where}: endpointUrl`, endpointUrl, wanted)
  }
  return { origin: `${url.protocol}//`, host: url.host, path: url.pathname.replace(/\/+$/, '') }
}

function accessOf(options: S3Options, where: string): S3Access {
  const { accessKeyId, secretAccessKey, sessionToken, credentials, presign } = options
  const hasKeys = accessKeyId !== undefined || secretAccessKey !== undefined || sessionToken !== undefined
  if ([hasKeys, credentials !== undefined, presign !== undefined].filter(Boolean).length > 1) {
    throw refused(
      `${where}: access is given in more than one way`,
      'accessKeyId with secretAccessKey, or credentials, or presign, one of the three',
    )
  }
  if (presign !== undefined) {
    if (typeof presign !== 'function') throw invalid(`${where}: presign`, presign, 'a function that signs a request')
    return { type: 'presign', presign }
  }
  if (credentials !== undefined) {
    if (typeof credentials !== 'function') throw invalid(`${where}: credentials`, credentials, 'a function that gives credentials')
    return { type: 'provider', credentials }
  }
  if (!hasKeys) return { type: 'none' }
  for (const [name, value] of Object.entries({ accessKeyId, secretAccessKey })) {
    if (typeof value !== 'string' || value === '') {
      throw refused(`${where}: ${name} is ${value === undefined ? 'left out' : 'no text, or empty'}`, 'a text; the two keys go together')
    }
  }
  if (sessionToken !== undefined && typeof sessionToken !== 'string') throw refused(`${where}: sessionToken is no text`, 'a text')
  return {
    type: 'keys',
    credentials: {
      accessKeyId: String(accessKeyId),
      secretAccessKey: String(secretAccessKey),
      ...(sessionToken === undefined || sessionToken === '' ? {} : { sessionToken }),
    },
  }
}

/** For a value that must not be shown. */
function refused(what: string, wanted: string): WorkspaceError {
  return new WorkspaceError('CONFIG_INVALID', `${what}; it may be ${wanted}`)
}
