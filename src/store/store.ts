import type { MaybePromise } from '../host.ts'

/** Tells one value of a key from another; equal versions mean equal bytes. */
export type Version = string

/** A value and its version. The bytes are the caller's own. */
export interface StoredValue {
  readonly bytes: Uint8Array
  readonly version: Version
}

/** What a store can and can't do. An operation that a false entry rules out fails with CAPABILITY_UNSUPPORTED. */
export interface StoreCapabilities {
  readonly append: boolean
  /** A lease keeps other holders out. Where false, one is given to everybody and guards nothing. */
  readonly leases: boolean
  /** Most bytes a value may have; Infinity where the store knows no bound. */
  readonly maxValueBytes: number
  /** `watch` tells of what other instances write. Where false, it never tells anything. */
  readonly watch: boolean
}

/** How a `put` ended: `conflict` where the key held another version than expected, `lost` where the lease was taken over. */
export type StoreWritten =
  | { readonly state: 'written'; readonly version: Version }
  | { readonly state: 'conflict' }
  | { readonly state: 'lost' }

/** How an `append` ended; `size` is the value's length afterwards. */
export type StoreAppended =
  | { readonly state: 'written'; readonly size: number }
  | { readonly state: 'conflict' }
  | { readonly state: 'lost' }

/** One of the changes that are made together. */
export type StoreChange =
  /** As {@link Store.put}. */
  | { readonly type: 'put'; readonly key: string; readonly bytes: Uint8Array; readonly expected?: Version | null }
  /** As {@link Store.append}; without `size` the key must have a value. Refused, too, where the key `unless` has one. */
  | { readonly type: 'append'; readonly key: string; readonly bytes: Uint8Array; readonly size?: number; readonly unless?: string }

/** How changes that are made together ended: `conflict` where the change at the index `at` was refused. Then, and where they are `lost`, none was made. */
export type StoreChanged =
  /** What each value has become, in the order of the changes. */
  | { readonly state: 'written'; readonly values: readonly { readonly version: Version; readonly size: number }[] }
  | { readonly state: 'conflict'; readonly at: number }
  | { readonly state: 'lost' }

/** Exclusive hold on a key among all instances that use the store, until it ends or, when its holder seems dead, is taken over. */
export interface Lease {
  readonly key: string
  /** Gives the key free. A lease that was lost ends silently. */
  end(): void
}

/**
 * Bytes by key. Keys are names joined by `/`; a name is made of the unreserved characters of RFC 3986 and `%` and is not `.` or `..`
 * (see `encodeId`). A write is durable when it is answered. Where a store can't be reached, operations fail with STORE_UNAVAILABLE or
 * a POSIX code, within a limit of their own, and it stays open whether the write was done.
 */
export interface Store {
  readonly capabilities: StoreCapabilities
  /** The value; null where the key is missing, `same` where it still has the version `known`. */
  get(key: string, known?: Version): MaybePromise<StoredValue | 'same' | null>
  /**
   * Sets the value if the key has the version `expected` (null: no value; left out: whatever it has). Under a lease, of this key or another,
   * refused as `lost` once that was taken over: a holder that slept never writes over what came after it. The caller may reuse `bytes`.
   */
  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): MaybePromise<StoreWritten>
  /**
   * Adds to the end of the value, which it makes where it is missing; only if the value has `size` bytes, where that is given. A crash may
   * leave the last append torn, never an earlier one.
   */
  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): MaybePromise<StoreAppended>
  /** False where the key was missing. */
  delete(key: string): MaybePromise<boolean>
  /** Keys that begin with `prefix`, in no particular order. */
  list(prefix: string): MaybePromise<readonly string[]>
  /** Waits until the key is free. `force` takes it from whoever holds it. Rejects with the signal's reason. */
  lease(key: string, signal?: AbortSignal, force?: boolean): MaybePromise<Lease>
  /**
   * Makes all changes, of different keys, in one step or none of them; then ends the lease, if `end` says so. Left out where the store can't.
   * Without changes it only ends the lease.
   */
  write?(changes: readonly StoreChange[], lease?: Lease, end?: boolean): MaybePromise<StoreChanged>
  /** `lease` and `get` of one key in one step. Left out where that is no quicker than the two. */
  take?(
    key: string,
    known?: Version,
    signal?: AbortSignal,
  ): MaybePromise<{ readonly lease: Lease; readonly value: StoredValue | 'same' | null }>
  /**
   * Calls `changed` with the key soon after a value was written or deleted, by this instance or another one, until the function that is
   * given back is called. A hint: it may come more than once, and may be late.
   */
  watch(changed: (key: string) => void): () => void
  /** Ends its leases and lets go of what it holds; every later call fails with CLOSED. */
  close(): MaybePromise<void>
}
