import { concat, decode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Keys } from './encryption.ts'
import { keyRing } from './key-ring.ts'
import type { FrameKind, SealedValue } from './sealed-frames.ts'
import { markTorn, openFrames, sealFrame } from './sealed-frames.ts'
import { isSealed, SEALED } from './sealed-text.ts'
import type { Lease, Store, StoreAppended, StoreChange, StoreChanged, StoredValue, StoreWritten, Version } from './store.ts'

/** What has to be known of a value to append to it. */
interface End {
  /** Bytes of it in the store, and of what it holds. */
  readonly stored: number
  readonly size: number
  readonly isTorn: boolean
  /** It is not encrypted, or nothing: who appends writes all of it. */
  readonly plain: StoredValue | null
}

/** A change as the store gets it, and the end that it makes. */
interface Sealed {
  readonly change: StoreChange
  readonly end: End
  /** It was made for an end that was just read. */
  readonly isFresh: boolean
}

/** The operations of a store that see values, over one that gets them encrypted. Arguments are never changed by whoever calls. */
export interface Sealing {
  get(key: string, known?: Version): Promise<StoredValue | 'same' | null>
  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten>
  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended>
  delete(key: string): Promise<boolean>
  write(changes: readonly StoreChange[], lease?: Lease, end?: boolean): Promise<StoreChanged>
  take(key: string, known?: Version, signal?: AbortSignal): Promise<{ readonly lease: Lease; readonly value: StoredValue | 'same' | null }>
  /** Encrypts a value with the current key, if it isn't; false where there was nothing to do. */
  reseal(key: string, lease?: Lease): Promise<boolean>
}

/** Values that are remembered, and bytes that such a one may have. */
const MOST_RECENT = 4
const LONGEST_RECENT = 1 << 20
/** Ends that are remembered. */
const MOST_ENDS = 1000
const ATTEMPTS = 100
const NEWLINE = 10
const NO_BYTES = new Uint8Array(0)
/** No value has so many bytes. */
const NEVER = Number.MAX_SAFE_INTEGER
const NOTHING: End = { stored: 0, size: 0, isTorn: false, plain: null }

export function createSealing(store: Store, keys: Keys): Sealing {
  const ring = keyRing(keys)
  const ends = new Map<string, End>()
  /** Values that were opened last: the end of a history is read again and again while it grows. */
  const recent = new Map<string, { readonly stored: Uint8Array; readonly value: SealedValue }>()

  function remember(key: string, end: End): void {
    ends.delete(key)
    ends.set(key, end)
    if (ends.size > MOST_ENDS) ends.delete(ends.keys().next().value as string)
  }

  async function open(key: string, stored: StoredValue | 'same' | null): Promise<StoredValue | 'same' | null> {
    if (stored === 'same') return stored
    ends.delete(key)
    if (stored === null) return null
    const { bytes, version } = stored
    if (!isOurs(bytes)) return accepted(key, stored)
    const opened = await openGrown(key, bytes)
    // Of a value whose first append was torn nothing is left: the next append begins it anew.
    if (opened.keyIds.size > 0) remember(key, { stored: bytes.length, size: opened.bytes.length, isTorn: opened.isTorn, plain: null })
    return { bytes: opened.bytes, version }
  }

  /** Opens what was appended since the value was last opened here, or all of it where that isn't what it begins with. */
  async function openGrown(key: string, bytes: Uint8Array): Promise<SealedValue> {
    const known = recent.get(key)
    const start = known !== undefined && beginsWith(bytes, known.stored) ? known : null
    const added = await openFrames(ring, key, bytes, start?.stored.length ?? 0)
    const keyIds = new Set([...(start?.value.keyIds ?? []), ...added.keyIds])
    const value = { ...added, bytes: start === null ? added.bytes : concat([start.value.bytes, added.bytes]), keyIds }
    recent.delete(key)
    if (!value.isTorn && bytes.length <= LONGEST_RECENT) recent.set(key, { stored: bytes, value })
    if (recent.size > MOST_RECENT) recent.delete(recent.keys().next().value as string)
    return { ...value, bytes: value.bytes.slice() }
  }

  function accepted(key: string, stored: StoredValue): StoredValue {
    if (keys.acceptsPlaintext) return stored
    const why = "is not encrypted; encryption.plaintext: 'accept' reads such values, and encrypts each when it is next written"
    throw new WorkspaceError('CORRUPT', `${key}: ${why}`)
  }

  /** Where a value ends now; null where there is none. */
  async function read(key: string): Promise<End | null> {
    const value = await open(key, await store.get(key))
    if (value === null || value === 'same') return null
    return ends.get(key) ?? { stored: value.bytes.length, size: value.bytes.length, isTorn: false, plain: value }
  }

  function frame(kind: FrameKind, key: string, at: number, bytes: Uint8Array): Promise<Uint8Array> {
    return sealFrame(ring, kind, key, at, bytes)
  }

  /** The change, encrypted; null where it can't be made of the value there is. */
  async function seal(given: StoreChange): Promise<Sealed | null> {
    const { key, bytes } = given
    if (given.type === 'put') {
      const sealed = await frame('put', key, 0, bytes)
      return { change: { ...given, bytes: sealed }, end: endOf(sealed, bytes), isFresh: true }
    }
    const known = ends.get(key)
    const isFresh = known === undefined || (given.size !== undefined && given.size !== known.size)
    const end = isFresh ? await read(key) : known
    if (end === null ? (given.size ?? -1) !== 0 : given.size !== undefined && given.size !== end.size) return null
    if (end?.plain != null && given.unless !== undefined && (await store.get(given.unless)) !== null) return null
    return { ...(await follow(given, end ?? NOTHING)), isFresh }
  }

  async function follow({ key, bytes, unless }: StoreChange & { type: 'append' }, end: End): Promise<Omit<Sealed, 'isFresh'>> {
    if (end.plain !== null) {
      const whole = concat([end.plain.bytes, bytes])
      const sealed = await frame('put', key, 0, whole)
      return { change: { type: 'put', key, bytes: sealed, expected: end.plain.version }, end: endOf(sealed, whole) }
    }
    const mark = end.isTorn ? markTorn() : NO_BYTES
    const added = concat([mark, await frame('add', key, end.stored + mark.length, bytes)])
    const change: StoreChange = { type: 'append', key, bytes: added, size: end.stored, ...(unless !== undefined && { unless }) }
    return { change, end: { stored: end.stored + added.length, size: end.size + bytes.length, isTorn: false, plain: null } }
  }

  /** What the store does with a value, which is forgotten where that fails: it may have been done or not. */
  async function doubtful<T extends { readonly state: string }>(touched: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      for (const key of touched) ends.delete(key)
      throw error
    }
  }

  async function append(key: string, bytes: Uint8Array, size: number | undefined, lease: Lease | undefined): Promise<StoreAppended> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // To a value that is missing only where the size may be none.
      let sealed = await seal({ type: 'append', key, bytes, ...(size !== undefined && { size }) })
      if (sealed === null && size === undefined) sealed = await seal({ type: 'append', key, bytes, size: 0 })
      if (sealed === null) {
        if (size !== undefined) return { state: 'conflict' }
        continue
      }
      const { change: made, end, isFresh } = sealed
      const written =
        made.type === 'put' ? await store.put(key, made.bytes, made.expected, lease) : await store.append(key, made.bytes, made.size, lease)
      if (written.state === 'written') {
        remember(key, end)
        return { state: 'written', size: end.size }
      }
      ends.delete(key)
      if (written.state === 'lost') return { state: 'lost' }
      if (size !== undefined && isFresh) return { state: 'conflict' }
    }
    throw new WorkspaceError('CONFLICT', `cannot append to ${key}: others kept changing it`)
  }

  async function write(changes: readonly StoreChange[], lease: Lease | undefined, end: boolean | undefined): Promise<StoreChanged> {
    if (store.write === undefined) throw new WorkspaceError('CAPABILITY_UNSUPPORTED', 'the store makes one change at a time')
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const sealed: Sealed[] = []
      let isRefused = false
      for (const [at, given] of changes.entries()) {
        const one = await seal(given)
        if (one === null && at === 0) return { state: 'conflict', at }
        if (one === null) {
          isRefused = true
          break
        }
        sealed.push(one)
      }
      // Where a change can't be made, the store is asked all the same: it may refuse an earlier one, too, or the lease may be lost.
      const impossible: StoreChange[] = isRefused
        ? [{ type: 'append', key: changes[sealed.length]?.key ?? '', bytes: NO_BYTES, size: NEVER }]
        : []
      const written = await store.write([...sealed.map((one) => one.change), ...impossible], lease, end)
      if (written.state === 'written') {
        for (const one of sealed) remember(one.change.key, one.end)
        return { state: 'written', values: written.values.map(({ version }, at) => ({ version, size: sealed[at]?.end.size ?? 0 })) }
      }
      if (written.state === 'lost') return written
      const refused = sealed[written.at]
      if (refused !== undefined) ends.delete(refused.change.key)
      // Where an append was made for an end that has moved since, it may still be what is wanted.
      if (refused === undefined || refused.isFresh) return written
    }
    throw new WorkspaceError('CONFLICT', `cannot write ${changes.map(({ key }) => key).join(', ')}: others kept changing it`)
  }

  return {
    get: async (key, known) => open(key, await store.get(key, known)),
    put: (key, bytes, expected, lease) =>
      doubtful([key], async () => {
        const sealed = await frame('put', key, 0, bytes)
        const written = await store.put(key, sealed, expected, lease)
        if (written.state === 'written') remember(key, endOf(sealed, bytes))
        return written
      }),
    append: (key, bytes, size, lease) => doubtful([key], () => append(key, bytes, size, lease)),
    async delete(key) {
      ends.delete(key)
      return store.delete(key)
    },
    write: (changes, lease, end) =>
      doubtful(
        changes.map(({ key }) => key),
        () => write(changes, lease, end),
      ),
    async take(key, known, signal) {
      if (store.take === undefined) throw new WorkspaceError('CAPABILITY_UNSUPPORTED', 'the store gives leases and values apart')
      const { lease, value } = await store.take(key, known, signal)
      try {
        return { lease, value: await open(key, value) }
      } catch (error) {
        lease.end()
        throw error
      }
    },
    async reseal(key, lease) {
      for (;;) {
        const stored = await store.get(key)
        if (stored === null || stored === 'same') return false
        const isPlain = !isOurs(stored.bytes)
        const { bytes, keyIds } = isPlain
          ? { bytes: accepted(key, stored).bytes, keyIds: new Set<string>() }
          : await openFrames(ring, key, stored.bytes)
        if (!isPlain && Array.from(keyIds).every((id) => id === ring.current)) return false
        const sealed = await frame('put', key, 0, bytes)
        const written = await store.put(key, padded(sealed, stored.bytes.length), stored.version, lease)
        ends.delete(key)
        if (written.state === 'written') return true
        if (written.state === 'lost')
          throw new WorkspaceError('CONFLICT', `cannot encrypt ${key} anew: another instance took the session's turn`)
      }
    },
  }
}

/** Also where a crash left no more than a part of the first word, or nothing. */
function isOurs(value: Uint8Array): boolean {
  return isSealed(value) || (value.length < SEALED.length && SEALED.startsWith(decode(value)))
}

function beginsWith(value: Uint8Array, start: Uint8Array): boolean {
  return value.length >= start.length && start.every((byte, at) => value[at] === byte)
}

function endOf(stored: Uint8Array, held: Uint8Array): End {
  return { stored: stored.length, size: held.length, isTorn: false, plain: null }
}

/** Made as long as what it replaces, so that nobody who knows how long that was takes it for the end. */
function padded(sealed: Uint8Array, length: number): Uint8Array {
  if (sealed.length >= length) return sealed
  const whole = new Uint8Array(length + 1).fill(NEWLINE)
  whole.set(sealed)
  return whole
}
