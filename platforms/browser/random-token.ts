import type { Host } from '../../src/host.ts'

/** A text that no other call gives: 96 random bits. */
export function randomToken(host: Host): string {
  const bytes = new Uint8Array(12)
  host.random(bytes)
  return btoa(String.fromCharCode(...bytes))
}
