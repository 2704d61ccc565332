import { encode } from '../bytes.ts'
import { digestOf } from '../job/digest.ts'

/** A UUID (RFC 9562, version 8) made of a name: the same name gives the same. */
export function madeUuid(name: string): string {
  const digits = digestOf(encode(name))
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}
