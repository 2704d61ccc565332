import type { StoreEncryption } from '../../src/store/encryption.ts'

/** Two keys, which every test may know. */
export const encryption: StoreEncryption & { readonly keys: { readonly k1: Uint8Array; readonly k2: Uint8Array } } = {
  keyId: 'k2',
  keys: { k1: new Uint8Array(32).fill(1), k2: new Uint8Array(32).fill(2) },
}
