import type { Stats } from 'node:fs'
import type { FileStat, FileSystem } from '../../src/fs/file-system.ts'
import type { JobMount } from '../../src/job/stage.ts'

/** A mount as it was copied into a folder of the host, for a process. */
export interface CopiedMount {
  readonly prefix: string
  readonly mount: JobMount
  /** The folder. */
  readonly place: string
  /** What it was copied from, as it was then where that can be had still. */
  readonly source: FileSystem
  readonly root: CopiedDirectory
}

/** What is known of a name that was copied. */
export type CopiedEntry = CopiedDirectory | CopiedFile | CopiedLink

interface Copied {
  print: Print
  /** What the lower layer had there; null where it was the upper one that had it. */
  readonly origin: Origin | null
}

export interface CopiedDirectory extends Copied {
  readonly type: 'directory'
  readonly names: Map<string, CopiedEntry>
  /** Names that were not copied, and why. */
  readonly leftOut: Map<string, LeftOut>
}

export interface CopiedFile extends Copied {
  readonly type: 'file'
}

export interface CopiedLink extends Copied {
  readonly type: 'symlink'
  /** Its text in the copy. */
  readonly target: string
}

export interface Origin {
  readonly stat: FileStat
  /** SHA-256 of a file that could change without a trace, being so new; null for others. */
  readonly sha256: string | null
  /** Text of a link. */
  readonly target: string | null
}

export type LeftOut = 'denied' | 'special' | 'unreadable'

/** What changes with whatever is done to a file of the host. */
export interface Print {
  readonly ino: number
  readonly size: number
  readonly mode: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly uid: number
  readonly gid: number
}

export function printOf({ ino, size, mode, mtimeMs, ctimeMs, uid, gid }: Stats): Print {
  return { ino, size, mode: mode & 0o7777, mtimeMs, ctimeMs, uid, gid }
}

export function isSamePrint(a: Print, b: Print): boolean {
  return a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.mode === b.mode
}
