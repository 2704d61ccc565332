import { encode } from '../bytes.ts'
import { webHost } from '../host.ts'
import { lazyS3Client } from '../s3/lazy-s3-client.ts'
import { LONGEST_KEY } from '../s3/s3-address.ts'
import { type S3Options, s3Settings } from '../s3/s3-options.ts'
import { OBJECT_OPTION_NAMES, ObjectFileSystem, type ObjectMountOptions } from './object-file-system.ts'
import { S3Objects } from './s3-objects.ts'

/** A bucket that is mounted, and how it is reached. `keyPrefix` is what the keys of all files begin with: the whole bucket when left out. */
export interface S3FileSystemOptions extends S3Options, ObjectMountOptions {}

/**
 * A bucket of Amazon S3, or of a server that is compatible with it, as a file system. The key of `/a/b.txt` is `keyPrefix` and `a/b.txt`, so that any
 * bucket can be mounted, and what is written here is found under its name by whatever else reads the bucket.
 *
 * - A directory is what keys begin with up to a slash. One that is made here has an empty object of its own, `a/`, so that it stays when it is empty.
 *   Where there are an object `a` and keys below `a/`, `a` is a file. Keys that no path names (`/a`, `a//b`, `a/../b`) aren't shown.
 * - Attributes can't be set, and there are no links (ENOTSUP): files have the time of their upload, modes are 0o644 and 0o755. The headers and the
 *   metadata that an object has stay when it is changed or renamed.
 * - What a line writes to a file goes out when the file is closed, at the latest with the end of the line, in parts of 8 MiB where it is large: others see
 *   the old file or the new one, never a part. Appending reads the object and writes it anew, if nobody else wrote it meanwhile, else again; of a
 *   large object the server copies what is there.
 * - Renaming copies within the bucket, object by object, and removes what was copied: others may see both. Two instances that write one file: the last
 *   one wins, unless `write` is `conditional`.
 * - A line lists a directory once. Reading a range costs the range.
 * - Keys have 1,024 bytes at most (ENAMETOOLONG); names that are no text, or have a NUL, are refused (EINVAL). A request that fails is EIO,
 *   with S3's own code in the message.
 *
 * @example
 * const ws = new Workspace({ '/s3': new S3FileSystem({ bucket: 'logs', region: 'eu-central-1', accessKeyId, secretAccessKey }) })
 */
export class S3FileSystem extends ObjectFileSystem {
  /** Sends nothing yet. CONFIG_INVALID for options that can't be meant. */
  constructor(options: S3FileSystemOptions) {
    const settings = s3Settings(options, 'S3FileSystem', OBJECT_OPTION_NAMES)
    const { listingTtl, write } = options
    super(new S3Objects(lazyS3Client(settings), LONGEST_KEY - encode(settings.keyPrefix).length, webHost), { listingTtl, write })
  }
}
