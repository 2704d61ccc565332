import { WorkspaceError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import { webHost } from '../../src/host.ts'
import type { Lease, Store, StoreAppended, StoreCapabilities, StoredValue, StoreWritten, Version } from '../../src/store/store.ts'
import { ChangeChannel } from './change-channel.ts'
import { isNamed } from './handle-error.ts'
import { OPFSFolder } from './opfs-folder.ts'
import { OPFSValues } from './opfs-values.ts'
import { storageError } from './storage-error.ts'
import { keepStorage } from './storage-kept.ts'
import { withTimeLimit } from './time-limit.ts'
import { hasWebLocks, holdWebLock } from './web-lock.ts'
import { fenceOf, WebLockLeases } from './web-lock-leases.ts'

export interface OPFSStoreOptions {
  readonly host?: Host
  /** Milliseconds that an operation may take; 10,000 when left out. */
  readonly limitMs?: number
}

/** Files take names of 255 bytes; that of a value has `++` at its end. */
const LONGEST_NAME = 253

/**
 * A store in a folder of the origin private file system. What is answered is in its files, in workers of most browsers flushed to the disk.
 *
 * Files have no transactions: whoever reads or writes a value holds a Web Lock for it. CAPABILITY_UNSUPPORTED where there are none.
 */
export class OPFSStore implements Store {
  readonly capabilities: StoreCapabilities = {
    append: true,
    leases: true,
    maxValueBytes: Number.POSITIVE_INFINITY,
    watch: ChangeChannel.isAvailable,
  }
  readonly #root: string
  readonly #host: Host
  readonly #limitMs: number
  readonly #folder: OPFSFolder
  readonly #values: OPFSValues
  /** Begins the names of locks and channel: the same for every instance on the folder, whichever page or worker it is in. */
  readonly #name: string
  readonly #leases: WebLockLeases
  readonly #changes: ChangeChannel
  #closed = false

  /** Touches nothing yet. CONFIG_INVALID for a root that is no path. */
  constructor(root: string, options: OPFSStoreOptions = {}) {
    this.#root = root
    this.#host = options.host ?? webHost
    this.#limitMs = options.limitMs ?? 10_000
    this.#folder = new OPFSFolder(root)
    this.#values = new OPFSValues(this.#folder, this.#host)
    this.#name = `mirage-runtime:opfs:${root}`
    this.#changes = new ChangeChannel(this.#name)
    this.#leases = new WebLockLeases(`${this.#name}:lease`, this.#host, {
      read: (key) => this.#run(`lease ${key}`, () => this.#locked('fence', key, 'shared', () => this.#values.fence(key))),
      raise: (key, fence) =>
        this.#run(`lease ${key}`, () => this.#locked('fence', key, 'exclusive', () => this.#values.setFence(key, fence))),
    })
  }

  get(key: string, known?: Version): Promise<StoredValue | 'same' | null> {
    return this.#run(`read ${key}`, () => this.#locked('value', key, 'shared', () => this.#values.get(key, known)))
  }

  put(key: string, bytes: Uint8Array, expected?: Version | null, lease?: Lease): Promise<StoreWritten> {
    const own = bytes.slice()
    return this.#write<StoreWritten>(`write ${key}`, key, lease, () => this.#values.put(key, own, expected))
  }

  append(key: string, bytes: Uint8Array, size?: number, lease?: Lease): Promise<StoreAppended> {
    const own = bytes.slice()
    return this.#write<StoreAppended>(`append to ${key}`, key, lease, () => this.#values.append(key, own, size))
  }

  async delete(key: string): Promise<boolean> {
    const found = await this.#run(`delete ${key}`, () => this.#locked('value', key, 'exclusive', () => this.#values.delete(key)))
    if (found) this.#changes.tell(key)
    return found
  }

  list(prefix: string): Promise<readonly string[]> {
    return this.#run(`list ${prefix}`, () => this.#values.list(prefix))
  }

  async lease(key: string, signal?: AbortSignal, force = false): Promise<Lease> {
    this.#check(`lease ${key}`)
    return this.#leases.take(key, signal, force)
  }

  watch(changed: (key: string) => void): () => void {
    return this.#changes.watch(changed)
  }

  close(): void {
    this.#closed = true
    this.#leases.endAll()
    this.#changes.close()
  }

  async #write<Written extends StoreWritten | StoreAppended>(
    action: string,
    key: string,
    lease: Lease | undefined,
    work: () => Promise<Written>,
  ): Promise<Written | { readonly state: 'lost' }> {
    keepStorage()
    const fence = fenceOf(lease)
    const alone = (): Promise<Written> => this.#locked('value', key, 'exclusive', work)
    const written = await this.#run(action, () => {
      if (lease === undefined || fence === undefined) return alone()
      // Whoever takes the lease over waits for the writes that have begun, and none begins afterwards.
      return this.#locked('fence', lease.key, 'shared', async () => {
        const now = await this.#values.fence(lease.key)
        return now === fence ? alone() : ({ state: 'lost' } as const)
      })
    })
    if (written.state === 'written') this.#changes.tell(key)
    if (written.state === 'lost' && lease !== undefined) this.#leases.lost(lease)
    return written
  }

  async #locked<T>(kind: 'value' | 'fence', key: string, mode: LockMode, work: () => Promise<T>): Promise<T> {
    checkNames(key)
    const free = await holdWebLock(`${this.#name}:${kind}:${key}`, { mode })
    try {
      return await work()
    } finally {
      free()
    }
  }

  async #run<T>(action: string, work: () => Promise<T>): Promise<T> {
    this.#check(action)
    const what = `${action} in the folder ${JSON.stringify(this.#root)} of the origin private file system`
    const late = (): WorkspaceError =>
      new WorkspaceError('STORE_UNAVAILABLE', `cannot ${what}: it has not ended within ${this.#limitMs} ms`)
    try {
      return await withTimeLimit(this.#host, this.#limitMs, this.#attempt(work), late)
    } catch (error) {
      throw await storageError(this.#host, what, error)
    }
  }

  /** Again, where a folder was removed since it was opened: each browser fails in a way of its own in one that is no more. */
  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isNamed(error, 'NotFoundError', 'UnknownError')) throw error
      this.#folder.forget()
      return work()
    }
  }

  #check(action: string): void {
    if (this.#closed) throw new WorkspaceError('CLOSED', 'the store is closed')
    const missing = whatIsMissing()
    if (missing === null) return
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `cannot ${action}: ${missing}; use backend 'indexeddb'`)
  }
}

/** Some browsers fail without a reason for a name that is too long. */
function checkNames(key: string): void {
  const name = key.split('/').find((part) => part.length > LONGEST_NAME)
  if (name === undefined) return
  const why = `a name in it has ${name.length} bytes, and the origin private file system has room for ${LONGEST_NAME}`
  throw new WorkspaceError('ENAMETOOLONG', `cannot use the key ${key.slice(0, 80)}…: ${why}`)
}

function whatIsMissing(): string | null {
  // Not everywhere, whatever the types say.
  const storage: Partial<StorageManager> | undefined = globalThis.navigator?.storage
  if (typeof storage?.getDirectory !== 'function')
    return 'this page has no origin private file system (it must be secure, and the browser of 2023 or later)'
  return hasWebLocks() ? null : 'this page has no Web Locks, without which files of several pages are not safe'
}
