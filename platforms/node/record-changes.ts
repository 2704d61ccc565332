import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { hasCode } from '../../src/errors.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { LinkMet } from '../../src/fs/file-system.ts'
import { dirname, join, splitPath } from '../../src/fs/path.ts'
import { fingerprintOf, stampOf } from '../../src/job/baseline.ts'
import type { Fingerprint } from '../../src/job/job-documents.ts'
import type { CopiedDirectory, CopiedEntry, CopiedMount, Origin } from './copied-tree.ts'
import { isSamePrint } from './copied-tree.ts'
import type { CopyChanges, Present } from './copy-changes.ts'
import { copyChanges } from './copy-changes.ts'
import { toMicroseconds } from './host-times.ts'
import type { JobCopy } from './job-copy.ts'
import { hostPath, readLinkText } from './node-directories.ts'

/**
 * Writes what a process changed in the copy of a mount to the mount, or to its stage with what was there before. Gives what could not be kept.
 * What somebody changed meanwhile in what was copied is not looked at: where the process changed the same, `apply` finds that.
 */
export async function recordChanges(copy: JobCopy, mount: CopiedMount): Promise<readonly string[]> {
  const changes = copyChanges(copy, mount)
  const recorder = new ChangeRecorder(copy, mount)
  await recorder.record(changes)
  return [...changes.warnings, ...recorder.warnings]
}

class ChangeRecorder {
  readonly warnings: string[] = []
  readonly #copy: JobCopy
  readonly #mount: CopiedMount
  readonly #fs: FileSystem
  /** A path in the mount for each file of several names that the copy has. */
  readonly #linked = new Map<number, string>()
  readonly #ways = new Set<string>(['/'])

  constructor(copy: JobCopy, mount: CopiedMount) {
    this.#copy = copy
    this.#mount = mount
    this.#fs = mount.mount.staged?.overlay ?? mount.mount.fs
  }

  async record({ removed, present }: CopyChanges): Promise<void> {
    const changed: Present[] = []
    const same = new Map<number, Present[]>()
    for (const one of present) {
      if (!(await this.#isAsBefore(one))) changed.push(one)
      else if (one.links > 1) same.set(one.print.ino, [...(same.get(one.print.ino) ?? []), one])
    }
    // What has a name that changed has all its names together.
    for (const ino of new Set(changed.map(({ links, print }) => (links > 1 ? print.ino : 0)))) {
      const [first, ...others] = same.get(ino) ?? []
      if (first === undefined) continue
      await this.#note(first.path, first.before)
      this.#linked.set(ino, first.path)
      changed.push(...others)
    }
    for (const { path, entry } of removed) await this.#remove(path, entry)
    for (const one of changed) {
      await this.#note(one.path, one.before)
      await this.#makeWay(one.path)
      switch (one.type) {
        case 'directory':
          await this.#putDirectory(one)
          break
        case 'symlink':
          await this.#clear(one.path)
          await this.#fs.symlink(this.#copy.places.fromCopy(readLinkText(one.place)), one.path)
          break
        case 'file':
          await this.#putFile(one)
          break
        default:
          one.type satisfies never
      }
    }
    // Inner ones first: a directory may be closed to who writes into it.
    for (const one of changed.reverse()) if (one.type === 'directory') await this.#dress(one)
  }

  /** True for a file that was only touched: what is in it and its mode are as they were. */
  async #isAsBefore({ path, place, type, print, before }: Present): Promise<boolean> {
    if (type !== 'file' || before === undefined) return false
    if (isSamePrint(print, before.print)) return true
    if (before.origin === null) return false
    const { stat } = before.origin
    if (print.size !== stat.size || print.mode !== before.print.mode) return false
    const was = await this.#fingerprint(path, before, before.origin)
    return was.type === 'file' && was.sha256 === digestAt(place)
  }

  async #putDirectory({ path }: Present): Promise<void> {
    const there = await this.#lstatIfAny(path)
    if (there?.type === 'directory') return
    await this.#clear(path)
    await this.#fs.mkdir(path, 0o700)
    this.#ways.add(path)
  }

  async #putFile(one: Present): Promise<void> {
    const { path, place, print, links } = one
    const other = links > 1 ? this.#linked.get(print.ino) : undefined
    if (other !== undefined && this.#fs.capabilities.hardLinks) {
      await this.#clear(path)
      await this.#fs.link(other, path)
      return
    }
    const there = await this.#lstatIfAny(path)
    if (there !== undefined && there.type !== 'file') await this.#clear(path)
    const descriptor = openSync(hostPath(place), 'r')
    try {
      const buffer = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, print.size)))
      let isFirst = true
      for (;;) {
        const read = readSync(descriptor, buffer, 0, buffer.length, null)
        const bytes = buffer.subarray(0, read)
        if (isFirst) await this.#fs.write(path, bytes, { mode: print.mode })
        else if (read > 0) await this.#fs.append(path, bytes)
        isFirst = false
        if (read === 0) break
      }
    } finally {
      closeSync(descriptor)
    }
    await this.#dress(one)
    if (links > 1) this.#linked.set(print.ino, path)
  }

  async #dress({ path, print: { mode, mtimeMs, uid, gid } }: Present): Promise<void> {
    if (!this.#fs.capabilities.attributes) return
    await this.#fs.setattr(path, { mode, mtimeMs: toMicroseconds(mtimeMs), ...(isSuperuser && { uid, gid }) })
  }

  /** Takes away what was copied from there, with everything in it but what was kept from the process. */
  async #remove(path: string, entry: CopiedEntry): Promise<void> {
    await this.#noteAll(path, entry)
    if (entry.type === 'directory' && isPartial(entry)) {
      for (const [name, below] of entry.names) await this.#remove(join(path, name), below)
      if (entry.leftOut.size > 0)
        this.warnings.push(
          `${this.#shown(path)} is not removed: it holds what the command could not see (${[...entry.leftOut.keys()].join(', ')})`,
        )
      return
    }
    await this.#clear(path)
  }

  async #noteAll(path: string, entry: CopiedEntry): Promise<void> {
    await this.#note(path, entry)
    if (entry.type !== 'directory') return
    for (const [name, below] of entry.names) await this.#noteAll(join(path, name), below)
  }

  /** Removes whatever the mount has at a path. */
  async #clear(path: string): Promise<void> {
    const there = await this.#lstatIfAny(path)
    if (there === undefined) return
    if (there.type !== 'directory') {
      await this.#fs.unlink(path)
      return
    }
    for (const { name } of await this.#fs.readdir(path)) await this.#clear(join(path, name))
    await this.#fs.rmdir(path)
  }

  /** Makes the directories above a path that somebody removed since they were copied. */
  async #makeWay(path: string): Promise<void> {
    const above = dirname(path)
    if (this.#ways.has(above)) return
    let way = ''
    let known: CopiedDirectory | undefined = this.#mount.root
    for (const name of splitPath(above)) {
      way = `${way}/${name}`
      const entry: CopiedEntry | undefined = known?.names.get(name)
      known = entry?.type === 'directory' ? entry : undefined
      if (this.#ways.has(way)) continue
      this.#ways.add(way)
      if ((await this.#lstatIfAny(way))?.type === 'directory') continue
      await this.#note(way, entry)
      await this.#clear(way)
      await this.#fs.mkdir(way, entry?.print.mode)
    }
  }

  async #note(path: string, before: CopiedEntry | undefined): Promise<void> {
    const baseline = this.#mount.mount.staged?.baseline
    if (baseline === undefined || baseline.get(path) !== undefined) return
    if (before === undefined) baseline.set(path, { type: 'absent' })
    else if (before.origin !== null) baseline.set(path, await this.#fingerprint(path, before, before.origin))
    else await baseline.touch(path)
  }

  /** What was at a path when it was copied. */
  async #fingerprint(path: string, entry: CopiedEntry, { stat, sha256, target }: Origin): Promise<Fingerprint> {
    switch (entry.type) {
      case 'directory':
        return { type: 'directory', mode: stat.mode }
      case 'symlink':
        return { type: 'symlink', target: target ?? '' }
      case 'file': {
        const { mode, size } = stat
        if (sha256 !== null) return { type: 'file', mode, size, sha256, stamp: null }
        const { source } = this.#mount
        const is = await statIfAny(source, path)
        if (is !== undefined && stampOf(is) === stampOf(stat)) {
          const found = await fingerprintOf(source, path)
          if (found.type === 'file') return { ...found, mode }
        }
        return { type: 'file', mode, size, sha256: null, stamp: stampOf(stat) }
      }
      default:
        return entry satisfies never
    }
  }

  #lstatIfAny(path: string): ReturnType<typeof statIfAny> {
    return statIfAny(this.#fs, path)
  }

  #shown(path: string): string {
    const { prefix } = this.#mount
    return (prefix === '/' ? path : prefix + path).slice(1)
  }
}

function isPartial(entry: CopiedDirectory): boolean {
  if (entry.leftOut.size > 0) return true
  for (const below of entry.names.values()) if (below.type === 'directory' && isPartial(below)) return true
  return false
}

async function statIfAny(fs: FileSystem, path: string): Promise<Awaited<ReturnType<FileSystem['lstat']>> | undefined> {
  try {
    return await fs.lstat(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || error instanceof LinkMet) return undefined
    throw error
  }
}

function digestAt(place: string): string {
  const hash = createHash('sha256')
  const descriptor = openSync(hostPath(place), 'r')
  const buffer = Buffer.allocUnsafe(PIECE)
  try {
    for (;;) {
      const read = readSync(descriptor, buffer, 0, PIECE, null)
      if (read === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, read))
    }
  } finally {
    closeSync(descriptor)
  }
}

const isSuperuser = process.getuid?.() === 0
const PIECE = 1024 * 1024
