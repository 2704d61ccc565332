import { createHash } from 'node:crypto'
import type fs from 'node:fs'
import path from 'node:path'
import { WorkspaceError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import { webHost } from '../../src/host.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoredValue, StoreWritten, Version } from '../../src/store/store.ts'
import type { DiskCalls } from './disk-calls.ts'
import { diskCalls } from './disk-calls.ts'
import { diskError, isMissing, isOccupied } from './disk-error.ts'
import type { DiskLease } from './disk-lease.ts'
import { DiskLeases, isLeaseName } from './disk-lease.ts'
import { FolderSync } from './disk-sync.ts'

export interface DiskStoreOptions {
  readonly calls?: DiskCalls
  readonly host?: Host
  /** Milliseconds without a sign of life after which a lease is taken over; 10,000 when left out. */
  readonly staleMs?: number
}

/** What a file was when it was last read here. */
interface Seen {
  readonly signature: string
  readonly version: Version
  /** When it was first seen so, and when it was read, by our own clock. */
  readonly since: number
  readonly read: number
}

/** Milliseconds after which a file system's clock has surely moved on, so that a write shows in the signature. */
const SETTLED_MS = 2000
const MOST_SEEN = 1000
/** Milliseconds after which what a dead process left of a lease is removed. */
const LITTER_MS = 3_600_000

/** A store in files under `root`, one a key. Files are 0600, folders 0700. What is answered is on the disk. */
export class DiskStore implements Store {
  readonly capabilities: StoreCapabilities = { append: true, leases: true, maxValueBytes: Number.POSITIVE_INFINITY, watch: false }
  readonly #root: string
  readonly #calls: DiskCalls
  readonly #host: Host
  readonly #leases: DiskLeases
  readonly #folders: FolderSync
  readonly #seen = new Map<string, Seen>()
  readonly #swept = new Set<string>()
  #closed = false

  constructor(root: string, options: DiskStoreOptions = {}) {
    this.#root = path.resolve(root)
    this.#calls = options.calls ?? diskCalls
    this.#host = options.host ?? webHost
    const freed = (file: string): void => {
      if (this.#calls.stat(file) === null) this.#prune(path.dirname(file))
    }
    this.#leases = new DiskLeases({ calls: this.#calls, host: this.#host, staleMs: options.staleMs ?? 10_000, freed })
    this.#folders = new FolderSync(this.#calls)
  }

  get(key: string, known?: Version): StoredValue | 'same' | null {
    const file = this.#file(key)
    try {
      return this.#read(key, file, known)
    } catch (error) {
      throw diskError('read', file, error)
    }
  }

  async put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    const file = this.#file(key)
    const held = (lease as DiskLease | undefined) ?? (await this.#lease(key, undefined, false))
    try {
      if (expected !== undefined && this.#versionOf(key, file) !== expected) return { state: 'conflict' }
      if (!held.isHeld()) return { state: 'lost' }
      await this.#makeFolder(path.dirname(file))
      if (!(await this.#replace(file, bytes, held))) return { state: 'lost' }
      return { state: 'written', version: digest(bytes) }
    } catch (error) {
      throw diskError('write', file, error)
    } finally {
      if (lease === undefined) held.end()
    }
  }

  async append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    const file = this.#file(key)
    try {
      if (lease !== undefined && !(lease as DiskLease).isHeld()) return { state: 'lost' }
      const before = this.#calls.stat(file)
      if (size !== undefined && size !== (before?.size ?? 0)) return { state: 'conflict' }
      if (before === null) await this.#makeFolder(path.dirname(file))
      const descriptor = this.#calls.open(file, 'append')
      try {
        const start = this.#calls.size(descriptor)
        if (size !== undefined && size !== start) return { state: 'conflict' }
        await this.#appendAll(descriptor, start, bytes)
        if (before === null) await this.#folders.sync(path.dirname(file))
        return { state: 'written', size: start + bytes.length }
      } finally {
        this.#calls.close(descriptor)
      }
    } catch (error) {
      throw diskError('append to', file, error)
    }
  }

  async delete(key: string): Promise<boolean> {
    const file = this.#file(key)
    this.#seen.delete(key)
    try {
      this.#calls.unlink(file)
      await this.#folders.sync(path.dirname(file))
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw diskError('delete', file, error)
    } finally {
      this.#prune(path.dirname(file))
    }
  }

  list(prefix: string): readonly string[] {
    const keys: string[] = []
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    this.#check()
    this.#list(folder, keys)
    return keys.filter((key) => key.startsWith(prefix))
  }

  lease(key: string, signal?: AbortSignal, force = false): Promise<Lease> {
    return this.#lease(key, signal, force)
  }

  watch(): () => void {
    this.#check()
    return () => undefined
  }

  close(): void {
    this.#closed = true
    this.#leases.endAll()
  }

  async #lease(key: string, signal: AbortSignal | undefined, force: boolean): Promise<DiskLease> {
    const file = this.#file(key)
    const folder = path.dirname(file)
    try {
      for (;;) {
        await this.#makeFolder(folder)
        try {
          this.#sweep(folder)
          return await this.#leases.take(key, file, signal, force)
        } catch (error) {
          // Somebody deleted the last file and the folder with it: make it again.
          if (signal?.aborted === true || !isMissing(error)) throw error
        }
      }
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw diskError('lock', file, error)
    }
  }

  #read(key: string, file: string, known: Version | undefined): StoredValue | 'same' | null {
    const stat = this.#calls.stat(file)
    if (stat === null) return null
    const seen = this.#seen.get(key)
    const same = seen?.signature === stat.signature ? seen : undefined
    if (known !== undefined && same?.version === known && same.read - same.since > SETTLED_MS) return 'same'
    const read = this.#host.elapsed()
    let bytes: Uint8Array
    try {
      bytes = this.#calls.read(file)
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
    const version = digest(bytes)
    this.#seen.delete(key)
    this.#seen.set(key, { signature: stat.signature, version, since: same?.since ?? read, read })
    if (this.#seen.size > MOST_SEEN) this.#seen.delete(this.#seen.keys().next().value as string)
    return version === known ? 'same' : { bytes, version }
  }

  #versionOf(key: string, file: string): Version | null {
    const value = this.#read(key, file, undefined)
    return value === null || value === 'same' ? null : value.version
  }

  /** False where the lease was lost; then nothing was written. */
  async #replace(file: string, bytes: Uint8Array, lease: DiskLease): Promise<boolean> {
    const draft = lease.draft()
    try {
      await this.#write(draft, bytes)
      this.#calls.rename(draft, file)
    } catch (error) {
      if (isMissing(error) && !lease.isHeld()) return false
      throw error
    }
    await this.#folders.sync(path.dirname(file))
    return true
  }

  async #write(draft: string, bytes: Uint8Array): Promise<void> {
    const descriptor = this.#calls.open(draft, 'create')
    try {
      for (let at = 0; at < bytes.length; ) at += this.#calls.write(descriptor, bytes.subarray(at))
      await this.#calls.sync(descriptor)
    } finally {
      this.#calls.close(descriptor)
    }
  }

  /** All of it, or what was there before. */
  async #appendAll(descriptor: number, start: number, bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) at += this.#calls.write(descriptor, bytes.subarray(at))
    } catch (error) {
      this.#calls.truncate(descriptor, start)
      throw error
    }
    await this.#calls.sync(descriptor)
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#calls.stat(folder) !== null) return
    const first = this.#calls.makeFolders(folder)
    if (first === undefined) return
    // Each new folder is a new name in its parent.
    for (let made = folder; made.length >= first.length; made = path.dirname(made)) await this.#folders.sync(path.dirname(made))
  }

  /** Removes folders that became empty, up to the root. */
  #prune(folder: string): void {
    for (let empty = folder; empty.startsWith(this.#root + path.sep); empty = path.dirname(empty)) {
      try {
        this.#calls.removeFolder(empty)
      } catch (error) {
        if (isMissing(error)) continue
        if (isOccupied(error)) return
        throw diskError('remove', empty, error)
      }
    }
  }

  #list(folder: string, into: string[]): void {
    let entries: readonly fs.Dirent[]
    try {
      entries = this.#calls.list(path.join(this.#root, folder))
    } catch (error) {
      if (isMissing(error)) return
      throw diskError('list', path.join(this.#root, folder), error)
    }
    for (const entry of entries) {
      if (isLeaseName(entry.name)) continue
      if (entry.isDirectory()) this.#list(`${folder}${entry.name}/`, into)
      else into.push(folder + entry.name)
    }
  }

  /** Once a folder, removes what processes that died left of leases they prepared. */
  #sweep(folder: string): void {
    if (this.#swept.has(folder)) return
    this.#swept.add(folder)
    for (const { name } of this.#calls.list(folder)) {
      if (isLeaseName(name)) this.#leases.removeLitter(path.join(folder, name), this.#host.now() - LITTER_MS)
    }
  }

  #file(key: string): string {
    this.#check()
    return path.join(this.#root, key)
  }

  #check(): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
  }
}

function digest(bytes: Uint8Array): Version {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}
