import { sha256 } from '../commands/sha256.ts'

/** SHA-256 of bytes that come in chunks, as hexadecimal digits. */
export function sha256Hex(): { update(bytes: Uint8Array): void; digest(): string } {
  const hash = sha256()
  return {
    update: (bytes) => hash.update(bytes),
    digest: () => hexadecimal(hash.digest()),
  }
}

/** SHA-256 of bytes at hand. */
export function digestOf(bytes: Uint8Array): string {
  const hash = sha256Hex()
  hash.update(bytes)
  return hash.digest()
}

function hexadecimal(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}
