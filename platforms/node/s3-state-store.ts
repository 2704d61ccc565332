import type { S3StateStoreOptions } from '../../src/state/s3-state-store.ts'
import { S3WorkspaceStateStore as WebS3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import { withS3Environment } from './s3-environment.ts'

/**
 * Keeps the sessions in a bucket of Amazon S3 or of a server that is compatible with it, for any number of instances. It keeps no history:
 * give it as the group `workspace` of another store, or another store as its `observer`.
 *
 * Where no access is given it uses the keys in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, and with them
 * `AWS_REGION` and `AWS_ENDPOINT_URL_S3`.
 */
export class S3WorkspaceStateStore extends WebS3WorkspaceStateStore {
  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: S3StateStoreOptions) {
    super(withS3Environment(options))
  }
}
