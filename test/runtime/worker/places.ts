import { DurableObjectFileSystem } from '../../../src/fs/durable-object-file-system.ts'
import type { DurableObjectStorage } from '../../../src/store/durable-object-storage.ts'
import type { Places } from '../places.ts'

/** What a worker has without a binding. */
export const workerPlaces: Places = { state: {}, files: {} }

/** What a Durable Object has. */
export function objectPlaces(storage: DurableObjectStorage & { deleteAll(): Promise<void> }): Places {
  return {
    state: {},
    files: {
      'durable object': async () => {
        await storage.deleteAll()
        return new DurableObjectFileSystem(storage)
      },
    },
  }
}
