import type { FileSystem } from '../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../src/fs/memory.ts'
import { MountTable } from '../../src/fs/mount-table.ts'
import { OverlayFileSystem } from '../../src/fs/overlay.ts'
import { webHost } from '../../src/host.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { openSessions } from '../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../src/store/memory.ts'
import { Workspace } from '../../src/workspace.ts'
import { FaultyStore } from '../contract/faulty-store.ts'
import { fileSystemCases } from '../contract/file-system.ts'
import { historyContract } from '../contract/history.ts'
import type { SessionSubject } from '../contract/session.ts'
import { sessionContract } from '../contract/session.ts'
import { storeContract } from '../contract/store.ts'
import type { WorkspaceSubject } from '../contract/workspace.ts'
import { workspaceContract } from '../contract/workspace.ts'
import { packageCases } from './package-cases.ts'
import type { AnySuite } from './suite.ts'
import { suite } from './suite.ts'
import { workspaceCases } from './workspace-cases.ts'

/** All that runs in every runtime. What it imports of `src` is the packed package's when it runs. */
export const suites: readonly AnySuite[] = [
  suite({ name: 'package', cases: packageCases, makeSubject: () => null }),
  suite({ name: 'workspace', cases: workspaceCases, makeSubject: () => null }),
  suite({ name: 'store: memory', cases: storeContract, makeSubject: memoryStores, provides: ['append', 'leases', 'watch'] }),
  fileSystem('RAM', () => new RAMFileSystem()),
  fileSystem('mount table', () => new MountTable()),
  fileSystem('overlay', () => new OverlayFileSystem({ lower: new RAMFileSystem() })),
  suite({ name: 'history: ram', cases: historyContract, makeSubject: ramSessions, provides: ['turns'] }),
  suite({ name: 'history: bytes in memory', cases: historyContract, makeSubject: storedSessions, provides: ['turns', 'faults'] }),
  suite({ name: 'session: ram', cases: sessionContract, makeSubject: ramSessions, provides: ['turns'] }),
  suite({ name: 'session: bytes in memory', cases: sessionContract, makeSubject: storedSessions, provides: ['turns', 'faults'] }),
  suite({ name: 'workspace: ram', cases: workspaceContract, makeSubject: ramWorkspaces, provides: ['watch'] }),
  suite({ name: 'workspace: bytes in memory', cases: workspaceContract, makeSubject: storedWorkspaces, provides: ['watch'] }),
]

function fileSystem(name: string, open: () => FileSystem): AnySuite {
  const { capabilities } = open()
  const provides = Object.entries(capabilities).flatMap(([capability, has]) => (has ? [capability] : []))
  return suite({ name: `files: ${name}`, cases: fileSystemCases, makeSubject: () => ({ fs: open() }), provides })
}

function memoryStores(): { store: MemoryStore; other: MemoryStore } {
  const store = new MemoryStore()
  return { store, other: store }
}

function ramSessions(): SessionSubject {
  const store = new RAMWorkspaceStateStore()
  return sessionSubject(store, () => store, null)
}

function storedSessions(): SessionSubject {
  const store = new MemoryStore()
  const faults = new FaultyStore(store)
  return sessionSubject(new StoredStateStore(faults), () => new StoredStateStore(store), faults)
}

function sessionSubject(first: WorkspaceStateStore, other: () => WorkspaceStateStore, faults: FaultyStore | null): SessionSubject {
  const open = (store: WorkspaceStateStore, workspaceId: string): Sessions => openSessions({ store, workspaceId, host: webHost })
  return {
    one: open(first, 'w'),
    two: open(other(), 'w'),
    again: (workspaceId = 'w') => open(workspaceId === 'through faults' ? first : other(), workspaceId),
    faults,
  }
}

function ramWorkspaces(): WorkspaceSubject {
  const store = new RAMWorkspaceStateStore()
  return workspaceSubject(() => store)
}

function storedWorkspaces(): WorkspaceSubject {
  const store = new MemoryStore()
  return workspaceSubject(() => new StoredStateStore(store))
}

function workspaceSubject(store: () => WorkspaceStateStore): WorkspaceSubject {
  return {
    open: (mounts, options) => new Workspace(mounts, { workspaceId: 'w', store: store(), ...options }),
    files: () => new RAMFileSystem(),
  }
}
