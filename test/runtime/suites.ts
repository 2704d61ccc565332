import type { FileSystem } from '../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../src/fs/memory.ts'
import { MountTable } from '../../src/fs/mount-table.ts'
import { OverlayFileSystem } from '../../src/fs/overlay.ts'
import type { MaybePromise } from '../../src/host.ts'
import { webHost } from '../../src/host.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { openSessions } from '../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../src/store/memory.ts'
import { SealedStore } from '../../src/store/sealed-store.ts'
import { Workspace } from '../../src/workspace.ts'
import { encryption } from '../contract/encryption.ts'
import { FaultyStore } from '../contract/faulty-store.ts'
import { fileSystemCases } from '../contract/file-system.ts'
import { historyContract } from '../contract/history.ts'
import { jobContract } from '../contract/jobs.ts'
import { replayContract } from '../contract/replay.ts'
import type { SessionSubject } from '../contract/session.ts'
import { sessionContract } from '../contract/session.ts'
import type { StoreSubject } from '../contract/store.ts'
import { storeContract, storeProvides } from '../contract/store.ts'
import type { WorkspaceSubject } from '../contract/workspace.ts'
import { workspaceContract } from '../contract/workspace.ts'
import { workspaceStateContract } from '../contract/workspace-states.ts'
import { archiveSuite, loadSuite } from './archive-suites.ts'
import { packageCases } from './package-cases.ts'
import type { Column, Places, StatePlace } from './places.ts'
import type { AnySuite } from './suite.ts'
import { suite } from './suite.ts'
import { resumeSuite, suspendSuite } from './suspend-suites.ts'
import { workspaceCases } from './workspace-cases.ts'

/** Places for state that only some runtimes have. To add one: its name here, in `runtimes.mjs`, and how it is opened in an entry's `places.ts`. */
const STATE: readonly string[] = ['disk', 'indexeddb', 'OPFS', 'durable object', 'deno kv', 'redis', 'redis tcp', 's3']
/** File systems that only some runtimes have; likewise. */
const FILES: readonly string[] = [
  'host folder',
  'indexeddb',
  'durable object',
  'r2',
  'OPFS',
  'user folder',
  'dropped folder',
  'redis',
  'redis tcp',
  's3',
]
/** Places on servers. */
const REMOTE: readonly string[] = ['redis', 'redis tcp', 's3']
/** Places that take many milliseconds a file in some runtime. */
const SLOW: readonly string[] = ['OPFS', 'user folder', 'dropped folder', 'r2', ...REMOTE]
/** What of the usual is done there. */
const SMALL_SHARE = 0.1

/** All that runs in every runtime. What it imports of `src` is the packed package's when it runs. */
export function suitesFor(column: Column, places: Places): readonly AnySuite[] {
  if (column.phase === 'suspend') return [suspendSuite(), archiveSuite()]
  const unknown = column.places.filter(
    (name) => !(STATE.includes(name) && name in places.state) && !(FILES.includes(name) && name in places.files),
  )
  if (unknown.length > 0) throw new Error(`this runtime has no way to open ${unknown.join(', ')}`)
  const opening = <T>(name: string, open: T | undefined): T | string => (column.places.includes(name) && open !== undefined ? open : name)
  const once = <T>(name: string, open: T): T | string => (column.repeats ? name : open)
  return [
    suite({ name: 'package', cases: packageCases, makeSubject: () => null }),
    suite({ name: 'workspace', cases: workspaceCases, makeSubject: () => null }),
    ...fileSystem(
      'RAM',
      once('RAM', () => new RAMFileSystem()),
    ),
    ...fileSystem(
      'mount table',
      once('mount table', () => new MountTable()),
    ),
    ...fileSystem(
      'overlay',
      once('overlay', () => new OverlayFileSystem({ lower: new RAMFileSystem() })),
    ),
    ...FILES.flatMap((name) => fileSystem(name, opening(name, places.files[name]))),
    ...state('ram', once('ram', ramPlace)),
    ...state('bytes in memory', once('bytes in memory', memoryPlace)),
    suite({
      name: 'store: bytes in memory, encrypted',
      cases: storeContract,
      makeSubject: once('encrypted', encryptedSubject),
      provides: ({ store }) => storeProvides(store),
      done: closeStores,
    }),
    ...STATE.flatMap((name) => state(name, opening(name, places.state[name]), column.bytesOnly.includes(name))),
    resumeSuite(column.suspended),
    loadSuite(column.archived),
  ]
}

function fileSystem(name: string, open: string | (() => MaybePromise<FileSystem>)): readonly AnySuite[] {
  return [
    suite({
      name: `files: ${name}`,
      cases: fileSystemCases,
      makeSubject: typeof open === 'string' ? open : async () => ({ fs: await open(), share: SLOW.includes(name) ? SMALL_SHARE : 1 }),
      provides: ({ fs }) => namesOf(fs.capabilities),
      done: ({ fs }) => fs.close(),
    }),
  ]
}

function state(name: string, open: string | (() => MaybePromise<StatePlace>), bytesOnly = false): readonly AnySuite[] {
  const bytes = <T>(make: (place: StatePlace) => T): string | (() => Promise<T>) =>
    typeof open === 'string' ? open : async () => make(await open())
  const on: typeof bytes = (make) => (bytesOnly ? name : bytes(make))
  const sessions = { makeSubject: on(sessionSubject), provides: sessionsProvide, done: ({ close }: SessionSubject & Closed) => close() }
  return [
    ...(name === 'ram'
      ? []
      : [
          suite({
            name: `store: ${name}`,
            cases: storeContract,
            makeSubject: bytes((place) => storeSubject(place, SLOW.includes(name) ? SMALL_SHARE : 1)),
            provides: ({ store }: StoreSubject) => storeProvides(store),
            done: closeStores,
          }),
        ]),
    suite<SessionSubject & Closed>({ name: `history: ${name}`, cases: historyContract, ...sessions }),
    suite<SessionSubject & Closed>({ name: `session: ${name}`, cases: sessionContract, ...sessions }),
    suite({
      name: `workspace: ${name}`,
      cases: [...workspaceContract, ...jobContract, ...workspaceStateContract, ...replayContract],
      makeSubject: on(workspaceSubject),
      provides: ({ can }: ReturnType<typeof workspaceSubject>) => can,
      done: ({ close }: ReturnType<typeof workspaceSubject>) => close(),
    }),
  ]
}

function ramPlace(): StatePlace {
  const state = new RAMWorkspaceStateStore()
  return { store: null, state: () => state }
}

function memoryPlace(): StatePlace {
  const store = new MemoryStore()
  return { store: () => store, state: () => new StoredStateStore(store) }
}

function encryptedSubject(): StoreSubject {
  const store = new MemoryStore()
  return { store: new SealedStore(store, encryption), other: new SealedStore(store, encryption) }
}

function storeSubject({ store }: StatePlace, share: number): StoreSubject {
  if (store === null) throw new Error('no bytes to look at')
  return { store: store(), other: store(), share }
}

async function closeStores({ store, other }: StoreSubject): Promise<void> {
  await store.close()
  await other.close()
}

/** A subject on stores of its own. */
interface Closed {
  /** Closes them, whatever is still held in them. */
  close(): Promise<unknown>
}

function sessionSubject({ store, observer, state }: StatePlace): SessionSubject & Closed {
  const faults = store === null ? null : new FaultyStore(store())
  const first = faults === null ? state() : new StoredStateStore(faults, observer === undefined ? {} : { observer })
  const used = new Set<WorkspaceStateStore>()
  const open = (store: WorkspaceStateStore, workspaceId: string): Sessions => {
    used.add(store)
    return openSessions({ store, workspaceId, host: webHost })
  }
  return {
    close: () => Promise.allSettled(Array.from(used, (one) => one.close())),
    one: open(first, 'w'),
    two: open(state(), 'w'),
    again: (workspaceId = 'w') => open(workspaceId === 'through faults' ? first : state(), workspaceId),
    faults,
  }
}

function sessionsProvide({ faults }: SessionSubject): readonly string[] {
  const turns = faults === null || faults.capabilities.leases ? 'turns' : 'no turns'
  return faults === null ? [turns] : [turns, 'faults']
}

function workspaceSubject({ store, state }: StatePlace): WorkspaceSubject & Closed & { readonly can: readonly string[] } {
  const { watch, leases } = store?.().capabilities ?? { watch: true, leases: true }
  const used: WorkspaceStateStore[] = []
  const opened = (): WorkspaceStateStore => {
    const one = state()
    used.push(one)
    return one
  }
  return {
    close: () => Promise.allSettled(used.map((one) => one.close())),
    can: [...(watch ? ['watch'] : []), ...(leases ? ['turns'] : [])],
    open: (mounts, options) => new Workspace(mounts, { workspaceId: 'w', store: opened(), ...options }),
    files: () => new RAMFileSystem(),
    state: opened,
  }
}

/** What a record of capabilities says yes to. */
function namesOf(capabilities: object): readonly string[] {
  return Object.entries(capabilities).flatMap(([name, has]) => (has === false ? [] : [name]))
}
