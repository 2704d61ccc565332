import { decode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { XmlElement } from './xml.ts'
import { childrenOf, readXml, textOf } from './xml.ts'

/** An object as a listing has it. */
export interface S3Listed {
  /** Without `keyPrefix`. */
  readonly key: string
  readonly size: number
  /** As the server gives it, with its quotes. */
  readonly etag: string
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number
}

/** A page of a listing, sorted by the keys' bytes. */
export interface S3Page {
  readonly objects: readonly S3Listed[]
  /** What keys have in common up to the delimiter, which is included. */
  readonly prefixes: readonly string[]
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null
}

/** A multipart upload that was neither completed nor aborted. */
export interface S3Upload {
  readonly key: string
  readonly uploadId: string
  /** Milliseconds since the epoch. */
  readonly startedMs: number
}

/** Reads the answer of ListObjectsV2 with `encoding-type=url`. */
export function readPage(bytes: Uint8Array, keyPrefix: string): S3Page {
  const root = rootOf(bytes, 'ListBucketResult')
  const name = nameReader(root, keyPrefix)
  return {
    objects: childrenOf(root, 'Contents').map((entry) => ({
      key: name(needed(entry, 'Key')),
      size: Number(needed(entry, 'Size')),
      etag: needed(entry, 'ETag'),
      modifiedMs: Date.parse(needed(entry, 'LastModified')),
    })),
    prefixes: childrenOf(root, 'CommonPrefixes').map((entry) => name(needed(entry, 'Prefix'))),
    cursor: textOf(root, 'IsTruncated') === 'true' ? needed(root, 'NextContinuationToken') : null,
  }
}

/** Reads a page of the answer of ListMultipartUploads, and where the next one begins. Its names aren't encoded: Ceph would, and not say so. */
export function readUploads(
  bytes: Uint8Array,
  keyPrefix: string,
): { readonly uploads: readonly S3Upload[]; readonly next: Readonly<Record<string, string>> | null } {
  const root = rootOf(bytes, 'ListMultipartUploadsResult')
  const name = nameReader(root, keyPrefix)
  return {
    uploads: childrenOf(root, 'Upload').map((entry) => ({
      key: name(needed(entry, 'Key')),
      uploadId: needed(entry, 'UploadId'),
      startedMs: Date.parse(needed(entry, 'Initiated')),
    })),
    next:
      textOf(root, 'IsTruncated') === 'true'
        ? {
            'key-marker': keyPrefix + name(textOf(root, 'NextKeyMarker') ?? ''),
            'upload-id-marker': textOf(root, 'NextUploadIdMarker') ?? '',
          }
        : null,
  }
}

/** The text of a child of the answer's root. CORRUPT where the answer isn't the one that was expected. */
export function answerText(bytes: Uint8Array, root: string, name: string): string {
  return needed(rootOf(bytes, root), name)
}

/** The errors of single keys in the answer of DeleteObjects. */
export function readDeleteErrors(bytes: Uint8Array): readonly { readonly key: string; readonly code: string; readonly message: string }[] {
  return childrenOf(rootOf(bytes, 'DeleteResult'), 'Error').map((entry) => ({
    key: textOf(entry, 'Key') ?? '',
    code: textOf(entry, 'Code') ?? '',
    message: textOf(entry, 'Message') ?? '',
  }))
}

function rootOf(bytes: Uint8Array, name: string): XmlElement {
  const root = readXml(decode(bytes))
  if (root?.name !== name) throw new WorkspaceError('CORRUPT', `the S3 server's answer is no ${name}; check endpointUrl`)
  return root
}

function needed(element: XmlElement, name: string): string {
  const text = textOf(element, name)
  if (text === null) throw new WorkspaceError('CORRUPT', `the S3 server's answer lacks ${name} in ${element.name}`)
  return text
}

/** Names as they are: encoded where the answer says so. */
function nameReader(root: XmlElement, keyPrefix: string): (text: string) => string {
  const isEncoded = textOf(root, 'EncodingType') === 'url'
  return (text) => (isEncoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text).slice(keyPrefix.length)
}
