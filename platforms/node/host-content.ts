import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { hostPath } from './node-directories.ts'

/** The bytes of a file of the host, piece by piece. What is given may be overwritten afterwards. */
export function* hostPieces(place: string): Generator<Uint8Array, void> {
  const descriptor = openSync(hostPath(place), 'r')
  try {
    const buffer = Buffer.allocUnsafe(PIECE)
    for (;;) {
      const read = readSync(descriptor, buffer, 0, PIECE, null)
      if (read === 0) return
      yield buffer.subarray(0, read)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** SHA-256 of a file of the host, as hexadecimal digits. */
export function hostDigest(place: string): string {
  const hash = createHash('sha256')
  for (const piece of hostPieces(place)) hash.update(piece)
  return hash.digest('hex')
}

const PIECE = 256 * 1024
