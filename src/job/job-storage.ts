import type { FileSystem } from '../fs/file-system.ts'
import type { MaybePromise } from '../host.ts'
import type { Lease, Store } from '../store/store.ts'

/** Where Jobs are kept: every one at a place of its own. */
export interface JobStorage {
  /** The place of a Job, whether there is one or not. Nothing is made before the first write. */
  place(id: string): MaybePromise<JobPlace>
  /** Ids of the Jobs that are kept, in no particular order. */
  list(): MaybePromise<readonly string[]>
  /** Keeps others from applying to a target at the same time, until it ends. Left out where nobody else can. */
  lockTarget?(target: string): MaybePromise<Lease>
}

/** What is kept of one Job. */
export interface JobPlace {
  /** What records call it; the Job's id when left out. */
  readonly location?: string
  /** The Job's documents by name: `run.json`, `run-bundle.json`, `stage.json`, `preimages.json`, `apply-ledger.json`, `checkpoints/ID/checkpoint.json` and so on. */
  readonly store: Store
  /** Where trees of files are kept by their content. Jobs may share it. */
  readonly objects: Store
  /** Where every document is that may name one of these trees: the Job's own documents when left out. */
  readonly documents?: Pick<Store, 'get' | 'list'>
  /**
   * Where the changed files of the mount at `prefix` are kept while the Job runs and after: the upper layer of its stage. Left out: in memory while it
   * runs, and as trees in `store` after.
   */
  upper?(prefix: string): MaybePromise<FileSystem>
  /** Lets go of an upper layer's files: after everything was applied or dropped. Goes with `upper`. */
  clearUpper?(prefix: string): MaybePromise<void>
}
