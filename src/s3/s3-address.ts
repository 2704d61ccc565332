import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { S3Settings } from './s3-options.ts'

/** Bytes that a key may take. */
export const LONGEST_KEY = 1024

/** The URL of an object, or of the bucket where the key is empty. */
export function s3Url(
  { bucket, endpoint, pathStyle }: Pick<S3Settings, 'bucket' | 'endpoint' | 'pathStyle'>,
  region: string,
  key: string,
  query: Readonly<Record<string, string>>,
): string {
  const { origin, host, path } = endpoint ?? { origin: 'https://', host: amazonHost(region), path: '' }
  const isInPath = pathStyle ?? !(isLabel(bucket) && isDomain(host))
  const base = isInPath ? `${origin}${host}${path}/${bucket}` : `${origin}${bucket}.${host}${path}`
  const parameters = Object.entries(query).map(([name, value]) => `${percent(name)}=${percent(value)}`)
  return `${base}/${encodeKey(key)}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** A key as it stands in a URL's path: each part percent-encoded byte by byte, but for letters, digits and `-._~`. */
export function encodeKey(key: string): string {
  return key.split('/').map(percent).join('/')
}

/**
 * EINVAL for a key that can't be addressed: an empty one, one that is no Unicode text, and one with a part `.` or `..`, which every URL
 * loses. ENAMETOOLONG beyond 1,024 bytes.
 */
export function checkKey(key: string): void {
  if (key === '') throw new WorkspaceError('EINVAL', 'a key of a bucket must not be empty')
  if (LONE.test(key))
    throw new WorkspaceError('EINVAL', `the key ${JSON.stringify(key)} is no Unicode text, which keys of a bucket must be`)
  const size = encode(key).length
  if (size > LONGEST_KEY) {
    const start = JSON.stringify(`${Array.from(key).slice(0, 40).join('')}…`)
    throw new WorkspaceError('ENAMETOOLONG', `the key ${start} has ${size} bytes; a key of a bucket may have ${LONGEST_KEY}`)
  }
  if (key.split('/').some((part) => part === '.' || part === '..')) {
    throw new WorkspaceError('EINVAL', `the key ${JSON.stringify(key)} has a part "." or "..", which no URL keeps`)
  }
}

const LONE = /[\ud800-\udfff]/u

/** Amazon's name for a region. */
function amazonHost(region: string): string {
  return `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** True for a bucket whose name may begin a host's name, also under a certificate for all names of one level. */
function isLabel(bucket: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(bucket)
}

/** True for a name of several parts, false for IP addresses and names as `localhost` or `minio`, which have no names below them. */
function isDomain(host: string): boolean {
  const name = host.replace(/:\d+$/, '')
  return !name.startsWith('[') && name.includes('.') && !/^[\d.]+$/.test(name)
}

function percent(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
