import { decodeId, encodeId } from '../state/id.ts'
import { PrefixedStore } from '../store/prefixed-store.ts'
import type { Store } from '../store/store.ts'
import type { JobStorage } from './job-storage.ts'

/** Jobs in a store of bytes: `jobs/{id}/…`, and the trees of all of them in `trees/…`. */
export function storedJobs(store: Store): JobStorage {
  const objects = new PrefixedStore(store, 'trees/')
  return {
    place: (id) => ({ store: new PrefixedStore(store, `jobs/${encodeId(id)}/`), objects, documents: store }),
    lockTarget: () => store.lease('apply'),
    list: async () => {
      const names = new Set((await store.list('jobs/')).map((key) => key.split('/')[1] as string))
      return Array.from(names, decodeId)
    },
  }
}
