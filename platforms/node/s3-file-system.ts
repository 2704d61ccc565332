import type { S3FileSystemOptions } from '../../src/fs/s3-file-system.ts'
import { S3FileSystem as WebS3FileSystem } from '../../src/fs/s3-file-system.ts'
import { withS3Environment } from './s3-environment.ts'

/**
 * A bucket as a file system, as in every runtime. Where no access is given it uses the keys in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
 * `AWS_SESSION_TOKEN`, and with them `AWS_REGION` and `AWS_ENDPOINT_URL_S3`.
 */
export class S3FileSystem extends WebS3FileSystem {
  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: S3FileSystemOptions) {
    super(withS3Environment(options))
  }
}
