/** What a value of a row may be. */
export type SqlValue = ArrayBuffer | string | number | null

/** What is used of a Durable Object's `ctx.storage`. Its class must be declared under `new_sqlite_classes`. */
export interface DurableObjectStorage {
  readonly sql: {
    exec(query: string, ...bindings: readonly (SqlValue | Uint8Array)[]): Iterable<Readonly<Record<string, SqlValue>>>
  }
  /** Runs the work at once; what it wrote is undone when it throws. */
  transactionSync<T>(work: () => T): T
  /** Resolves when all that was written is durable. */
  sync(): Promise<void>
}
