import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import type { EncryptionKey, Keys } from './encryption.ts'
import { checkKey } from './encryption.ts'

/** Keys that are ready for use. */
export interface KeyRing {
  /** Name of the key that encrypts. */
  readonly current: string
  /** CONFIG_INVALID where there is none of that name, or its function gave something else; STORE_UNAVAILABLE where its function failed. */
  key(id: string): Promise<CryptoKey>
}

/** CAPABILITY_UNSUPPORTED where there is no WebCrypto. */
export function keyRing({ current, sources }: Keys): KeyRing {
  if ((crypto as { subtle?: SubtleCrypto }).subtle === undefined) {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      'cannot encrypt: this page has no WebCrypto, which it has over https: and on localhost',
    )
  }
  const ready = new Map<string, Promise<CryptoKey>>()

  async function load(id: string): Promise<CryptoKey> {
    const source = sources.get(id)
    if (source === undefined) {
      const known = Array.from(sources.keys(), (name) => `"${name}"`).join(', ')
      throw new WorkspaceError('CONFIG_INVALID', `it is encrypted with the key "${id}", which encryption.keys lacks; there are ${known}`)
    }
    const key = typeof source === 'function' ? await ask(id, source) : source
    return key instanceof Uint8Array ? crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']) : key
  }

  async function ask(id: string, source: () => MaybePromise<EncryptionKey>): Promise<EncryptionKey> {
    let key: EncryptionKey
    try {
      key = await source()
    } catch (cause) {
      throw new WorkspaceError('STORE_UNAVAILABLE', `encryption.keys.${id} gave no key`, { cause })
    }
    checkKey(key, `what encryption.keys.${id} gave`, id === current)
    return key
  }

  return {
    current,
    key(id) {
      let loading = ready.get(id)
      if (loading === undefined) {
        loading = load(id)
        ready.set(id, loading)
        loading.catch(() => ready.delete(id))
      }
      return loading
    },
  }
}
