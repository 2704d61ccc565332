/** An object, without what it holds. */
export interface ObjectInfo {
  readonly key: string
  readonly size: number
  /** Another one for another content. */
  readonly etag: string
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number
}

/** One page of a listing, sorted by key. */
export interface ObjectPage {
  readonly objects: readonly ObjectInfo[]
  /** What keys have in common up to the delimiter, which is included; those objects aren't listed. */
  readonly prefixes: readonly string[]
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null
}

/** What must hold for an object to be written: that it is missing, or has this etag still. */
export type ObjectCondition = 'missing' | { readonly etag: string }

/**
 * What an object store can do. A call that the store fails, or doesn't answer, rejects with STORE_UNAVAILABLE; a write may have been done then.
 * What `put` and `copy` write keeps the headers and the metadata of the object `like`.
 */
export interface Objects {
  /** Bytes that a key may take. */
  readonly longestKey: number
  head(key: string): Promise<ObjectInfo | null>
  /** Bytes from `offset`, at most `length`; null where the object is missing. Past the end: an empty array. */
  get(key: string, offset: number, length: number): Promise<{ readonly info: ObjectInfo; readonly bytes: Uint8Array } | null>
  /** False where the condition doesn't hold. */
  put(
    key: string,
    bytes: Uint8Array,
    options: { readonly like: ObjectInfo | null; readonly condition: ObjectCondition | null },
  ): Promise<boolean>
  /** False where the object is missing. */
  copy(key: string, to: string): Promise<boolean>
  /** Any number of keys; those that are missing don't matter. */
  delete(keys: readonly string[]): Promise<void>
  /** At most `limit` objects and prefixes together. */
  list(options: {
    readonly prefix: string
    readonly delimiter?: string
    readonly cursor?: string
    readonly limit: number
  }): Promise<ObjectPage>
}
