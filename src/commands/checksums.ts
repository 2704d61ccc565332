import { checksumCommand } from './checksum.ts'
import type { Command } from './command.ts'

/** `md5sum`: MD5 checksums. */
export const md5sum: Command = checksumCommand('md5sum', async () => ({ name: 'MD5', length: 16, create: (await import('./md5.ts')).md5 }))
/** `sha1sum`: SHA1 checksums. */
export const sha1sum: Command = checksumCommand('sha1sum', async () => ({
  name: 'SHA1',
  length: 20,
  create: (await import('./sha1.ts')).sha1,
}))
/** `sha224sum`: SHA224 checksums. */
export const sha224sum: Command = checksumCommand('sha224sum', async () => ({
  name: 'SHA224',
  length: 28,
  create: (await import('./sha256.ts')).sha224,
}))
/** `sha256sum`: SHA256 checksums. */
export const sha256sum: Command = checksumCommand('sha256sum', async () => ({
  name: 'SHA256',
  length: 32,
  create: (await import('./sha256.ts')).sha256,
}))
/** `sha384sum`: SHA384 checksums. */
export const sha384sum: Command = checksumCommand('sha384sum', async () => ({
  name: 'SHA384',
  length: 48,
  create: (await import('./sha512.ts')).sha384,
}))
/** `sha512sum`: SHA512 checksums. */
export const sha512sum: Command = checksumCommand('sha512sum', async () => ({
  name: 'SHA512',
  length: 64,
  create: (await import('./sha512.ts')).sha512,
}))
