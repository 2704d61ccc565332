import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { webHost } from '../host.ts'
import { checkKey, s3Url } from './s3-address.ts'
import type { S3Options, S3PresignRequest } from './s3-options.ts'
import { s3Settings } from './s3-options.ts'
import { CredentialSource, s3Signer } from './s3-signer.ts'

/** What a presigner is made of: a bucket, credentials, and the prefix that its callers stay below. */
export interface S3PresignerOptions extends Omit<S3Options, 'presign' | 'timeout'> {
  readonly keyPrefix: string
  /** Seconds for which a URL holds; 60 when left out. */
  readonly expires?: number
  readonly host?: Host
}

/**
 * Signs requests for pages that must hold no secret; it runs on the host's server. It takes the request as a page's `presign` is given it,
 * from JSON, trusts none of it, and gives a URL. POLICY_DENIED for a request that a file system or a state store below `keyPrefix` has no
 * need of.
 *
 * ```ts
 * const sign = s3Presigner({ bucket: 'agents', region: 'eu-central-1', accessKeyId, secretAccessKey, keyPrefix: `${user}/` })
 * return Response.json(await sign(await request.json()))
 * ```
 */
export function s3Presigner({
  expires = 60,
  host = webHost,
  ...options
}: S3PresignerOptions): (request: S3PresignRequest) => Promise<string> {
  const settings = s3Settings(options, 's3Presigner')
  const { access, bucket, keyPrefix, region } = settings
  if (access.type === 'presign' || access.type === 'none') {
    throw new WorkspaceError('CONFIG_INVALID', 's3Presigner: needs accessKeyId and secretAccessKey, or credentials')
  }
  const source = new CredentialSource(access.type === 'provider' ? access.credentials : async () => access.credentials, host)
  const signer = s3Signer()
  return async (request) => {
    const { method, key, query, headers } = checked(request, bucket, keyPrefix)
    const url = s3Url(settings, region, key, query)
    return signer.url({ method, url, headers }, await source.get(), { region, time: host.now(), expires })
  }
}

/** What each method is for, as the names of the query, sorted. */
const OBJECT_QUERIES: Readonly<Record<string, readonly string[]>> = {
  DELETE: ['', 'uploadId'],
  GET: [''],
  HEAD: [''],
  POST: ['uploads', 'uploadId'],
  PUT: ['', 'partNumber,uploadId'],
}
const LIST_NAMES: ReadonlySet<string> = new Set(
  'continuation-token delimiter encoding-type key-marker list-type max-keys prefix start-after upload-id-marker uploads'.split(' '),
)
const HEADER_NAMES =
  /^(?:cache-control|content-(?:disposition|encoding|language|type)|if-(?:match|none-match)|range|x-amz-(?:content-sha256|copy-source(?:-if-match|-range)?|meta-[a-z0-9-]+))$/

/** The request, if it is one of those that are signed. */
function checked({ method, key, query, headers }: S3PresignRequest, bucket: string, keyPrefix: string): S3PresignRequest {
  if (typeof key !== 'string' || !isTexts(query) || !isTexts(headers)) throw denied('it is no request of a bucket')
  const names = Object.keys(query).sort()
  if (key === '') {
    const isList = query['list-type'] === '2' || query.uploads === ''
    if (method !== 'GET' || !isList || !names.every((name) => LIST_NAMES.has(name))) throw denied('only lists of a bucket are signed')
    if (!(query.prefix ?? '').startsWith(keyPrefix)) throw denied('a list has to begin with the prefix')
  } else {
    checkBelow(key, keyPrefix)
    if (!Object.hasOwn(OBJECT_QUERIES, method) || !OBJECT_QUERIES[method]?.includes(names.join())) {
      throw denied(`there is no ${String(method).slice(0, 10)} of an object with these parameters`)
    }
  }
  for (const name of Object.keys(headers)) if (!HEADER_NAMES.test(name)) throw denied(`the header ${JSON.stringify(name)} is not signed`)
  const copied = headers['x-amz-copy-source']
  if (copied !== undefined) {
    if (!copied.startsWith(`/${bucket}/`) || copied.includes('?')) throw denied('what is copied has to be in the bucket')
    checkBelow(decodedKey(copied.slice(bucket.length + 2)), keyPrefix)
  }
  return { method, key, query, headers }
}

function checkBelow(key: string, keyPrefix: string): void {
  checkKey(key)
  if (!key.startsWith(keyPrefix)) throw denied('the key has to begin with the prefix')
}

function decodedKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw denied('what is copied has no key')
  }
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string')
}

function denied(why: string): WorkspaceError {
  return new WorkspaceError('POLICY_DENIED', `the request is not signed: ${why}`)
}
