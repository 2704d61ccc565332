import { WorkspaceError } from '../errors.ts'

/** What a value of a row may be. */
export type SqlValue = ArrayBuffer | string | number | null

/** What is used of a Durable Object's `ctx.storage`. Its class must be declared under `new_sqlite_classes`. */
export interface DurableObjectStorage {
  readonly sql: {
    /** Bytes that all of the object's tables take. */
    readonly databaseSize: number
    exec(query: string, ...bindings: readonly (SqlValue | Uint8Array)[]): Iterable<Readonly<Record<string, SqlValue>>>
  }
  /** Runs the work at once; what it wrote is undone when it throws. */
  transactionSync<T>(work: () => T): T
  /** Resolves when all that was written is durable. */
  sync(): Promise<void>
}

/** Fails with CAPABILITY_UNSUPPORTED where the storage is not SQLite's. */
export function demandSql(storage: DurableObjectStorage): void {
  try {
    storage.sql.exec('SELECT 1')
  } catch (error) {
    const advice = 'declare the class of the Durable Object under "new_sqlite_classes" in the migrations of its worker'
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `the storage of this Durable Object has no SQLite: ${advice}`, { cause: error })
  }
}
