import { DiskWorkspaceStateStore, HostFileSystem } from 'mirage-runtime'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import type { Places } from '../places.ts'

/** What Node, Deno and Bun have, below a folder. */
export function scriptPlaces(folder: string): Places {
  let count = 0
  const fresh = (): string => `${folder}/${count++}`
  return {
    state: {
      disk: () => {
        const root = fresh()
        return { store: () => new DiskStore(root), state: () => new DiskWorkspaceStateStore({ root }) }
      },
    },
    files: {
      'host folder': async () => {
        const { mkdir } = await import('node:fs/promises')
        const root = fresh()
        await mkdir(root)
        return new HostFileSystem({ root })
      },
    },
  }
}
