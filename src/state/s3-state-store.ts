import { WorkspaceError } from '../errors.ts'
import type { S3Options } from '../s3/s3-options.ts'
import { s3Settings } from '../s3/s3-options.ts'
import { S3Store } from '../store/s3-store.ts'
import type { HistoryLog } from './history.ts'
import { keepsSessionsOnly } from './state-store-overrides.ts'
import type { StoredStateOptions } from './stored-state-store.ts'
import { StoredStateStore } from './stored-state-store.ts'

/** A bucket that keeps the state, and how it is reached. `keyPrefix` is `mirage/` when left out. */
export interface S3StateStoreOptions extends S3Options, StoredStateOptions {}

/**
 * Keeps the sessions in a bucket of Amazon S3 or of a server that is compatible with it, for any number of instances. It keeps no history:
 * give it as the group `workspace` of another store, or another store as its `observer`.
 *
 * ```ts
 * const bucket = new S3WorkspaceStateStore({ bucket: 'agent-state', region: 'eu-central-1', accessKeyId, secretAccessKey })
 * const ws = new Workspace({}, { workspaceId: 'agent', store: new RAMWorkspaceStateStore({ workspace: bucket }), ownsStore: true })
 * ```
 */
export class S3WorkspaceStateStore extends StoredStateStore {
  readonly #observer: boolean

  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: S3StateStoreOptions) {
    const { keyPrefix = 'mirage/', ...others } = options
    const settings = s3Settings({ ...others, keyPrefix }, 'S3WorkspaceStateStore', ['encryption', 'workspace', 'observer', 'namespace'])
    super(new S3Store(settings), options)
    this.#observer = options.observer !== undefined
    if (!this.#observer) keepsSessionsOnly(this)
  }

  override history(workspaceId: string): HistoryLog {
    if (this.#observer) return super.history(workspaceId)
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `S3WorkspaceStateStore: ${NO_HISTORY}`)
  }
}

const NO_HISTORY =
  'a bucket cannot append, so it keeps no history; give the store as the group "workspace" of another, or another as "observer"'
