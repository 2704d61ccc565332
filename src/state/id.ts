import { concat, decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'

const UNRESERVED = /^[A-Za-z0-9\-._~]*$/
/** With the flag `u`, halves of surrogate pairs alone. */
const HALF = /[\ud800-\udfff]/u
/** What `decode` gives for the three bytes of such a half. */
const HALF_BYTES = /\udced([\udca0-\udcbf])([\udc80-\udcbf])/g

/**
 * An id as a name in a key or file: all outside the unreserved characters of RFC 3986 percent-encoded byte by byte, and so are the names
 * `.` and `..`. No two ids have the same name: one that no bytes stand for has, for half of a surrogate pair, the three bytes it would have if it
 * were a character. EINVAL for an empty id.
 */
export function encodeId(id: string): string {
  if (id === '') throw new WorkspaceError('EINVAL', 'an id must not be empty')
  if (id === '.' || id === '..') return id.replaceAll('.', '%2E')
  if (UNRESERVED.test(id)) return id
  let name = ''
  for (const byte of bytesOf(id)) {
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
  return decode(Uint8Array.from(bytes)).replace(HALF_BYTES, (_, second: string, third: string) =>
    String.fromCharCode(0xd000 | ((second.charCodeAt(0) & 63) << 6) | (third.charCodeAt(0) & 63)),
  )
}

function bytesOf(id: string): Uint8Array {
  const plain = encode(id)
  if (!HALF.test(id) || (decode(plain) === id && id.search(HALF_BYTES) === -1)) return plain
  const characters = Array.from(id, (character) => {
    const code = character.charCodeAt(0)
    return HALF.test(character) ? Uint8Array.of(0xed, 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)) : encode(character)
  })
  return concat(characters)
}
