import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import type { Host } from '../../src/host.ts'
import { randomId } from '../../src/host.ts'
import { sleep } from '../../src/sleep.ts'
import type { Lease } from '../../src/store/store.ts'
import type { DiskCalls } from './disk-calls.ts'
import { isMissing, isOccupied } from './disk-error.ts'

/** A lease on disk. */
export interface DiskLease extends Lease {
  /** A new name for a file to be written and then renamed from. Once the lease is taken over, neither is possible. */
  draft(): string
  isHeld(): boolean
}

export interface DiskLeaseOptions {
  readonly calls: DiskCalls
  readonly host: Host
  /** Milliseconds without a sign of life after which a lease is taken over. */
  readonly staleMs: number
  /** Told after the lease for a path was given free. */
  readonly freed: (path: string) => void
}

/** A lease that another one holds, as it is seen from here. */
interface Sight {
  readonly owner: string
  /** Changes with each sign of life. */
  readonly signature: string
  /** When it was first seen so, by our own clock. */
  readonly since: number
}

/** Milliseconds between two looks at a lease that others hold, at most. */
const LONGEST_LOOK = 8

/**
 * Leases as folders: `PATH+lock/OWNER/`, the owner named by process, machine and a token of its own.
 *
 * The lock comes into being by renaming a prepared folder, so it is never seen without its owner, and an empty one is free. What the holder
 * writes, it drafts inside its own folder and renames into place. Taking a lock over renames it away and empties it before the new holder
 * reads anything: from then on the old one, whatever it was about to do, can neither draft nor rename. No clock is compared with
 * another's: a lease is stale when its folder's time didn't move for `staleMs` of the clock of the one who waits, or when its
 * process is known to be dead.
 */
export class DiskLeases {
  readonly #options: DiskLeaseOptions
  readonly #held = new Map<DiskLease, string>()
  /** Paths whose lease this instance gave free last. */
  readonly #freed = new Set<string>()
  #beating: NodeJS.Timeout | null = null

  constructor(options: DiskLeaseOptions) {
    this.#options = options
  }

  /** The lease for the file `path`, whose folder exists. */
  async take(key: string, path: string, signal: AbortSignal | undefined, force: boolean): Promise<DiskLease> {
    signal?.throwIfAborted()
    if (this.#freed.delete(path) && !force && this.#isAwaited(path)) await this.#letOthersGo(path, signal)
    let sight: Sight | null = null
    for (let look = 1; ; look = Math.min(look * 2, LONGEST_LOOK)) {
      if (force) this.#takeOver(path, null)
      const lease = this.#tryTake(key, path)
      if (lease !== null) return lease
      sight = this.#see(path, sight)
      if (sight !== null && this.#isStale(sight)) this.#takeOver(path, sight.owner)
      else if (!force) {
        this.#markAwaited(path)
        await sleep(this.#options.host, look, signal)
      }
    }
  }

  /** Removes a prepared or taken-over lock that was left behind before `time`. Locks in use stay. */
  removeLitter(found: string, time: number): void {
    const stat = this.#options.calls.stat(found)
    if (stat !== null && stat.mtimeMs < time && /\+[0-9a-f]{16}$/.test(found)) this.#destroy(found)
  }

  endAll(): void {
    for (const lease of this.#held.keys()) lease.end()
  }

  /** Null where another one has it. */
  #tryTake(key: string, path: string): DiskLease | null {
    const { calls } = this.#options
    const token = randomId(this.#options.host)
    const owner = `${process.pid}-${machine()}-${token}`
    const prepared = `${path}+${token}`
    calls.makeFolder(prepared)
    calls.makeFolder(`${prepared}/${owner}`)
    try {
      calls.rename(prepared, lockOf(path))
    } catch (error) {
      this.#destroy(prepared)
      if (isOccupied(error)) return null
      throw error
    }
    attempt(() => calls.unlink(markOf(path)))
    return this.#hold(key, path, `${lockOf(path)}/${owner}`)
  }

  #hold(key: string, path: string, own: string): DiskLease {
    const { calls } = this.#options
    let drafts = 0
    const lease: DiskLease = {
      key,
      draft: () => `${own}/${++drafts}`,
      isHeld: () => this.#held.has(lease) && calls.stat(own) !== null,
      end: () => {
        if (!this.#held.delete(lease)) return
        this.#stopBeating()
        this.#freed.add(path)
        try {
          if (attempt(() => this.#removeFolder(own))) attempt(() => calls.removeFolder(lockOf(path)))
          this.#options.freed(path)
        } catch {
          // What was done under the lease stays done: the lock is taken over once it is stale.
        }
      },
    }
    this.#held.set(lease, own)
    this.#beating ??= setInterval(() => this.#beat(), this.#options.staleMs / 5).unref()
    return lease
  }

  #beat(): void {
    const now = new Date(this.#options.host.now())
    for (const own of this.#held.values()) {
      try {
        this.#options.calls.touch(own, now)
      } catch {
        // Gone or out of reach: the lease is lost, or will be, and its holder finds out when it writes.
      }
    }
  }

  #stopBeating(): void {
    if (this.#held.size > 0 || this.#beating === null) return
    clearInterval(this.#beating)
    this.#beating = null
  }

  /** Null where the lease is free, or changes hands right now. */
  #see(path: string, last: Sight | null): Sight | null {
    const { calls, host } = this.#options
    let owner: string | undefined
    if (!attempt(() => (owner = calls.list(lockOf(path))[0]?.name)) || owner === undefined) return null
    const signature = calls.stat(`${lockOf(path)}/${owner}`)?.signature
    if (signature === undefined) return null
    return last?.owner === owner && last.signature === signature ? last : { owner, signature, since: host.elapsed() }
  }

  #isStale({ owner, since }: Sight): boolean {
    return isDead(owner) || this.#options.host.elapsed() - since >= this.#options.staleMs
  }

  /** Takes the lock from `owner`, or from whoever has it where that is null. */
  #takeOver(path: string, owner: string | null): void {
    const { calls } = this.#options
    const away = `${path}+${randomId(this.#options.host)}`
    if (!attempt(() => calls.rename(lockOf(path), away))) return
    const wrong = owner !== null && calls.list(away).every((entry) => entry.name !== owner)
    // Somebody else took the stale lock over a moment earlier, and this is theirs. Where it can't be given back, they queue again.
    if (wrong && attempt(() => calls.rename(away, lockOf(path)))) return
    this.#destroy(away)
  }

  /** Removes a lock that was renamed away, though its old holder may still be writing into it. */
  #destroy(away: string): void {
    const { calls } = this.#options
    for (let tries = 0; tries < 100; tries++) {
      let owners: readonly fs.Dirent[] = []
      if (!attempt(() => (owners = calls.list(away)))) return
      for (const owner of owners) attempt(() => this.#removeFolder(`${away}/${owner.name}`))
      if (attempt(() => calls.removeFolder(away))) return
    }
  }

  #removeFolder(folder: string): void {
    const { calls } = this.#options
    try {
      calls.removeFolder(folder)
    } catch (error) {
      if (!isOccupied(error)) throw error
      for (const draft of calls.list(folder)) attempt(() => calls.unlink(`${folder}/${draft.name}`))
      calls.removeFolder(folder)
    }
  }

  #isAwaited(path: string): boolean {
    return this.#options.calls.stat(markOf(path)) !== null
  }

  /** Leaves a mark for the holder: who gives the lease free and sees one, lets others go first. */
  #markAwaited(path: string): void {
    const { calls } = this.#options
    attempt(() => calls.close(calls.open(markOf(path), 'append')))
  }

  async #letOthersGo(path: string, signal: AbortSignal | undefined): Promise<void> {
    for (let looks = 0; looks < 2 * LONGEST_LOOK && this.#options.calls.stat(lockOf(path)) === null; looks++)
      await sleep(this.#options.host, 1, signal)
  }
}

/** Whether a name in a folder of values is a lease's, whole or left behind by a process that died. */
export function isLeaseName(name: string): boolean {
  return name.includes('+')
}

function lockOf(path: string): string {
  return `${path}+lock`
}

function markOf(path: string): string {
  return `${path}+wait`
}

/** False where the call failed because something is missing or in the way. */
function attempt(call: () => unknown): boolean {
  try {
    call()
    return true
  } catch (error) {
    if (isMissing(error) || isOccupied(error)) return false
    throw error
  }
}

/** Names the set of processes in which a process id means one process: the machine and, where there are such, its namespace of processes. */
function machine(): string {
  known ??= createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 12)
  return known
}

let known: string | undefined

/** A name that no other process has where this one may not ask (Deno without `--allow-sys`): nobody is then taken for dead by a process id. */
function hostname(): string {
  try {
    return os.hostname()
  } catch {
    return randomUUID()
  }
}

function processNamespace(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has them.
    return ''
  }
}

function isDead(owner: string): boolean {
  const [pid, where] = owner.split('-')
  if (where !== machine()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH'
  }
}
