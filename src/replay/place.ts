import type { MaybePromise } from '../host.ts'
import { PrefixedStore } from '../store/prefixed-store.ts'
import type { Store } from '../store/store.ts'

/** Where the documents of one replay are kept: keys are their file names, such as `native/prepared-prefix.json`. */
export interface ReplayPlace {
  /** What results call them. */
  readonly stateLocation: string
  readonly outputLocation: string
  /** `replay-events.jsonl`, and the lease `run`. */
  readonly state: Store
  readonly output: Store
  /** Makes the place of the output: false where there is one already, and then nothing is touched. */
  claim(): MaybePromise<boolean>
}

/** Replays in a store of bytes: `replays/{id}/state/…` and `replays/{id}/output/…`. */
export function storedReplay(store: Store, runId: string): ReplayPlace {
  const stateLocation = `replays/${runId}/state`
  const outputLocation = `replays/${runId}/output`
  const output = new PrefixedStore(store, `${outputLocation}/`)
  return {
    stateLocation,
    outputLocation,
    state: new PrefixedStore(store, `${stateLocation}/`),
    output,
    claim: async () => (await output.put('claimed', new Uint8Array(0), null)).state === 'written',
  }
}
