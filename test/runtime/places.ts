import type { FileSystem } from '../../src/fs/file-system.ts'
import type { MaybePromise } from '../../src/host.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { Addresses } from '../servers/addresses.ts'
import type { MadeArchive } from './archive-suites.ts'
import type { Suspension } from './suspend-suites.ts'

/** Somewhere that state is kept, empty at first. Each call gives one more instance on it. */
export interface StatePlace {
  /** The bytes below; null where there are none. */
  readonly store: (() => Store) | null
  /** Keeps the history where the bytes below can't. */
  readonly observer?: WorkspaceStateStore
  state(): WorkspaceStateStore
}

/** What a runtime has beyond the web's standards. What is left out is skipped in its column under its own name. */
export interface Places {
  /** Places for state, by the name that `suites.ts` knows them by. */
  readonly state: Readonly<Record<string, () => MaybePromise<StatePlace>>>
  /** Empty file systems, likewise. */
  readonly files: Readonly<Record<string, () => MaybePromise<FileSystem>>>
}

/** What the runner tells a runtime. */
export interface Column {
  /** Scripts are suspended and workspaces archived in every runtime before the contract runs, which goes on with them. */
  readonly phase: 'suspend' | 'contract'
  /** What was suspended, by the name of the runtime. */
  readonly suspended: Readonly<Record<string, readonly Suspension[]>>
  /** What was archived, likewise. */
  readonly archived: Readonly<Record<string, readonly MadeArchive[]>>
  /** Names of the places that this column must have; it has no other. */
  readonly places: readonly string[]
  /** Another column has its engine: what is in memory is not run again. */
  readonly repeats: boolean
  /** Places of which only stores and files are tested. */
  readonly bytesOnly: readonly string[]
  /** A part of the names of the cases that run. */
  readonly grep: string
  /** Servers that it may reach; null where it has no place on one. */
  readonly servers: Addresses | null
  /** A folder that the runtime may write to; empty where there is none. */
  readonly folder: string
}
