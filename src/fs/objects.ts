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

/** How an object is written. */
export interface ObjectWriteOptions {
  /** Whose headers and metadata it gets; they are asked for where a listing gave the object, which lacks them. */
  readonly like: ObjectInfo | null
  readonly condition: ObjectCondition | null
}

/** An object that is sent in parts, and is not there before it is complete. */
export interface ObjectUpload {
  /** The next part. All but the last have `Objects.partBytes`. May be called again before it is answered: the order of the calls counts. */
  part(bytes: Uint8Array): Promise<void>
  /** Null, and the parts are gone, where the condition doesn't hold. */
  complete(condition: ObjectCondition | null): Promise<ObjectInfo | null>
  /** Throws the parts away. */
  abort(): Promise<void>
}

/**
 * What an object store can do. A call that the store fails, or doesn't answer, rejects with STORE_UNAVAILABLE; a write may have been done then.
 * What `copy` writes keeps the headers and the metadata.
 */
export interface Objects {
  /** Bytes that a key may take. */
  readonly longestKey: number
  /** Bytes of the parts of an upload; what has more is uploaded. */
  readonly partBytes: number
  head(key: string): Promise<ObjectInfo | null>
  /** Bytes from `offset`, at most `length`; null where the object is missing. Past the end: an empty array. */
  get(key: string, offset: number, length: number): Promise<{ readonly info: ObjectInfo; readonly bytes: Uint8Array } | null>
  /** Null where the condition doesn't hold. */
  put(key: string, bytes: Uint8Array, options: ObjectWriteOptions): Promise<ObjectInfo | null>
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
  /** Begins an upload; `like` as of `put`. Left out where the store has none: what is large is held whole then. */
  upload?(key: string, like: ObjectInfo | null): Promise<ObjectUpload>
  /** Bytes that an object must have for `extend`; Infinity where the store can't. */
  readonly extendsFrom: number
  /**
   * Adds to the end of an object, without that what it holds is sent again; once, also where a request is repeated. Null where it is missing, or has changed so that
   * the store can't.
   */
  extend(info: ObjectInfo, bytes: Uint8Array): Promise<ObjectInfo | null>
  /** Gives objects another key, at the same time where the store can: `copy` and `delete` without a copy. Left out where the store can't. */
  rename?(from: string, to: string, keys: readonly string[]): Promise<void>
}
