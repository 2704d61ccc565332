import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'

const UNRESERVED = /^[A-Za-z0-9\-._~]*$/

/**
 * An id as a name in a key or file: all outside the unreserved characters of RFC 3986 percent-encoded byte by byte, and so are the names
 * `.` and `..`. EINVAL for an empty id.
 */
export function encodeId(id: string): string {
  if (id === '') throw new WorkspaceError('EINVAL', 'an id must not be empty')
  if (id === '.' || id === '..') return id.replaceAll('.', '%2E')
  if (UNRESERVED.test(id)) return id
  let name = ''
  for (const byte of encode(id)) {
    const character = String.fromCharCode(byte)
    name += UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return name
}

/** The id that {@link encodeId} made the name of. */
export function decodeId(name: string): string {
  if (!name.includes('%')) return name
  const bytes: number[] = []
  for (let at = 0; at < name.length; at++) {
    if (name[at] === '%') {
      bytes.push(Number.parseInt(name.slice(at + 1, at + 3), 16))
      at += 2
    } else bytes.push(name.charCodeAt(at))
  }
  return decode(Uint8Array.from(bytes))
}
