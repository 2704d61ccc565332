import { DurableObjectFileSystem } from '../../../src/fs/durable-object-file-system.ts'
import { R2FileSystem } from '../../../src/fs/r2-file-system.ts'
import type { R2Bucket } from '../../../src/fs/r2-objects.ts'
import { DurableObjectWorkspaceStateStore } from '../../../src/state/durable-object-state-store.ts'
import { DurableObjectStore } from '../../../src/store/durable-object.ts'
import type { DurableObjectStorage } from '../../../src/store/durable-object-storage.ts'
import type { Places } from '../places.ts'

/** What a Durable Object has. */
export function objectPlaces(storage: DurableObjectStorage & { deleteAll(): Promise<void> }): Places {
  return {
    state: {
      'durable object': async () => {
        await storage.deleteAll()
        // Instances on one object share its leases, which those of an earlier case still hold.
        const own: DurableObjectStorage = {
          sql: storage.sql,
          transactionSync: (work) => storage.transactionSync(work),
          sync: () => storage.sync(),
        }
        return { store: () => new DurableObjectStore(own), state: () => new DurableObjectWorkspaceStateStore(own) }
      },
    },
    files: {
      'durable object': async () => {
        await storage.deleteAll()
        return new DurableObjectFileSystem(storage)
      },
    },
  }
}

/** What a worker with an R2 bucket has. */
export function bucketPlaces(bucket: R2Bucket): Places {
  return {
    state: {},
    files: { r2: () => new R2FileSystem({ bucket, prefix: `cases/${crypto.randomUUID()}` }) },
  }
}
