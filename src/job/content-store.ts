import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { drive } from '../fs/maybe.ts'
import { RAMFileSystem, type RAMSnapshot } from '../fs/memory.ts'
import type { Tree } from '../fs/memory-nodes.ts'
import { type Host, type MaybePromise, webHost } from '../host.ts'
import { Turnstile } from '../state/turnstile.ts'
import type { Lease, Store, Version } from '../store/store.ts'
import { ByteReader, ByteWriter } from './content-bytes.ts'
import { decodeTree } from './content-entries.ts'
import { ListedContent } from './content-listing.ts'
import { MemoryContent } from './content-memory.ts'
import { ContentPacks, currentPacks, INDEXES, isStored, PACKS, type PackSet } from './content-packs.ts'
import { restoreContent } from './content-restore.ts'
import { ContentSink } from './content-sink.ts'
import { ContentTrees } from './content-trees.ts'
import { ContentValues } from './content-values.ts'

/**
 * Trees of files by their content. A tree costs what no earlier one has: its new objects go to the store together, `packs/…`, and `trees/ID` says which packs it
 * needs. An id is given when everything is written; what a crash leaves before is removed by `gc`. One instance at a time writes, where the store has leases.
 */
export class ContentStore {
  readonly #store: Store
  readonly #host: Pick<Host, 'now' | 'breathe'>
  readonly #values: ContentValues
  readonly #packs: ContentPacks
  readonly #memory = new MemoryContent()
  readonly #listed = new ListedContent()
  readonly #trees: ContentTrees
  readonly #turn = new Turnstile()
  /** Trees that are stored. */
  readonly #stored = new Map<string, KeptTree>()
  /** Trees at hand, the one that was used last at the end. */
  readonly #open = new Map<string, OpenTree>()
  #openBytes = 0
  /** Version of the lock's value, which each `gc` changes. */
  #seen: Version | null = null

  constructor(store: Store, host: Pick<Host, 'now' | 'breathe'> = webHost) {
    this.#store = store
    this.#host = host
    this.#values = new ContentValues(store)
    this.#packs = new ContentPacks(this.#values)
    this.#trees = new ContentTrees(this.#memory, this.#packs)
  }

  /**
   * Keeps what a file system holds, which mustn't change meanwhile unless it is in memory: the id of the tree, which is to be written where `gc` is told of it
   * within some minutes. ENOTSUP for devices and pipes; EBUSY where another instance took over.
   */
  save(fs: FileSystem): Promise<string> {
    return this.#alone((lease) => this.#save(fs, lease))
  }

  /** A file system of its own with what the tree holds. NOT_FOUND where there is no such tree, CORRUPT where not all of it is there. */
  async open(id: string): Promise<RAMFileSystem> {
    const fs = new RAMFileSystem({ host: this.#host })
    fs.restore(await this.#snapshot(id))
    return fs
  }

  /** Makes a file system hold exactly what the tree holds; in memory, in one step. ENOTSUP, and nothing is done, where it can't have the links that the tree has. */
  async restore(id: string, fs: FileSystem): Promise<void> {
    const snapshot = await this.#snapshot(id)
    if (fs instanceof RAMFileSystem) fs.restore(snapshot)
    else await drive(restoreContent(await this.open(id), fs))
  }

  /**
   * Removes every tree that isn't among the roots, and what only those needed: how many values of the store went. What was saved in the last minutes stays: its id
   * may not be written down yet. The roots are asked for while nobody saves, which, where the store has no leases (S3), the caller has to see to.
   */
  gc(roots: () => MaybePromise<Iterable<string>>, graceMs: number = GRACE_MS): Promise<number> {
    return this.#alone(async (lease) => {
      const found = new Map<string, readonly string[]>()
      for (const prefix of [TREES, INDEXES, PACKS]) for (const [name, keys] of await this.#values.list(prefix)) found.set(name, keys)
      const asked = new Set(await roots())
      const youngest = this.#host.now() - graceMs
      const kept = new Set<string>()
      for (const name of found.keys()) {
        if (!name.startsWith(TREES)) continue
        const id = name.slice(TREES.length)
        const manifest = await this.#manifest(id)
        if (manifest === null || (!asked.has(id) && manifest.savedAt <= youngest)) continue
        kept.add(name)
        for (const [pack] of manifest.packs) kept.add(PACKS + pack).add(INDEXES + pack)
      }
      const gone = Array.from(found).flatMap(([name, keys]) => (kept.has(name) ? [] : keys))
      if (gone.length === 0) return 0
      // Others look anew before anything is gone.
      await this.#mark(lease)
      this.#keepOnly(kept)
      for (const key of gone) await this.#store.delete(key)
      return gone.length
    })
  }

  async #save(fs: FileSystem, lease: Lease): Promise<string> {
    const sink = new ContentSink(this.#packs, lease, this.#host)
    try {
      const snapshot = fs instanceof RAMFileSystem ? fs.snapshot() : null
      const { id, packs } =
        snapshot === null
          ? await drive(this.#listed.save(fs, sink, this.#host.now()))
          : await drive(this.#memory.save(snapshot as Tree, sink))
      await this.#packs.write(lease, true)
      const known = this.#stored.get(id)
      const savedAt = Math.round(this.#host.now())
      // What was saved again long after counts as new.
      if (known === undefined || !isStored(known.packs) || known.savedAt < savedAt - GRACE_MS / 2) {
        const whole = await this.#packs.merge(currentPacks(packs))
        await this.#packs.write(lease, true)
        await this.#values.put(TREES + id, manifestOf(whole, savedAt), lease)
        this.#stored.set(id, { packs: whole, savedAt })
      }
      if (snapshot !== null) this.#keepOpen(id, { snapshot, bytes: Math.max(sink.added, this.#open.get(id)?.bytes ?? 0) })
      return id
    } catch (error) {
      this.#packs.abandon()
      throw error
    }
  }

  async #snapshot(id: string): Promise<RAMSnapshot> {
    const open = this.#open.get(id)
    if (open !== undefined) {
      this.#keepOpen(id, open)
      return open.snapshot
    }
    const manifest = await this.#manifest(id)
    if (manifest === null) throw new WorkspaceError('NOT_FOUND', `there is no tree ${id}`)
    const objects = await this.#packs.read(manifest.packs.map(([pack]) => pack))
    const root = objects.get(id)
    if (root === undefined) throw new WorkspaceError('CORRUPT', `the packs of tree ${id} don't hold it`)
    const snapshot = this.#trees.make(decodeTree(root), objects)
    this.#stored.set(id, { packs: manifest.packs.map(([pack, size]) => this.#packs.pack(pack, size)), savedAt: manifest.savedAt })
    this.#keepOpen(id, { snapshot, bytes: snapshot.bytes })
    return snapshot
  }

  #keepOpen(id: string, tree: OpenTree): void {
    this.#letGo(id)
    this.#open.set(id, tree)
    this.#openBytes += tree.bytes
    for (const oldest of this.#open.keys()) {
      if (oldest === id || (this.#open.size <= MOST_OPEN && this.#openBytes <= MOST_OPEN_BYTES)) break
      this.#letGo(oldest)
    }
  }

  #letGo(id: string): void {
    this.#openBytes -= this.#open.get(id)?.bytes ?? 0
    this.#open.delete(id)
  }

  /** Null where there is no such tree. */
  async #manifest(id: string): Promise<Manifest | null> {
    const bytes = await this.#values.get(TREES + id)
    return bytes === null ? null : decodeManifest(bytes)
  }

  /** Does work while no other save or gc goes on, here or elsewhere. */
  async #alone<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    await this.#turn.enter()
    try {
      const lease = await this.#lease()
      try {
        return await work(lease)
      } finally {
        lease.end()
      }
    } finally {
      this.#turn.leave()
    }
  }

  async #lease(): Promise<Lease> {
    const known = this.#seen ?? undefined
    if (this.#store.take !== undefined) {
      const { lease, value } = await this.#store.take(LOCK, known)
      return this.#look(lease, value)
    }
    const lease = await this.#store.lease(LOCK)
    try {
      return await this.#look(lease, await this.#store.get(LOCK, known))
    } catch (error) {
      lease.end()
      throw error
    }
  }

  /** Looks which packs are still there, if somebody removed some. */
  async #look(lease: Lease, value: Awaited<ReturnType<Store['get']>>): Promise<Lease> {
    if (value === 'same' || value === null) return lease
    const isFirst = this.#seen === null && this.#stored.size === 0
    this.#seen = value.version
    if (isFirst) return lease
    this.#keepOnly(new Set([...(await this.#values.list(TREES)).keys(), ...(await this.#values.list(PACKS)).keys()]))
    return lease
  }

  /** Forgets what isn't among the values that are there. */
  #keepOnly(names: ReadonlySet<string>): void {
    this.#packs.keepOnly((id) => names.has(PACKS + id))
    for (const id of [...this.#stored.keys()]) if (!names.has(TREES + id)) this.#stored.delete(id)
    for (const id of [...this.#open.keys()]) if (!names.has(TREES + id)) this.#letGo(id)
  }

  async #mark(lease: Lease): Promise<void> {
    const value = await this.#store.get(LOCK)
    const count = value === null || value === 'same' ? 0 : Number(decode(value.bytes))
    const written = await this.#store.put(LOCK, encode(String(count + 1)), undefined, lease)
    if (written.state === 'written') this.#seen = written.version
    else throw new WorkspaceError('EBUSY', 'another instance took over while content was removed')
  }
}

const stores = new WeakMap<Store, ContentStore>()

/** The content of a store: the same for everybody here who works with that store, so that what one of them knows all know. */
export function contentIn(store: Store): ContentStore {
  const known = stores.get(store)
  if (known !== undefined) return known
  const made = new ContentStore(store)
  stores.set(store, made)
  return made
}

const LOCK = 'lock'
const TREES = 'trees/'
/** Trees that are kept at hand, and what they may take of memory besides what they share. */
const MOST_OPEN = 64
const MOST_OPEN_BYTES = 64 * 1024 * 1024
/** Milliseconds in which the id of a saved tree is written down. */
const GRACE_MS = 10 * 60 * 1000
const VERSION = 1

interface OpenTree {
  readonly snapshot: RAMSnapshot
  /** What it has that trees before it don't. */
  readonly bytes: number
}

/** A tree that is stored. */
interface KeptTree {
  readonly packs: PackSet
  /** Milliseconds since the epoch. */
  readonly savedAt: number
}

interface Manifest {
  readonly packs: readonly (readonly [id: string, size: number])[]
  readonly savedAt: number
}

function manifestOf(packs: PackSet, savedAt: number): Uint8Array {
  const writer = new ByteWriter()
  writer.number(VERSION)
  writer.number(Math.max(0, savedAt))
  writer.number(packs.length)
  for (const { id, size } of packs) {
    writer.hash(id)
    writer.number(size)
  }
  return writer.done()
}

function decodeManifest(bytes: Uint8Array): Manifest {
  const reader = new ByteReader(bytes)
  const version = reader.number()
  if (version !== VERSION)
    throw new WorkspaceError('VERSION_UNSUPPORTED', `a stored tree has version ${version}; this one reads ${VERSION}`)
  const savedAt = reader.number()
  const packs: [id: string, size: number][] = []
  for (let count = reader.number(); count > 0; count--) packs.push([reader.hash(), reader.number()])
  reader.end()
  return { packs, savedAt }
}
