import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { checkNames, invalid } from '../option-checks.ts'

/** A key of AES-256: its 32 bytes, or what WebCrypto made of them, for `encrypt` and `decrypt` (for an older key `decrypt` will do). */
export type EncryptionKey = Uint8Array | WebCryptoKey

/** What is looked at of a `CryptoKey`, which not every runtime's types have. */
export interface WebCryptoKey {
  readonly algorithm: { readonly name: string }
  readonly usages: readonly string[]
}

/**
 * Keys with which values are encrypted before a store gets them (AES-256-GCM), by names of the host's choice. Each value says the name of its key,
 * so keys can be changed: add a new one, name it in `keyId`, and keep the older ones as long as something is encrypted with them.
 *
 * One key may encrypt 2^32 times, which is two for most lines that run: change it before.
 */
export interface StoreEncryption {
  /** Name of the key that encrypts what is written. */
  readonly keyId: string
  /** Keys by name: 1 to 200 visible ASCII characters. A function is called when its key is first needed, and again where that failed. */
  readonly keys: Readonly<Record<string, EncryptionKey | (() => MaybePromise<EncryptionKey>)>>
  /**
   * What happens with values that are not encrypted: `refuse` (when left out) fails with CORRUPT; `accept` reads them, and encrypts each when it is
   * next written. With `accept` whoever can write to the store can make up values.
   */
  readonly plaintext?: 'refuse' | 'accept'
}

/** {@link StoreEncryption} that was looked at, with keys that nobody else can change. */
export interface Keys {
  readonly current: string
  readonly sources: ReadonlyMap<string, EncryptionKey | (() => MaybePromise<EncryptionKey>)>
  readonly acceptsPlaintext: boolean
}

const KEY_ID = /^[!-~]{1,200}$/
const KEY_BYTES = 32
const A_KEY = 'a Uint8Array of 32 bytes, an AES-GCM CryptoKey of 256 bits, or a function that gives one'

/** CONFIG_INVALID for what is no encryption. Messages show names of keys, never keys. */
export function checkEncryption(encryption: StoreEncryption, where: string): Keys {
  checkNames(encryption, ['keyId', 'keys', 'plaintext'], where)
  const { keyId, keys, plaintext = 'refuse' } = encryption
  if (typeof keys !== 'object' || keys === null) throw invalid(`${where}.keys`, keys, 'keys by name')
  const sources = new Map(Object.entries(keys))
  for (const [id, source] of sources) {
    if (!KEY_ID.test(id)) throw invalid(`a name in ${where}.keys`, id, '1 to 200 visible ASCII characters')
    if (typeof source === 'function') continue
    checkKey(source, `${where}.keys.${id}`, id === keyId)
    if (source instanceof Uint8Array) sources.set(id, source.slice())
  }
  if (!sources.has(keyId)) throw invalid(`${where}.keyId`, keyId, `one of the names in keys: ${[...sources.keys()].join(', ')}`)
  if (plaintext !== 'refuse' && plaintext !== 'accept') throw invalid(`${where}.plaintext`, plaintext, '"refuse" or "accept"')
  return { current: keyId, sources, acceptsPlaintext: plaintext === 'accept' }
}

/** CONFIG_INVALID for what is no key, or can't do what it is for. */
export function checkKey(key: unknown, name: string, encrypts: boolean): asserts key is EncryptionKey {
  const fault = faultOf(key, encrypts)
  if (fault !== null) throw new WorkspaceError('CONFIG_INVALID', `${name} is ${fault}; it may be ${A_KEY}`)
}

function faultOf(key: unknown, encrypts: boolean): string | null {
  if (key instanceof Uint8Array) return key.length === KEY_BYTES ? null : `a Uint8Array of ${key.length} bytes`
  if (typeof key !== 'object' || key === null || !('algorithm' in key)) return key === null ? 'null' : `a ${typeof key}`
  const { algorithm, usages } = key as { algorithm: { name: string; length?: number }; usages: readonly string[] }
  if (algorithm.name !== 'AES-GCM' || algorithm.length !== KEY_BYTES * 8) {
    return `a CryptoKey of ${algorithm.name}${algorithm.length === undefined ? '' : ` with ${algorithm.length} bits`}`
  }
  const lacking = [...(encrypts ? ['encrypt'] : []), 'decrypt'].filter((usage) => !usages.includes(usage))
  return lacking.length === 0 ? null : `a CryptoKey that may not ${lacking.join(' and ')}`
}
