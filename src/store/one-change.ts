import type { Lease, Store, StoreAppended, StoreWritten, Version } from './store.ts'

/** A store that makes several changes in one step. */
type Writer = Pick<Required<Store>, 'write'>

/** A `put` as the only change of a `write`. */
export async function putAlone(
  store: Writer,
  key: string,
  bytes: Uint8Array,
  expected?: Version | null,
  lease?: Lease,
): Promise<StoreWritten> {
  const changed = await store.write([{ type: 'put', key, bytes, expected }], lease)
  return changed.state === 'written' ? { state: 'written', version: changed.values[0]?.version ?? '' } : { state: changed.state }
}

/** Likewise an `append`, of which each that says no size may be the first. */
export async function appendAlone(store: Writer, key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
  const own = bytes.slice()
  for (let at = size; ; at = at === undefined ? 0 : undefined) {
    const changed = await store.write([{ type: 'append', key, bytes: own, size: at }], lease)
    if (changed.state === 'written') return { state: 'written', size: changed.values[0]?.size ?? 0 }
    if (changed.state === 'lost' || size !== undefined) return { state: changed.state }
  }
}
