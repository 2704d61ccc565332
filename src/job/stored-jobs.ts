import { decodeId, encodeId } from '../state/id.ts'
import { PrefixedStore } from '../store/prefixed-store.ts'
import type { Store } from '../store/store.ts'
import type { JobStorage } from './job-storage.ts'

/** Jobs in a store of bytes: `jobs/{id}/…`, and the trees of all of them in `trees/…`. */
export function storedJobs(store: Store): JobStorage {
  const objects = treesIn(store)
  return {
    place: (id) => ({ store: new PrefixedStore(store, `jobs/${encodeId(id)}/`), objects, documents: store }),
    lockTarget: () => store.lease('apply'),
    list: async () => {
      const names = new Set((await store.list('jobs/')).map((key) => key.split('/')[1] as string))
      return Array.from(names, decodeId)
    },
  }
}

const trees = new WeakMap<Store, Store>()

/** Where the trees of a workspace's Jobs and checkpoints are: the same for everybody here who works with that store. */
export function treesIn(store: Store): Store {
  const known = trees.get(store)
  if (known !== undefined) return known
  const made = new PrefixedStore(store, 'trees/')
  trees.set(store, made)
  return made
}
