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
  /** It alone. */
  readonly alone: PackSet
}

/** The packs that hold a part of a tree. */
export type PackSet = readonly Pack[]

/** Whether all of them are there. */
export function isStored(packs: PackSet): boolean {
  return packs.every(({ state }) => state !== 'gone')
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
    this.#open ??= { pack: newPack('', 'open'), objects: [], size: 0 }
    const { pack, objects } = this.#open
    objects.push(bytes)
    pack.hashes.push(hash)
    this.#places.set(hash, pack)
    this.#open.size += bytes.length
    if (this.#open.size >= PACK_BYTES) this.#close()
    return { hash, pack }
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
      await Promise.all(closed.map(({ pack, objects }) => this.#values.put(keyOf(pack.id), encodePack(pack, objects), lease)))
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
    const waiting = [...ids]
    const readers = Array.from({ length: Math.min(MOST_READING, ids.length) }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const bytes = await this.#values.get(keyOf(id))
        if (bytes === null) throw new WorkspaceError('CORRUPT', `pack ${id} of stored content is missing`)
        const pack = this.pack(id)
        pack.hashes.length = 0
        for (const [hash, object] of decodePack(bytes)) {
          objects.set(hash, object)
          pack.hashes.push(hash)
          if (!this.#places.has(hash)) this.#places.set(hash, pack)
        }
      }
    })
    await Promise.all(readers)
    return objects
  }

  /** The pack of an id, which is stored. */
  pack(id: string): Pack {
    const known = this.#packs.get(id)
    if (known?.state === 'stored') return known
    const pack = newPack(id, 'stored')
    this.#packs.set(id, pack)
    return pack
  }

  /** Packs that are not among the stored ones are gone. */
  keepOnly(isKept: (id: string) => boolean): void {
    for (const pack of this.#packs.values()) if (!isKept(pack.id)) this.#lose(pack)
  }

  #close(): void {
    if (this.#open === null) return
    const { pack } = this.#open
    // The bytes follow from the hashes, so these tell one pack from another.
    const names = new ByteWriter()
    for (const hash of pack.hashes) names.hash(hash)
    pack.id = digestOf(names.done())
    this.#packs.set(pack.id, pack)
    this.#closed.push(this.#open)
    this.#open = null
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
  size: number
}

/** Bytes after which a pack is closed. */
const PACK_BYTES = 4 * 1024 * 1024
const MOST_WAITING = 4
const MOST_READING = 8

function keyOf(id: string): string {
  return `packs/${id}`
}

function newPack(id: string, state: Pack['state']): Pack {
  const alone: Pack[] = []
  const pack: Pack = { id, state, hashes: [], alone }
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
