import { concat, decode, encode } from '../bytes.ts'
import { codeOf, WorkspaceError } from '../errors.ts'
import { webHost } from '../host.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'
import type { KeyRing } from './key-ring.ts'
import { SEALED } from './sealed-text.ts'

/** `put` begins a value, `add` is one append. */
export type FrameKind = 'put' | 'add'

/** What a sealed value holds. */
export interface SealedValue {
  readonly bytes: Uint8Array
  /** The end is torn: what is appended next has to say so first. */
  readonly isTorn: boolean
  /** Names of the keys it is encrypted with. */
  readonly keyIds: ReadonlySet<string>
}

const FORMAT = 1
/** `mirage-sealed 1 put k2 BASE64`: the last is the nonce, what is encrypted, and its tag. */
const VERSION = /^mirage-sealed (\d{1,9}) /
const HEADER = /^mirage-sealed 1 (put|add) ([!-~]{1,200}) /
const LONGEST_HEADER = 240
const NONCE_BYTES = 12
const TAG_BYTES = 16
const NEWLINE = 10
/** `!` ends a line whose rest a crash has cut off, when something is appended after it. */
const TORN = 33

/**
 * Bytes as one line of text that only whoever has the key can read or make, and that is good at one place only: at the byte `at` of the value of
 * `key`.
 */
export async function sealFrame(keys: KeyRing, kind: FrameKind, key: string, at: number, bytes: Uint8Array): Promise<Uint8Array> {
  const secret = await keys.key(keys.current)
  const nonce = new Uint8Array(NONCE_BYTES)
  // Not of a host that may be made to repeat itself: a nonce that comes twice gives the key away.
  webHost.random(nonce)
  const header = `${SEALED} ${FORMAT} ${kind} ${keys.current} `
  const additionalData = placeOf(header, key, at)
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, secret, bytes))
  return concat([encode(header), encodeBase64(concat([nonce, sealed])), Uint8Array.of(NEWLINE)])
}

/** What goes before the next frame of a value whose end is torn. */
export function markTorn(): Uint8Array {
  return Uint8Array.of(TORN, NEWLINE)
}

/** Opens all frames of a value, or those from the byte `from` on, where one begins. CORRUPT where one was not made for its place with its key; errors never show what is in it. */
export async function openFrames(keys: KeyRing, key: string, value: Uint8Array, from: number = 0): Promise<SealedValue> {
  const opening: Promise<Uint8Array>[] = []
  const keyIds = new Set<string>()
  let at = from
  for (let end = value.indexOf(NEWLINE, at); end !== -1; end = value.indexOf(NEWLINE, at)) {
    const line = value.subarray(at, end)
    // Of what was torn first nothing was kept, so no value begins with it.
    if (line.length > 0 && (at === 0 || line.at(-1) !== TORN)) opening.push(openFrame(keys, key, at, line, keyIds))
    at = end + 1
  }
  const isTorn = at < value.length
  // Only an append may be torn.
  const rest = decode(value.subarray(at, at + 32))
  if (isTorn && at === 0 && rest.startsWith(`${SEALED} ${FORMAT} put`)) throw corrupt(key, 'its end is missing')
  return { bytes: concat(await Promise.all(opening)), isTorn, keyIds }
}

async function openFrame(keys: KeyRing, key: string, at: number, line: Uint8Array, keyIds: Set<string>): Promise<Uint8Array> {
  const start = decode(line.subarray(0, LONGEST_HEADER))
  const version = Number(VERSION.exec(start)?.[1] ?? 0)
  if (version > FORMAT) {
    throw new WorkspaceError('VERSION_UNSUPPORTED', `${key}: is encrypted in format version ${version}, this build reads up to ${FORMAT}`)
  }
  const [header, kind, keyId] = HEADER.exec(start) ?? []
  if (header === undefined || keyId === undefined) throw corrupt(key, `what is at byte ${at} is not encrypted`)
  const sealed = decodeBase64(line.subarray(header.length))
  const isWhole = sealed !== null && sealed.length >= NONCE_BYTES + TAG_BYTES
  if (!isWhole || (kind === 'put' && at > 0)) throw corrupt(key, `what is at byte ${at} was changed`)
  keyIds.add(keyId)
  const secret = await keyFor(keys, key, keyId)
  const iv = sealed.subarray(0, NONCE_BYTES)
  try {
    const algorithm = { name: 'AES-GCM', iv, additionalData: placeOf(header, key, at) } as const
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, secret, sealed.subarray(NONCE_BYTES)))
  } catch {
    // WebCrypto says nothing more than that it failed.
    throw corrupt(key, `what is at byte ${at} was changed, was moved there, or is encrypted with another key than "${keyId}"`)
  }
}

async function keyFor(keys: KeyRing, key: string, keyId: string): Promise<CryptoKey> {
  try {
    return await keys.key(keyId)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    throw new WorkspaceError(codeOf(error) ?? 'CONFIG_INVALID', `cannot read ${key}: ${error.message}`, { cause: error.cause })
  }
}

/** What a frame is good for, which is authenticated with it. */
function placeOf(header: string, key: string, at: number): Uint8Array {
  return encode(`${header}\n${key}\n${at}`)
}

function corrupt(key: string, why: string): WorkspaceError {
  return new WorkspaceError('CORRUPT', `${key}: ${why}`)
}
