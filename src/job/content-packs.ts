import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Lease } from '../store/store.ts'
import { ByteReader, ByteWriter } from './content-bytes.ts'
import type { ContentValues } from './content-values.ts'
import { digestOf } from './digest.ts'

/** Many objects in one value of the store. */
export interface Pack {
  /** Until it is closed, ''. */
  id: string
  /** What is in a pack that is `gone` has to be stored anew. */
  state: 'open' | 'stored' | 'gone'
  readonly hashes: string[]
  /** Bytes. */
  size: number
  /** Another one that has everything of it, since it was put together with others. */
  merged: Pack | null
  /** It alone. */
  readonly alone: PackSet
}

/** The packs that hold a part of a tree. */
export type PackSet = readonly Pack[]

/** Whether what they hold is there. */
export function isStored(packs: PackSet): boolean {
  return packs.every((pack) => current(pack).state !== 'gone')
}

/** What holds now what the packs held. */
export function currentPacks(packs: PackSet): PackSet {
  return packs.every(({ merged }) => merged === null) ? packs : [...new Set(packs.map(current))]
}

function current(pack: Pack): Pack {
  if (pack.merged === null) return pack
  const merged = current(pack.merged)
  return merged.state === 'gone' ? pack : merged
}

/** Puts sets together; gives one of them where it has everything. */
export class PackUnion {
  readonly #packs = new Set<Pack>()
  #largest: PackSet = []

  add(packs: PackSet): void {
    if (packs === this.#largest) return
    for (const pack of packs) this.#packs.add(pack)
    if (packs.length > this.#largest.length) this.#largest = packs
  }

  done(): PackSet {
    return this.#packs.size === this.#largest.length ? this.#largest : [...this.#packs]
  }
}

/** Objects by their hash, many in one value. */
export class ContentPacks {
  readonly #values: ContentValues
  readonly #places = new Map<string, Pack>()
  readonly #packs = new Map<string, Pack>()
  #open: OpenPack | null = null
  #closed: OpenPack[] = []
  #isLearned = false

  constructor(values: ContentValues) {
    this.#values = values
  }

  /** Where an object is; undefined where it isn't known to be stored. */
  find(hash: string): Pack | undefined {
    return this.#places.get(hash)
  }

  /** Keeps an object, to be written with others. The bytes mustn't change until then. */
  add(bytes: Uint8Array): { readonly hash: string; readonly pack: Pack } {
    const hash = digestOf(bytes)
    const place = this.#places.get(hash)
    if (place !== undefined) return { hash, pack: place }
    this.#open ??= { pack: newPack('', 'open', 0), objects: [] }
    const { pack } = this.#open
    this.#put(this.#open, hash, bytes)
    if (pack.size >= PACK_BYTES) this.#close()
    return { hash, pack }
  }

  /** Puts small packs of a tree together where it has many, so that a tree with a long past is read with few requests; each byte moves a few times at most. */
  async merge(packs: PackSet): Promise<PackSet> {
    const classes = new Map<number, Pack[]>()
    for (const pack of packs) {
      if (pack.state !== 'stored' || pack.size === 0 || pack.size >= LARGEST_MERGED) continue
      const like = Math.floor(Math.log2(Math.max(pack.size, SMALLEST_CLASS)) / 2)
      classes.set(like, [...(classes.get(like) ?? []), pack])
    }
    for (const like of classes.values()) {
      if (like.length < MOST_ALIKE) continue
      const whole: OpenPack = { pack: newPack('', 'open', 0), objects: [] }
      for (const [hash, bytes] of await this.read(like.map(({ id }) => id))) this.#put(whole, hash, bytes)
      this.#closePack(whole)
      for (const pack of like) pack.merged = whole.pack
    }
    return currentPacks(packs)
  }

  /** Learns what is stored, so that nothing of that is stored anew: before much is added. Once; what others store after that is not known. */
  async learn(): Promise<void> {
    if (this.#isLearned) return
    this.#isLearned = true
    const names = [...(await this.#values.list(INDEXES)).keys()]
    await inTurns(names, async (name) => {
      const bytes = await this.#values.get(name)
      if (bytes === null) return
      const reader = new ByteReader(bytes)
      const pack = this.pack(name.slice(INDEXES.length), reader.number())
      const isKnown = pack.hashes.length > 0
      for (let count = reader.number(); count > 0; count--) {
        const hash = reader.hash()
        if (!isKnown) pack.hashes.push(hash)
        if (!this.#places.has(hash)) this.#places.set(hash, pack)
      }
    })
  }

  /** True where so much waits to be written that `write` should be called before more is added. */
  get isFull(): boolean {
    return this.#closed.length >= MOST_WAITING
  }

  /** Writes the packs that are full, or, where `all` is asked for, everything that was added. */
  async write(lease: Lease, all: boolean): Promise<void> {
    if (all) this.#close()
    const closed = this.#closed
    this.#closed = []
    try {
      await Promise.all(closed.map((one) => this.#write(one, lease)))
    } catch (error) {
      for (const { pack } of closed) this.#lose(pack)
      throw error
    }
    for (const { pack } of closed) pack.state = 'stored'
  }

  /** Lets go of what was added and not written. */
  abandon(): void {
    this.#close()
    for (const { pack } of this.#closed) this.#lose(pack)
    this.#closed = []
  }

  /** What the packs hold, by hash. CORRUPT where one is missing or isn't what its name says. */
  async read(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const objects = new Map<string, Uint8Array>()
    await inTurns(ids, async (id) => {
      const bytes = await this.#values.get(PACKS + id)
      if (bytes === null) throw new WorkspaceError('CORRUPT', `pack ${id} of stored content is missing`)
      const pack = this.pack(id, 0)
      pack.hashes.length = 0
      pack.size = 0
      for (const [hash, object] of decodePack(bytes)) {
        objects.set(hash, object)
        pack.hashes.push(hash)
        pack.size += object.length
        if (!this.#places.has(hash)) this.#places.set(hash, pack)
      }
    })
    return objects
  }

  /** The pack of an id, which is stored. */
  pack(id: string, size: number): Pack {
    const known = this.#packs.get(id)
    if (known?.state === 'stored') return known
    const pack = newPack(id, 'stored', size)
    this.#packs.set(id, pack)
    return pack
  }

  /** Packs that are not among the stored ones are gone. */
  keepOnly(isKept: (id: string) => boolean): void {
    for (const pack of this.#packs.values()) if (!isKept(pack.id)) this.#lose(pack)
  }

  #close(): void {
    if (this.#open === null) return
    this.#closePack(this.#open)
    this.#open = null
  }

  #closePack(open: OpenPack): void {
    const { pack } = open
    // The bytes follow from the hashes, so these tell one pack from another.
    const names = new ByteWriter()
    for (const hash of pack.hashes) names.hash(hash)
    pack.id = digestOf(names.done())
    this.#packs.set(pack.id, pack)
    this.#closed.push(open)
  }

  #put({ pack, objects }: OpenPack, hash: string, bytes: Uint8Array): void {
    objects.push(bytes)
    pack.hashes.push(hash)
    pack.size += bytes.length
    this.#places.set(hash, pack)
  }

  /** The index comes last: who knows what is in a pack relies on the pack. */
  async #write({ pack, objects }: OpenPack, lease: Lease): Promise<void> {
    await this.#values.put(PACKS + pack.id, encodePack(pack, objects), lease)
    if (pack.size >= SMALLEST_INDEXED) await this.#values.put(INDEXES + pack.id, encodeIndex(pack), lease)
  }

  #lose(pack: Pack): void {
    pack.state = 'gone'
    if (this.#packs.get(pack.id) === pack) this.#packs.delete(pack.id)
    for (const hash of pack.hashes) if (this.#places.get(hash) === pack) this.#places.delete(hash)
  }
}

interface OpenPack {
  readonly pack: Pack
  readonly objects: Uint8Array[]
}

/** Bytes after which a pack is closed. */
const PACK_BYTES = 4 * 1024 * 1024
const MOST_WAITING = 4
const MOST_AT_ONCE = 8
/** Packs from this size on are known by an index beside them. */
const SMALLEST_INDEXED = 64 * 1024
/** Packs of this size stay alone; of smaller ones, this many of like size are put together. */
const LARGEST_MERGED = 1024 * 1024
const MOST_ALIKE = 16
const SMALLEST_CLASS = 4096

export const PACKS = 'packs/'
export const INDEXES = 'indexes/'

/** Does something with each, some at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) await work(all[at] as T)
  }
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, all.length) }, worker))
}

function newPack(id: string, state: Pack['state'], size: number): Pack {
  const alone: Pack[] = []
  const pack: Pack = { id, state, hashes: [], size, merged: null, alone }
  alone.push(pack)
  return pack
}

/** The hashes and lengths of all objects, then their bytes. */
function encodePack({ hashes }: Pack, objects: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter()
  writer.number(VERSION)
  writer.number(objects.length)
  for (const [index, bytes] of objects.entries()) {
    writer.hash(hashes[index] as string)
    writer.number(bytes.length)
  }
  return concat([writer.done(), ...objects])
}

/** What a pack holds, without the bytes. */
function encodeIndex({ size, hashes }: Pack): Uint8Array {
  const writer = new ByteWriter()
  writer.number(size)
  writer.number(hashes.length)
  for (const hash of hashes) writer.hash(hash)
  return writer.done()
}

function* decodePack(bytes: Uint8Array): Generator<[hash: string, bytes: Uint8Array]> {
  const reader = new ByteReader(bytes)
  const version = reader.number()
  if (version !== VERSION)
    throw new WorkspaceError('VERSION_UNSUPPORTED', `stored content has version ${version}; this one reads ${VERSION}`)
  const index: [hash: string, length: number][] = []
  for (let count = reader.number(); count > 0; count--) index.push([reader.hash(), reader.number()])
  for (const [hash, length] of index) {
    const object = reader.raw(length)
    if (digestOf(object) !== hash) throw new WorkspaceError('CORRUPT', `stored content ${hash} is not what it was`)
    yield [hash, object]
  }
  reader.end()
}

const VERSION = 1
