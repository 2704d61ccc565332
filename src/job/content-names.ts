import type { Steps } from '../fs/maybe.ts'
import { eachName, LEAF_LIMIT, type NameMap, partsOf } from '../fs/name-map.ts'
import { type ContentEntry, encodeNames } from './content-entries.ts'
import { isStored, type PackSet, PackUnion } from './content-packs.ts'
import type { ContentSink } from './content-sink.ts'

/** Names that are stored. */
export interface StoredPart {
  readonly hash: string
  readonly packs: PackSet
  /** A name in it or below it is one of several of its file. */
  readonly hasLinks: boolean
}

/** What a name stands for, stored. */
export interface StoredEntry {
  readonly entry: ContentEntry
  readonly packs: PackSet
  readonly hasLinks: boolean
}

/** How names are stored. */
export interface NameStoring<E> {
  readonly sink: ContentSink
  /** Stores what a name stands for. */
  entry(of: E): Steps<StoredEntry>
  /** What was stored once. */
  readonly known: WeakMap<NameMap<E>, StoredPart> | null
}

/** Stores the names of a directory: the same object for the same names, whatever happened to the directory before. */
export function* storeNames<E>(map: NameMap<E>, storing: NameStoring<E>): Steps<StoredPart> {
  const known = storing.known?.get(map)
  if (known !== undefined && isStored(known.packs)) return known
  const made = partsOf(map)
  // A directory that was larger once is cut further than it has to be.
  const stored = made.type === 'names' || isFew(map) ? yield* storeFew(map, storing) : yield* storeParts(made.parts, storing)
  storing.known?.set(map, stored)
  return stored
}

function* storeParts<E>(parts: readonly (NameMap<E> | undefined)[], storing: NameStoring<E>): Steps<StoredPart> {
  const union = new PackUnion()
  const hashes: (string | null)[] = []
  let hasLinks = false
  for (const part of parts) {
    if (part === undefined) {
      hashes.push(null)
      continue
    }
    const stored = yield* storeNames(part, storing)
    union.add(stored.packs)
    hasLinks ||= stored.hasLinks
    hashes.push(stored.hash)
  }
  const { hash, pack } = storing.sink.add(encodeNames({ type: 'parts', parts: hashes }))
  union.add(pack.alone)
  return { hash, packs: union.done(), hasLinks }
}

function* storeFew<E>(map: NameMap<E>, storing: NameStoring<E>): Steps<StoredPart> {
  const sorted: [string, E][] = []
  eachName(map, (entry, name) => sorted.push([name, entry]))
  sorted.sort(([a], [b]) => (a < b ? -1 : 1))
  const union = new PackUnion()
  const names: [string, ContentEntry][] = []
  let hasLinks = false
  for (const [name, of] of sorted) {
    const stored = yield* storing.entry(of)
    union.add(stored.packs)
    hasLinks ||= stored.hasLinks
    names.push([name, stored.entry])
  }
  yield* storing.sink.room()
  const { hash, pack } = storing.sink.add(encodeNames({ type: 'names', names }))
  union.add(pack.alone)
  return { hash, packs: union.done(), hasLinks }
}

/** Whether the names fit in one part; looks at no more than that many. */
function isFew<E>(map: NameMap<E>): boolean {
  let count = 0
  const waiting = [map]
  for (let next = waiting.pop(); next !== undefined && count <= LEAF_LIMIT; next = waiting.pop()) {
    const made = partsOf(next)
    if (made.type === 'names') count += made.names.size
    else for (const part of made.parts) if (part !== undefined) waiting.push(part)
  }
  return count <= LEAF_LIMIT
}
