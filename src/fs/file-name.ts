import { encode } from '../bytes.ts'
import { FileSystemError } from '../errors.ts'

/** What a path whose last walked `name` isn't there fails with: ENOENT, or ENAMETOOLONG for a name that can't be. */
export function missingName(name: string, path: string): FileSystemError {
  return new FileSystemError(isTooLong(name) ? 'ENAMETOOLONG' : 'ENOENT', path)
}

/** Fails unless a file can be called so: ENAMETOOLONG above 255 bytes, EINVAL with a NUL in it. */
export function checkName(name: string, path: string): void {
  if (isTooLong(name)) throw new FileSystemError('ENAMETOOLONG', path)
  if (name.includes('\0')) throw new FileSystemError('EINVAL', path)
}

/** True for what would be altered on its way to a back end that takes text only: bytes that are no UTF-8, and NUL. */
export function isRefusedText(name: string): boolean {
  return REFUSED.test(name)
}

const LONGEST_NAME = 255
/** With the flag `u`, halves of surrogate pairs alone. */
const REFUSED = /[\ud800-\udfff\0]/u

function isTooLong(name: string): boolean {
  return name.length > LONGEST_NAME || (name.length * 3 > LONGEST_NAME && encode(name).length > LONGEST_NAME)
}
