import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { encode } from '../../../src/bytes.ts'
import { hasCode } from '../../../src/errors.ts'
import { digestOf } from '../../../src/job/digest.ts'
import type { RunRecord } from '../../../src/job/job-documents.ts'
import type { JobPlace, JobStorage } from '../../../src/job/job-storage.ts'
import { PrefixedStore } from '../../../src/store/prefixed-store.ts'
import { DiskStore } from '../disk-store.ts'
import { HostFileSystem } from '../host-file-system.ts'

/** Jobs as folders: each in the run home under its id, or where its stage was asked for. */
export interface JobFolders extends JobStorage {
  /** Where Jobs without a folder of their own are. */
  readonly home: string
  /** The folder of a Job. */
  folder(id: string): string
  /** Says that the Job of that id has a folder of its own. */
  assign(id: string, folder: string): void
  /** Lets a Job that has a folder of its own be found by its id, too. */
  publish(id: string): void
  /** Removes a Job that never was. */
  forget(id: string): void
}

/** What `run.json` tells of a Job before it is opened. */
export interface FoundJob {
  readonly id: string
  readonly folder: string
  readonly record: RunRecord
  /** It is in a folder of its own, outside the run home. */
  readonly elsewhere: boolean
}

/** `$MIRAGE_RUN_HOME`, or `~/.mirage/runs`. */
export function defaultRunHome(): string {
  const set = process.env.MIRAGE_RUN_HOME
  return set === undefined || set === '' ? join(homedir(), '.mirage/runs') : set
}

export function jobFolders(runHome: string): JobFolders {
  const home = resolve(runHome)
  const assigned = new Map<string, string>()
  const folder = (id: string): string => assigned.get(id) ?? join(home, id)
  return {
    home,
    folder,
    assign: (id, path) => {
      assigned.set(id, path)
    },
    publish: (id) => {
      if (assigned.has(id)) linkTo(folder(id), home, id)
    },
    forget: (id) => {
      rmSync(folder(id), { recursive: true, force: true })
      rmSync(join(home, id), { force: true })
    },
    list: () => foundJobs(home).map(({ id }) => id),
    lockTarget: (target) => new DiskStore(join(home, '.locks')).lease(digestOf(encode(target))),
    place: (id) => placeIn(folder(id)),
  }
}

function linkTo(folder: string, home: string, id: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  try {
    symlinkSync(folder, join(home, id), 'dir')
  } catch (error) {
    // It is found by its folder, then: there are file systems without links, and systems where few may make them.
    if (!hasCode(error, 'EPERM') && !hasCode(error, 'EEXIST')) throw error
  }
}

function placeIn(folder: string): JobPlace {
  const store = new DiskStore(folder)
  const upper = (prefix: string): string =>
    prefix === '/' ? join(folder, 'upper') : join(folder, 'uppers', encodeURIComponent(prefix.slice(1)))
  return {
    location: folder,
    store,
    objects: new PrefixedStore(store, 'objects/'),
    documents: {
      get: (key) => store.get(key),
      // Not the files of the stage, and what is worked on meanwhile.
      list: () => [...filesIn(folder), ...store.list('checkpoints/')],
    },
    upper: (prefix) => {
      mkdirSync(upper(prefix), { recursive: true, mode: 0o700 })
      return new HostFileSystem({ root: upper(prefix) })
    },
    clearUpper: (prefix) => rmSync(upper(prefix), { recursive: true, force: true }),
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

/** The Jobs that the run home knows, in no particular order. */
export function foundJobs(home: string): readonly FoundJob[] {
  let names: readonly string[]
  try {
    names = readdirSync(home)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
  return names.flatMap((name) => jobIn(join(home, name), lstatSync(join(home, name)).isSymbolicLink()) ?? [])
}

/** The Job whose folder that is; null where it is none. */
export function jobIn(folder: string, elsewhere: boolean): FoundJob | null {
  let text: string
  try {
    text = readFileSync(join(folder, 'run.json'), 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP')) return null
    throw error
  }
  const record = parsed(text)
  return record === null ? null : { id: record.run_id, folder, record, elsewhere }
}

/** The Job whose folder holds a path; null where none does. */
export function jobAround(path: string): FoundJob | null {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = existsSync(join(folder, 'run.json')) ? jobIn(folder, true) : null
    if (found !== null || folder === dirname(folder)) return found
  }
}

/** A record; null for a text that is none. */
function parsed(text: string): RunRecord | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'run_id' in value && 'workspace' in value ? (value as RunRecord) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
