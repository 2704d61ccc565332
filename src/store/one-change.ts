import type { StoreAppended, StoreChanged, StoreWritten } from './store.ts'

/** How a `put` ended that was made as the only change of a `write`. */
export function putAlone(changed: StoreChanged): StoreWritten {
  return changed.state === 'written' ? { state: 'written', version: changed.values[0]?.version ?? '' } : { state: changed.state }
}

/** Likewise an `append`. */
export function appendedAlone(changed: StoreChanged): StoreAppended {
  return changed.state === 'written' ? { state: 'written', size: changed.values[0]?.size ?? 0 } : { state: changed.state }
}
