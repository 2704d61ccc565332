import type { FileStat, FileSystem } from '../fs/file-system.ts'
import { type Steps, wait } from '../fs/maybe.ts'
import { dirname, isWithin, join } from '../fs/path.ts'
import { isStill, lstatIfAny, stampOf } from './baseline.ts'
import type { NetChange } from './changes.ts'
import type { StagedMount } from './stage.ts'

/** Changes of one mount, and where they go. */
export interface MountPlan {
  readonly prefix: string
  readonly staged: StagedMount
  readonly target: FileSystem
  /** In the order of paths: what is above comes first. */
  readonly changes: readonly NetChange[]
}

/** What the look before writing found, by path: to be compared just before each change. */
export type Seen = Map<string, string>

/** Paths at which the target isn't what it was when the Job first touched them. */
export function* conflictsOf(plan: MountPlan, seen: Seen): Steps<readonly string[]> {
  const { target, staged, changes } = plan
  const conflicts: string[] = []
  const made = new Set(changes.filter(({ after }) => after.type === 'directory').map(({ inner }) => inner))
  const directories = new Set<string>(['/'])
  for (const change of changes) {
    const { inner, before } = change
    const isReachable = yield* hasDirectories(target, dirname(inner), directories, made)
    if (!isReachable && before.type !== 'absent') conflicts.push(change.path)
    else if (!isReachable) conflicts.push(`${change.path} (the directory it was in)`)
    else if (!(yield* isStill(target, inner, before))) conflicts.push(change.path)
    else if (before.type === 'directory' && change.after.type !== 'directory')
      for (const path of yield* strangersIn(target, inner, staged)) conflicts.push(shown(change, path))
    seen.set(inner, yield* stampAt(target, inner))
  }
  return conflicts
}

/** What distinguishes the versions of what is at a path, cheaply. */
export function* stampAt(fs: FileSystem, path: string): Steps<string> {
  const stat = yield* lstatIfAny(fs, path)
  return stat === undefined ? '' : stampOfAny(stat)
}

/** Paths below a directory that the Job never touched, or that are not what they were. */
export function* strangersIn(target: FileSystem, directory: string, { baseline }: StagedMount): Steps<readonly string[]> {
  const strangers: string[] = []
  const waiting = [directory]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name, type } of yield* wait(target.readdir(at))) {
      const path = join(at, name)
      const before = baseline.get(path)
      if (before === undefined || !(yield* isStill(target, path, before))) strangers.push(path)
      else if (type === 'directory') waiting.push(path)
    }
  }
  return strangers
}

function* hasDirectories(fs: FileSystem, path: string, known: Set<string>, made: ReadonlySet<string>): Steps<boolean> {
  for (let at = path; !known.has(at) && !made.has(at); at = dirname(at)) {
    const stat = yield* lstatIfAny(fs, at)
    if (stat?.type !== 'directory') return false
    known.add(at)
  }
  return true
}

/** A directory's size and times change with what is in it. */
function stampOfAny(stat: FileStat): string {
  return stat.type === 'directory' ? `directory:${stat.ino}:${stat.mode}` : stampOf(stat)
}

function shown({ path, inner }: NetChange, other: string): string {
  return isWithin(other, inner) ? path + other.slice(inner.length) : path
}
