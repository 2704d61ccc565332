import { decode } from '../bytes.ts'

/** Begins every line of an encrypted value. */
export const SEALED = 'mirage-sealed'

/** Whether a value is encrypted. */
export function isSealed(value: Uint8Array): boolean {
  return decode(value.subarray(0, SEALED.length)) === SEALED
}
