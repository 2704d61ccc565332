import { WorkspaceError } from '../../src/errors.ts'
import { RecordFileSystem } from '../../src/fs/record-file-system.ts'
import { webHost } from '../../src/host.ts'
import { checkNames } from '../../src/option-checks.ts'
import type { IndexedDBFileSystemOptions } from '../../src/without-browser.ts'
import { IndexedDBRecords } from './indexed-db-records.ts'

const DEFAULT_ROOT = 'mirage-files'
/** Milliseconds that a transaction may take: one may copy a tree. */
const LIMIT = 60_000

/** Files in an IndexedDB database of the page's origin; `src/without-browser.ts` says what holds. */
export class IndexedDBFileSystem extends RecordFileSystem {
  /** Touches nothing yet. */
  constructor(options: IndexedDBFileSystemOptions = {}) {
    checkNames(options, ['root', 'durability'], 'IndexedDBFileSystem')
    const { root = DEFAULT_ROOT, durability = 'relaxed' } = options
    if (root === '') {
      throw new WorkspaceError('CONFIG_INVALID', `root holds ''; it may hold the name of a database, such as '${DEFAULT_ROOT}'`)
    }
    super(new IndexedDBRecords({ name: root, host: webHost, limitMs: LIMIT, isStrict: durability === 'strict' }))
  }
}
