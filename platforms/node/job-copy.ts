import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { WorkspaceError } from '../../src/errors.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../src/fs/memory.ts'
import { basename, dirname, isWithin, join, splitPath } from '../../src/fs/path.ts'
import { deniedPaths } from '../../src/job/access.ts'
import type { Attempt } from '../../src/job/executor.ts'
import type { JobMount } from '../../src/job/stage.ts'
import { compilePathRules, type PathRules } from '../../src/policy/path-rules.ts'
import { type CopiedDirectory, type CopiedEntry, type CopiedMount, printOf } from './copied-tree.ts'
import { type CopyPlace, type CopyPlaces, copyPlaces } from './copy-places.ts'
import { copyTree } from './copy-tree.ts'
import { HostFileSystem } from './host-file-system.ts'
import { hostPath } from './node-directories.ts'

/** A Job's files as a folder of the host, where a process can work with them. */
export interface JobCopy {
  /** The folder that stands for the root of the Job's files. */
  readonly root: string
  readonly mounts: readonly CopiedMount[]
  readonly places: CopyPlaces
  readonly rules: PathRules | null
  /** What is made in a copy there, besides the mounts, is made for them: paths of the workspace. */
  readonly isMountPoint: (path: string) => boolean
  /** The host path of a path of the workspace. */
  placeOf(path: string): string
  remove(): void
}

/** What says what is copied, and how. */
export type CopiedAttempt = Pick<Attempt, 'mounts' | 'purpose' | 'access' | 'fields'>

/**
 * Copies everything that a Job's command sees into a new folder in `folder`. A folder of the host that is mounted to be written to at once is not
 * copied: a link leads there. CAPABILITY_UNSUPPORTED where a mount is below something that is no directory.
 */
export async function copyJob(attempt: CopiedAttempt, folder: string): Promise<JobCopy> {
  const own = mkdtempSync(join(realpathSync(folder), 'mirage-job-'))
  try {
    return await fill(attempt, own)
  } catch (error) {
    removeFolder(own)
    throw error
  }
}

async function fill(attempt: CopiedAttempt, own: string): Promise<JobCopy> {
  const rules = rulesOf(attempt)
  const byDepth = Array.from(attempt.mounts).sort(([a], [b]) => a.length - b.length)
  const root = join(own, nameOfRoot(attempt.mounts.get('/')))
  const placeOf = (path: string): string => (path === '/' ? root : root + path)
  const places = copyPlaces(
    byDepth.filter(([, mount]) => !isLinked(attempt, mount)).map(([prefix, mount]) => placeOfMount(prefix, mount, placeOf(prefix))),
  )
  const points = new Set(attempt.mounts.keys())
  const isMountPoint = (path: string): boolean => points.has(path)
  const mounts: CopiedMount[] = []
  if (!points.has('/')) mkdirSync(root)
  for (const [prefix, mount] of byDepth) {
    const place = placeOf(prefix)
    if (prefix !== '/') makeWay(root, prefix, mounts)
    if (isLinked(attempt, mount)) {
      symlinkSync((mount.fs as HostFileSystem).root, hostPath(place))
      continue
    }
    const source = asItIs(mount.staged?.lower ?? mount.fs)
    const copy = {
      source,
      staged: await withChanges(mount),
      prefix,
      rules,
      isMountPoint,
      toCopy: places.toCopy,
      isOwn: (at: string) => at === own,
    }
    mounts.push({ prefix, mount, place, source, root: await copyTree(copy, place) })
  }
  await untilTimesDiffer(own)
  return { root, mounts, places, rules, isMountPoint, placeOf, remove: () => removeFolder(own) }
}

/** As the folder that it is a copy of: some programs use the name. */
function nameOfRoot(mount: JobMount | undefined): string {
  const lower = mount?.staged?.lower ?? mount?.fs
  return (lower instanceof HostFileSystem && basename(lower.root)) || 'files'
}

/** True for a folder of the host that the command writes to at once. */
function isLinked({ purpose }: Pick<Attempt, 'purpose'>, { fs, staged, mode }: JobMount): boolean {
  return purpose === 'run' && staged === null && mode !== 'read' && fs instanceof HostFileSystem
}

function placeOfMount(prefix: string, { fs, staged }: JobMount, copy: string): CopyPlace {
  const lower = staged?.lower ?? fs
  return { from: lower instanceof HostFileSystem ? [lower.root, lower.givenRoot] : [prefix], copy }
}

/** What is denied to the session is denied to the process. */
function rulesOf({ access, fields }: CopiedAttempt): PathRules | null {
  const { hide, deny } = fields.rules.paths
  const entries = [...hide, ...deny, ...deniedPaths(access)]
  return entries.length === 0 ? null : compilePathRules(entries)
}

/** A file system as it is now, where that can be had, whatever is done to it meanwhile. */
function asItIs(fs: FileSystem): FileSystem {
  return fs instanceof RAMFileSystem ? fs.fork() : fs
}

/** The stage, if there is something in it. */
async function withChanges({ staged }: JobMount): Promise<JobMount['staged']> {
  return staged !== null && (await staged.upper.readdir('/')).length > 0 ? staged : null
}

/** Makes the directories above a mount that are not there, and says so in what is known of the copy. */
function makeWay(root: string, prefix: string, mounts: readonly CopiedMount[]): void {
  let place = root
  for (const name of splitPath(dirname(prefix))) {
    place = join(place, name)
    const stat = lstatSync(hostPath(place), { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) continue
    if (stat !== undefined)
      throw new WorkspaceError(
        'CAPABILITY_UNSUPPORTED',
        `mount '${prefix}' is below '${place.slice(root.length)}', which is no directory: a process can't see it there`,
      )
    mkdirSync(hostPath(place))
    noteDirectory(place.slice(root.length), place, mounts)
  }
}

function noteDirectory(path: string, place: string, mounts: readonly CopiedMount[]): void {
  const above = mounts.findLast(({ prefix }) => isWithin(path, prefix))
  if (above === undefined) return
  const inner = above.prefix === '/' ? path : path.slice(above.prefix.length)
  let directory: CopiedDirectory | undefined = above.root
  for (const name of splitPath(dirname(inner))) {
    const next: CopiedEntry | undefined = directory?.names.get(name)
    directory = next?.type === 'directory' ? next : undefined
  }
  const print = printOf(lstatSync(hostPath(place)))
  directory?.names.set(basename(inner), { type: 'directory', print, origin: null, names: new Map(), leftOut: new Map() })
}

/** Waits until what is changed gets another time than what was copied, which is a few milliseconds for most disks. */
async function untilTimesDiffer(folder: string): Promise<void> {
  const probe = join(folder, 'probe')
  const look = (): number => {
    writeFileSync(probe, '')
    const { ctimeMs } = lstatSync(probe)
    unlinkSync(probe)
    return ctimeMs
  }
  const first = look()
  for (let waited = 0; look() === first && waited < LONGEST_TICK; waited++) await setTimeout(1)
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Milliseconds: what the coarsest disks tell apart. */
const LONGEST_TICK = 2100
