import { decode } from '../bytes.ts'
import type { ErrorCode } from '../errors.ts'
import { WorkspaceError } from '../errors.ts'
import { hideSecrets } from '../hide-secrets.ts'
import type { XmlElement } from './xml.ts'
import { childrenOf, readXml, textOf } from './xml.ts'

/** What a server says of a request that it refused. */
export interface S3Fault {
  /** S3's own code, such as `AccessDenied`; made of the status where the server gives none. */
  readonly code: string
  /** The server's own words; may be empty. */
  readonly message: string
  readonly requestId: string
  /** The region that the server names as the right one. */
  readonly region: string | null
  /** Milliseconds since the epoch, by the server's clock; null where it doesn't tell. */
  readonly serverTime: number | null
}

/** What the error is about. */
export interface S3Subject {
  /** `read`, `write`, … */
  readonly action: string
  readonly bucket: string
  readonly key: string
}

/** Reads an answer that is no success. What a server answers to a HEAD has no body; a 404 without one is else not from S3. */
export function faultOf(method: string, status: number, headers: Pick<Headers, 'get'>, bytes: Uint8Array): S3Fault {
  const document = bytes.length > LONGEST_ERROR ? null : errorDocument(bytes)
  return {
    code: (document && textOf(document, 'Code')?.trim()) || (status === 404 && method !== 'HEAD' ? NOT_S3 : codeOfStatus(status)),
    message: ((document && textOf(document, 'Message')) ?? '').replace(/\s+/g, ' ').trim(),
    requestId: headers.get('x-amz-request-id') ?? (document && textOf(document, 'RequestId')) ?? '',
    region: headers.get('x-amz-bucket-region') ?? (document && regionIn(document)),
    serverTime: timeOf(document && textOf(document, 'ServerTime')) ?? timeOf(headers.get('date')),
  }
}

/** The error document in an answer, also one that began as a success; null where there is none. */
export function errorDocument(bytes: Uint8Array): XmlElement | null {
  const root = readXml(decode(bytes))
  return root?.name === 'Error' ? root : null
}

/** The error that a fault becomes: with the server's code, what to check, and the request's id, but nothing that is secret. */
export function s3Error(subject: S3Subject, fault: S3Fault, hidden: readonly string[]): WorkspaceError {
  const { code, message, requestId } = fault
  const advice = ADVICE.get(code)
  const shown = (text: string): string => shortened(withoutSecrets(text, hidden))
  const parts = [advice, UNQUOTED.has(code) ? undefined : shown(message)].filter(Boolean)
  const id = requestId === '' ? '' : ` (request ${shown(requestId)})`
  return new WorkspaceError(codeFor(code), `${failed(subject)}: ${[shown(code), ...parts].join(': ')}${id}`)
}

/** The error for a server that can't be reached. */
export function s3Unreachable(subject: S3Subject, why: string, hidden: readonly string[]): WorkspaceError {
  return new WorkspaceError('STORE_UNAVAILABLE', `${failed(subject)}: ${withoutSecrets(why, hidden)}`)
}

/** Any error's words, without what a signed URL holds. */
export function withoutSecrets(text: string, hidden: readonly string[]): string {
  return hideSecrets(text.replace(/(https?:\/\/[^\s?"')]*)\?[^\s"')]*/g, '$1'), hidden)
}

const LONGEST_ERROR = 64 * 1024
const LONGEST_MESSAGE = 300

const CHECK_KEYS = 'check accessKeyId, secretAccessKey, sessionToken and endpointUrl'
const NOT_S3 = 'HTTP 404'
/** What to look at, by S3's code. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['AccessDenied', 'the credentials are not allowed to do that; check the policies of the user and of the bucket'],
  ['AuthorizationHeaderMalformed', 'check region'],
  ['ExpiredToken', 'the credentials have expired; give new ones'],
  ['InvalidAccessKeyId', `the server knows no such access key; ${CHECK_KEYS}`],
  ['InvalidToken', `the server does not accept the session token; ${CHECK_KEYS}`],
  ['NoSuchBucket', 'there is no such bucket; check bucket, region and endpointUrl'],
  [NOT_S3, 'the answer is not from S3; check endpointUrl'],
  ['PermanentRedirect', 'the bucket is in another region; check region'],
  ['RequestTimeTooSkewed', "this machine's clock differs too much from the server's"],
  ['SignatureDoesNotMatch', `the server computed another signature; ${CHECK_KEYS}, or what presign signs: method, key, query, all headers`],
  ['TokenRefreshRequired', 'the credentials have expired; give new ones'],
])
/** Codes whose own words may hold what was signed. */
const UNQUOTED: ReadonlySet<string> = new Set(['SignatureDoesNotMatch', 'InvalidAccessKeyId', 'InvalidToken', 'ExpiredToken'])

const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['EntityTooLarge', 'LIMIT_EXCEEDED'],
  ['InsufficientCapacity', 'ENOSPC'],
  ['InsufficientStorage', 'ENOSPC'],
  ['KeyTooLongError', 'ENAMETOOLONG'],
  ['NotImplemented', 'CAPABILITY_UNSUPPORTED'],
  ['QuotaExceeded', 'ENOSPC'],
])

const STATUS_CODES: ReadonlyMap<number, string> = new Map([
  [301, 'PermanentRedirect'],
  [304, 'NotModified'],
  [307, 'TemporaryRedirect'],
  [403, 'AccessDenied'],
  [404, 'NoSuchKey'],
  [405, 'MethodNotAllowed'],
  [409, 'ConditionalRequestConflict'],
  [412, 'PreconditionFailed'],
  [416, 'InvalidRange'],
  [429, 'TooManyRequests'],
  [501, 'NotImplemented'],
  [507, 'InsufficientStorage'],
])

function codeFor(code: string): ErrorCode {
  return CODES.get(code) ?? 'STORE_UNAVAILABLE'
}

function codeOfStatus(status: number): string {
  return STATUS_CODES.get(status) ?? `HTTP ${status}`
}

function failed({ action, bucket, key }: S3Subject): string {
  const where = `s3://${bucket}/${key}`
  return `cannot ${action} ${JSON.stringify(where.length > 200 ? `${Array.from(where).slice(0, 200).join('')}…` : where)}`
}

function shortened(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message
}

function regionIn(document: XmlElement): string | null {
  const endpoint = childrenOf(document, 'Endpoint')[0]?.text ?? ''
  return textOf(document, 'Region') ?? /(?:^|\.)s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(endpoint)?.[1] ?? null
}

function timeOf(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}
