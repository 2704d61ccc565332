import type { DurableObjectStorage } from '../store/durable-object-storage.ts'
import { DurableObjectRecords } from './durable-object-records.ts'
import { RecordFileSystem } from './record-file-system.ts'

/**
 * Files in the storage of a Durable Object, in tables whose names begin with `mirage_file`; other tables stay as they are. It may share the object
 * with a `DurableObjectWorkspaceStateStore`.
 *
 * Answers are immediate. What was written is durable before anything leaves the object: the runtime holds back the object's responses and requests until
 * then, and starts it anew where it can't. Who must know in between awaits `ctx.storage.sync()`. An operation is one transaction.
 *
 * Fails with ENOSPC where the object is full, 10 GB with its other tables. The constructor fails with CAPABILITY_UNSUPPORTED where the class of the object is
 * not declared under `new_sqlite_classes`, and with VERSION_UNSUPPORTED where a newer version of this library made the tables.
 *
 * @example
 * const ws = new Workspace({ '/data': new DurableObjectFileSystem(ctx.storage) })
 */
export class DurableObjectFileSystem extends RecordFileSystem {
  constructor(storage: DurableObjectStorage) {
    super(new DurableObjectRecords(storage))
  }
}
