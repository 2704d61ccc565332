import { encode } from '../bytes.ts'
import { FileSystemError } from '../errors.ts'

const LONGEST_NAME = 255

/** What a path whose last walked `name` isn't there fails with: ENOENT, or ENAMETOOLONG for a name that can't be. */
export function missingName(name: string, path: string): FileSystemError {
  return new FileSystemError(isTooLong(name) ? 'ENAMETOOLONG' : 'ENOENT', path)
}

/** Fails unless a file can be called so: ENAMETOOLONG above `longest` bytes, EINVAL with a NUL in it. */
export function checkName(name: string, path: string, longest: number = LONGEST_NAME): void {
  if (isTooLong(name, longest)) throw new FileSystemError('ENAMETOOLONG', path)
  if (name.includes('\0')) throw new FileSystemError('EINVAL', path)
}

/** True for what would be altered on its way to a back end that takes text only: bytes that are no UTF-8, and NUL. */
export function isRefusedText(name: string): boolean {
  return REFUSED.test(name)
}

/** With the flag `u`, halves of surrogate pairs alone. */
const REFUSED = /[\ud800-\udfff\0]/u

function isTooLong(name: string, longest = LONGEST_NAME): boolean {
  return name.length > longest || (name.length * 3 > longest && encode(name).length > longest)
}
