import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { DenoKVKey } from './deno-kv.ts'

/** Where a store has its records in Deno KV. */
export interface DenoKVKeys {
  /** What a value is, and its bytes where they are few. */
  value(key: string): DenoKVKey
  /** Values whose keys begin with a prefix. */
  values(prefix: string): { readonly start: DenoKVKey; readonly end: DenoKVKey }
  /** Bytes of a value from `start` on. A value that is replaced gets parts of a new generation. */
  part(key: string, generation: string, start: number): DenoKVKey
  parts(key: string, generation?: string): { readonly prefix: DenoKVKey }
  /** A generation that is being written. */
  draft(key: string, generation: string): DenoKVKey
  drafts(key: string): { readonly prefix: DenoKVKey }
  /** Who holds a lease, a sign of life of the holder, and a mark of those who wait. */
  owner(key: string): DenoKVKey
  beat(key: string): DenoKVKey
  wait(key: string): DenoKVKey
  /** Written with every change, and the latest changes one by one. */
  readonly changes: DenoKVKey
  change(token: string): DenoKVKey
  readonly allChanges: { readonly prefix: DenoKVKey }
}

/** Deno KV takes keys of 2 KiB; the rest is for the prefix, the kind, the generation and the place. */
const LONGEST_KEY = 1800

export function denoKVKeys(prefix: string): DenoKVKeys {
  const record = (kind: string, key: string, ...more: DenoKVKey): DenoKVKey => {
    const size = encode(prefix).length + encode(key).length
    if (size <= LONGEST_KEY) return [prefix, kind, key, ...more]
    throw new WorkspaceError('ENAMETOOLONG', `a key of ${size} bytes is too long: Deno KV has room for ${LONGEST_KEY}`)
  }
  return {
    value: (key) => record('value', key),
    // No character of a key comes after U+007F.
    values: (start) => ({ start: record('value', start), end: record('value', `${start}\x7f`) }),
    part: (key, generation, start) => record('part', key, generation, start),
    parts: (key, ...generation) => ({ prefix: record('part', key, ...generation.filter((one) => one !== undefined)) }),
    draft: (key, generation) => record('draft', key, generation),
    drafts: (key) => ({ prefix: record('draft', key) }),
    owner: (key) => record('owner', key),
    beat: (key) => record('beat', key),
    wait: (key) => record('wait', key),
    changes: [prefix, 'changes'],
    change: (token) => [prefix, 'change', token],
    allChanges: { prefix: [prefix, 'change'] },
  }
}
