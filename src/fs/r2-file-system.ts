import { webHost } from '../host.ts'
import { checkNames } from '../option-checks.ts'
import { OBJECT_OPTION_NAMES, ObjectFileSystem, type ObjectHost, type ObjectMountOptions } from './object-file-system.ts'
import { type R2Bucket, R2Objects } from './r2-objects.ts'

/** Which objects an {@link R2FileSystem} shows. */
export interface R2FileSystemOptions extends ObjectMountOptions {
  /** The binding, such as `env.BUCKET`. */
  readonly bucket: R2Bucket
  /** What the keys of all files begin with, `agents/7` for example; the whole bucket when left out. No path leads out of it. */
  readonly prefix?: string
  readonly host?: ObjectHost
}

/**
 * A bucket of Cloudflare R2 as a file system, by a worker's binding. The key of `/a/b.txt` is the prefix, a slash and `a/b.txt`: any bucket can be
 * mounted, and what is written here is found under its name by whatever else reads the bucket.
 *
 * - A directory is what keys begin with up to a slash. One that is made here has an empty object of its own, `a/`, as dashboards make them, so that it
 *   stays when it is empty. Where there are an object `a` and keys below `a/`, `a` is a file. Names that are no text can't be made (EINVAL).
 * - Attributes can't be set, and there are no links (ENOTSUP): files have the time of their upload, modes are 0o644 and 0o755. The headers and
 *   the metadata that an object has stay when it is changed or renamed.
 * - Reading a range costs the range. R2 can't change a part of an object: `append`, `writeAt` and `truncate` read it and write it anew, if nobody else
 *   wrote it meanwhile; else again, twelve times at most (EBUSY). What a line writes to a file is gathered, and written when it is closed. R2 takes about
 *   one write a second to a key.
 * - R2 can't rename: everything is copied through the worker, and then what was copied is removed, two requests a file. `rm -r` removes a thousand objects a
 *   request. A line asks once for each directory, a request a thousand names, and for each file that it reads. A new file costs two requests, one that
 *   is written over three.
 * - Limits are R2's: keys of 1,024 bytes (ENAMETOOLONG), 5 GiB an object, and what fits in the worker's memory, since contents are arrays.
 *   A request that fails four times is EIO, with R2's own error as the cause of its `cause`.
 *
 * @example
 * const ws = new Workspace({ '/data': new R2FileSystem({ bucket: env.BUCKET, prefix: 'agents/7' }) })
 */
export class R2FileSystem extends ObjectFileSystem {
  constructor(options: R2FileSystemOptions) {
    checkNames(options, ['bucket', 'prefix', 'host', ...OBJECT_OPTION_NAMES], 'R2FileSystem')
    const { bucket, host = webHost, ...others } = options
    super(new R2Objects(bucket, host), { host, ...others })
  }
}
