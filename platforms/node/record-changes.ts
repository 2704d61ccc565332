import { accessSync, constants, statSync } from 'node:fs'
import { FileSystemError, hasCode } from '../../src/errors.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { LinkMet } from '../../src/fs/file-system.ts'
import { dirname, isWithin, join, splitPath } from '../../src/fs/path.ts'
import { fingerprintOf, stampOf } from '../../src/job/baseline.ts'
import type { Fingerprint } from '../../src/job/job-documents.ts'
import type { CopiedDirectory, CopiedEntry, CopiedMount, Origin } from './copied-tree.ts'
import { isSamePrint } from './copied-tree.ts'
import type { CopyChanges, Present } from './copy-changes.ts'
import { copyChanges, opened } from './copy-changes.ts'
import { hostDigest, hostPieces } from './host-content.ts'
import { HostFileSystem } from './host-file-system.ts'
import { toMicroseconds } from './host-times.ts'
import type { JobCopy } from './job-copy.ts'
import { hostPath, readLinkText } from './node-directories.ts'
import { isSuperuser } from './superuser.ts'

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
  #onSameDisk: boolean | undefined

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
    /** A directory that came as a whole, with what is in it. */
    let moved: string | null = null
    for (const one of changed) {
      await this.#note(one.path, one.before)
      if (moved !== null && isWithin(one.path, moved)) {
        if (one.type === 'symlink') await this.#putLink(one, await this.#fs.readlink(one.path))
        continue
      }
      await this.#makeWay(one.path)
      switch (one.type) {
        case 'directory':
          if (await this.#putDirectory(one)) moved = one.path
          break
        case 'symlink':
          await this.#putLink(one, null)
          break
        case 'file':
          await this.#putFile(one)
          break
        default:
          one.type satisfies never
      }
    }
    // Inner ones first: a directory may be closed to who writes into it.
    for (const one of changed.reverse()) if (one.type === 'directory' && !one.isWhole) await this.#dress(one)
  }

  /** True for a file that was only touched: what is in it and its mode are as they were. */
  async #isAsBefore({ path, place, type, print, before }: Present): Promise<boolean> {
    if (type !== 'file' || before === undefined) return false
    if (isSamePrint(print, before.print)) return true
    if (before.origin === null) return false
    const { stat } = before.origin
    if (print.size !== stat.size || print.mode !== before.print.mode) return false
    const was = await this.#fingerprint(path, before, before.origin)
    return was.type === 'file' && was.sha256 === opened(place, () => hostDigest(place))
  }

  /** True where it came with all that is in it. */
  async #putDirectory(one: Present): Promise<boolean> {
    const { path } = one
    const there = await this.#lstatIfAny(path)
    if (one.isWhole && there === undefined && (await this.#move(one))) return true
    one.isWhole = false
    if (there?.type !== 'directory') {
      await this.#clear(path)
      await this.#fs.mkdir(path, 0o700)
    }
    this.#ways.add(path)
    return false
  }

  async #putLink({ path, place }: Present, shown: string | null): Promise<void> {
    const target = this.#copy.places.fromCopy(shown ?? readLinkText(place))
    if (target === shown) return
    await this.#clear(path)
    await this.#fs.symlink(target, path)
  }

  async #putFile(one: Present): Promise<void> {
    const { path, place, print, links } = one
    const other = links > 1 ? this.#linked.get(print.ino) : undefined
    if (other !== undefined && this.#fs.capabilities.hardLinks) {
      await this.#clear(path)
      await this.#fs.link(other, path)
      return
    }
    if (links > 1) this.#linked.set(print.ino, path)
    const there = await this.#lstatIfAny(path)
    if (there?.type === 'directory') await this.#clear(path)
    if (await this.#move(one)) return
    if (there?.type === 'symlink') await this.#clear(path)
    await this.#fs.write(path, new Uint8Array(0), { mode: print.mode })
    opened(place, () => accessSync(hostPath(place), constants.R_OK))
    for (const piece of hostPieces(place)) await this.#fs.append(path, piece)
    await this.#dress(one)
  }

  /** Moves a file or a whole directory into the stage, where that is on the same disk. */
  async #move({ path, place, type }: Present): Promise<boolean> {
    const { staged } = this.#mount.mount
    const upper = staged?.upper
    if (staged === null || !(upper instanceof HostFileSystem)) return false
    if (!this.#isSameDisk(upper)) return false
    await staged.overlay.install(path, type, () => {
      if (!upper.moveIn(place, path)) throw new FileSystemError('EXDEV', path)
    })
    return true
  }

  #isSameDisk(upper: HostFileSystem): boolean {
    this.#onSameDisk ??= statSync(upper.root).dev === statSync(this.#mount.place).dev
    return this.#onSameDisk
  }

  async #dress({ path, print: { mode, mtimeMs, uid, gid } }: Present): Promise<void> {
    if (!this.#fs.capabilities.attributes) return
    await this.#fs.setattr(path, { mode, mtimeMs: toMicroseconds(mtimeMs), ...(isSuperuser() && { uid, gid }) })
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
          if (source instanceof HostFileSystem) return { type: 'file', mode, size, sha256: hostDigest(source.placeOf(path)), stamp: null }
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
