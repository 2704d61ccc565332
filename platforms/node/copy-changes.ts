import { chmodSync, lstatSync } from 'node:fs'
import { join } from '../../src/fs/path.ts'
import type { CopiedDirectory, CopiedEntry, CopiedMount, Print } from './copied-tree.ts'
import { isSamePrint, printOf } from './copied-tree.ts'
import { hostEntries } from './host-names.ts'
import type { JobCopy } from './job-copy.ts'
import { hostPath, readLinkText } from './node-directories.ts'
import { hasHostCode } from './node-file-error.ts'
import { isSuperuser } from './superuser.ts'

/** What a process left in the copy of a mount, as far as it may be other than what was copied. Paths are those of the mount. */
export interface CopyChanges {
  /** What is no more, with everything in it. */
  readonly removed: readonly Removed[]
  /** What is there, each after the directory that holds it; of files with several names all of these. */
  readonly present: readonly Present[]
  /** What can't be kept. */
  readonly warnings: readonly string[]
}

export interface Removed {
  readonly path: string
  readonly entry: CopiedEntry
}

export interface Present {
  readonly path: string
  readonly place: string
  readonly type: 'file' | 'directory' | 'symlink'
  readonly print: Print
  /** How many names it has. */
  readonly links: number
  /** What was there before, and still is of that kind; undefined for what is new. */
  readonly before: CopiedEntry | undefined
  /** A new directory with nothing in it but what can be kept, each under one name. */
  isWhole: boolean
}

/** Compares the copy of a mount with what is known of it. Only looks at names and attributes, and texts of links. */
export function copyChanges(copy: JobCopy, { prefix, place, root }: CopiedMount): CopyChanges {
  const removed: Removed[] = []
  const present: Present[] = []
  const warnings: string[] = []
  /** True where all that was found can be kept, each under one name. */
  const walk = (path: string, at: string, before: CopiedDirectory | undefined): boolean => {
    let isWhole = true
    const leave = (why: string): void => {
      isWhole = false
      warnings.push(why)
    }
    const found =
      before === undefined || isDirectory(at) ? new Map(opened(at, () => hostEntries(at)).map(({ name, type }) => [name, type])) : new Map()
    for (const [name, entry] of before?.names ?? []) {
      if (found.get(name) !== entry.type) removed.push({ path: join(path, name), entry })
    }
    for (const [name, type] of found) {
      const inner = join(path, name)
      const whole = prefix === '/' ? inner : prefix + inner
      if (copy.isMountPoint(whole)) {
        isWhole = false
        continue
      }
      if (copy.rules?.standing(whole) !== undefined) {
        leave(`${whole.slice(1)} is denied: what the command made there is not kept`)
        continue
      }
      if (type === 'fifo' || type === 'character-device') {
        leave(`${whole.slice(1)} is a pipe, socket or device: it is not kept`)
        continue
      }
      if (name.startsWith('.wh.')) {
        leave(`${whole.slice(1)}: names that start with .wh. are not kept`)
        continue
      }
      const where = join(at, name)
      const stat = lstatSync(hostPath(where))
      const print = printOf(stat)
      const old = before?.names.get(name)
      const same = old?.type === type ? old : undefined
      const isShared = type === 'file' && stat.nlink > 1
      const one: Present = { path: inner, place: where, type, print, links: stat.nlink, before: same, isWhole: false }
      if (isShared || isChanged(where, type, print, same)) present.push(one)
      if (isShared) isWhole = false
      if (type !== 'directory') continue
      one.isWhole = walk(inner, where, same?.type === 'directory' ? same : undefined) && same === undefined && isOpen(print.mode)
      if (!one.isWhole) isWhole = false
    }
    return isWhole
  }
  walk('/', place, root)
  return { removed, present, warnings }
}

function isDirectory(place: string): boolean {
  return lstatSync(hostPath(place), { throwIfNoEntry: false })?.isDirectory() === true
}

/** Runs a call on what the process may have closed to its own user. */
export function opened<T>(place: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!hasHostCode(error, 'EACCES')) throw error
    chmodSync(hostPath(place), 0o700)
    return call()
  }
}

/** True for the mode of a directory that its user may do everything with. */
function isOpen(mode: number): boolean {
  return (mode & 0o700) === 0o700 || isSuperuser()
}

function isChanged(place: string, type: Present['type'], print: Print, before: CopiedEntry | undefined): boolean {
  if (before === undefined) return true
  switch (before.type) {
    case 'directory':
      return type !== 'directory' || print.mode !== before.print.mode || print.uid !== before.print.uid || print.gid !== before.print.gid
    case 'symlink':
      return readLinkText(place) !== before.target
    case 'file':
      return !isSamePrint(print, before.print)
    default:
      return before satisfies never
  }
}
