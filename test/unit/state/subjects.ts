import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { webHost } from '../../../src/host.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import type { Sessions } from '../../../src/state/sessions.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../../src/state/state-store.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { encryption } from '../../contract/encryption.ts'
import { FaultyStore } from '../../contract/faulty-store.ts'
import type { SessionSubject } from '../../contract/session.ts'

const folders: string[] = []

/** A folder that `removeFolders` removes. */
export function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mirage-state-'))
  folders.push(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
}

export interface SubjectKind {
  /** Names of the capabilities that cases may need. */
  readonly has: ReadonlySet<string>
  subject(): SessionSubject
}

/** Every way to keep sessions and history, as `one` and `two` on the same data. */
export const subjects: Readonly<Record<string, SubjectKind>> = {
  ram: {
    has: new Set(['turns']),
    subject: () => {
      const store = new RAMWorkspaceStateStore()
      return subject(store, () => store, null)
    },
  },
  'bytes in memory': {
    has: new Set(['turns', 'faults']),
    subject: () => {
      const store = new MemoryStore()
      const faults = new FaultyStore(store)
      return subject(new StoredStateStore(faults), () => new StoredStateStore(store), faults)
    },
  },
  'bytes without leases': {
    has: new Set(['no turns', 'faults']),
    subject: () => {
      const store = new MemoryStore()
      const faults = new FaultyStore(store, { leases: false })
      return subject(new StoredStateStore(faults), () => new StoredStateStore(new FaultyStore(store, { leases: false })), faults)
    },
  },
  disk: {
    has: new Set(['turns', 'faults']),
    subject: () => {
      const root = newFolder()
      const faults = new FaultyStore(new DiskStore(root))
      return subject(new StoredStateStore(faults), () => new DiskWorkspaceStateStore({ root }), faults)
    },
  },
  'bytes in memory, encrypted': {
    has: new Set(['turns', 'faults']),
    subject: () => {
      const store = new MemoryStore()
      const faults = new FaultyStore(store)
      return subject(new StoredStateStore(faults, { encryption }), () => new StoredStateStore(store, { encryption }), faults)
    },
  },
  'disk, encrypted': {
    has: new Set(['turns', 'faults']),
    subject: () => {
      const root = newFolder()
      const faults = new FaultyStore(new DiskStore(root))
      return subject(new StoredStateStore(faults, { encryption }), () => new DiskWorkspaceStateStore({ root, encryption }), faults)
    },
  },
  'history apart, on disk': {
    has: new Set(['turns']),
    subject: () => {
      const root = newFolder()
      const ram = new RAMWorkspaceStateStore()
      return subject(
        new RAMWorkspaceStateStore({ workspace: ram, observer: new DiskWorkspaceStateStore({ root }) }),
        () => new RAMWorkspaceStateStore({ workspace: ram, observer: new DiskWorkspaceStateStore({ root }) }),
        null,
      )
    },
  },
}

function subject(first: WorkspaceStateStore, other: () => WorkspaceStateStore, faults: FaultyStore | null): SessionSubject {
  const open = (store: WorkspaceStateStore, workspaceId: string): Sessions => openSessions({ store, workspaceId, host: webHost })
  return {
    one: open(first, 'w'),
    two: open(other(), 'w'),
    again: (workspaceId = 'w') => open(workspaceId === 'through faults' ? first : other(), workspaceId),
    faults,
  }
}
