import type { SessionFields } from './session-fields.ts'

/** A session as a store has it. */
export interface SessionRecord {
  readonly fields: SessionFields
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Counts the commits that changed the record. */
  readonly generation: number
  /** The last operation of each instance that came through, the latest last. */
  readonly operations: ReadonlyMap<string, number>
  /** What the stored text held that this version doesn't know; written back as it was. */
  readonly unknown: Readonly<Record<string, unknown>>
}
