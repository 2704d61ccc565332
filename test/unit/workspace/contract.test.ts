import { afterAll, describe, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import type { WorkspaceStateStore } from '../../../src/state/state-store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { jobContract } from '../../contract/jobs.ts'
import type { WorkspaceSubject } from '../../contract/workspace.ts'
import { workspaceContract } from '../../contract/workspace.ts'
import { workspaceStateContract } from '../../contract/workspace-states.ts'
import { newFolder, removeFolders } from '../state/subjects.ts'

afterAll(removeFolders)

const kinds: Readonly<Record<string, () => () => WorkspaceStateStore>> = {
  ram: () => {
    const store = new RAMWorkspaceStateStore()
    return () => store
  },
  disk: () => {
    const root = newFolder()
    return () => new DiskWorkspaceStateStore({ root })
  },
}

describe.each(Object.entries(kinds))('a workspace on %s', (kind, makeStore) => {
  // Files on a server tell nobody that they changed.
  const cases = [...workspaceContract, ...jobContract, ...workspaceStateContract].filter(
    ({ needs }) => kind !== 'disk' || needs !== 'watch',
  )
  it.each(cases.map((found) => [found.name, found] as const))('%s', async (_name, found) => {
    const store = makeStore()
    const subject: WorkspaceSubject = {
      open: (mounts, options) => new Workspace(mounts, { workspaceId: 'w', store: store(), ...options }),
      files: () => new RAMFileSystem(),
      state: store,
    }
    await found.run(subject)
  })
})
