import type { MaybePromise } from '../host.ts'
import type { Lease, Store, StoreAppended, StoreChange, StoreWritten, Version } from './store.ts'

/** How changes ended. `conflict` is of the change that follows those in `values`, or, where the store makes all in one step, of the one at `at`. */
export interface ChangesWritten {
  readonly state: 'written' | 'conflict' | 'lost'
  /** Index of the change that was refused as a conflict; -1 where none was. */
  readonly at: number
  /** What the values of the changes that were made have become. */
  readonly values: readonly { readonly version: Version; readonly size: number }[]
}

/** Makes changes in one step where the store can, else one after the other up to the first that is refused. `end` ends the lease after the last. */
export async function writeChanges(
  store: Store,
  changes: readonly StoreChange[],
  lease?: Lease,
  end: boolean = false,
): Promise<ChangesWritten> {
  if (store.write !== undefined) {
    const written = await store.write(changes, lease, end)
    if (written.state === 'written') return { state: 'written', at: -1, values: written.values }
    return { state: written.state, at: written.state === 'conflict' ? written.at : -1, values: [] }
  }
  const values: { version: Version; size: number }[] = []
  for (const [at, change] of changes.entries()) {
    const written = await writeOne(store, change, lease)
    if (written.state !== 'written') return { state: written.state, at: written.state === 'conflict' ? at : -1, values }
    values.push({ version: 'version' in written ? written.version : '', size: 'size' in written ? written.size : change.bytes.length })
  }
  if (end) lease?.end()
  return { state: 'written', at: -1, values }
}

function writeOne(store: Store, change: StoreChange, lease: Lease | undefined): MaybePromise<StoreWritten | StoreAppended> {
  if (change.type === 'put') return store.put(change.key, change.bytes, change.expected, lease)
  return store.append(change.key, change.bytes, change.size, lease)
}
