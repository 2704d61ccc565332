/** A key: its parts in order. */
export type DenoKVKey = readonly (string | number)[]

/** A key and its value; `versionstamp` is null where there is none. Later stamps compare as greater texts. */
export interface DenoKVEntry {
  readonly key: readonly unknown[]
  readonly value: unknown
  readonly versionstamp: string | null
}

/** Writes that are done together, or not at all where a check fails. */
export interface DenoKVAtomic {
  check(check: { readonly key: DenoKVKey; readonly versionstamp: string | null }): DenoKVAtomic
  set(key: DenoKVKey, value: unknown, options?: { readonly expireIn?: number }): DenoKVAtomic
  delete(key: DenoKVKey): DenoKVAtomic
  commit(): Promise<{ readonly ok: boolean; readonly versionstamp?: string }>
}

/** What is used of what `Deno.openKv()` gives. */
export interface DenoKV {
  get(key: DenoKVKey): Promise<DenoKVEntry>
  getMany(keys: readonly DenoKVKey[]): Promise<readonly DenoKVEntry[]>
  list(
    selector: { readonly prefix: DenoKVKey } | { readonly start: DenoKVKey; readonly end: DenoKVKey },
    options?: { readonly batchSize?: number },
  ): AsyncIterable<DenoKVEntry>
  atomic(): DenoKVAtomic
  watch(keys: readonly DenoKVKey[]): { getReader(): DenoKVReader }
}

/** Gives the watched entries whenever one changed. */
interface DenoKVReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  cancel(): Promise<void>
}
