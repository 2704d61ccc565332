import { FileSystemError } from '../errors.ts'
import type { FileStat, FileSystem } from '../fs/file-system.ts'
import { type Steps, wait } from '../fs/maybe.ts'
import { emptyNames, type NameMap, setName } from '../fs/name-map.ts'
import { join } from '../fs/path.ts'
import type { ContentRun, EntryAttributes, FileEntry, LinkGroup, StoredContent, SymlinkEntry } from './content-entries.ts'
import { CONTENT_RUN, encodeTree, NO_CONTENT, SHORT_CONTENT } from './content-entries.ts'
import { type NameStoring, type StoredEntry, storeNames } from './content-names.ts'
import { isStored, type PackSet, PackUnion } from './content-packs.ts'
import type { ContentSink } from './content-sink.ts'

/** What any file system holds, as stored content. Files whose stamps are what they were aren't read again. */
export class ListedContent {
  readonly #readings = new WeakMap<FileSystem, ReadonlyMap<string, Reading>>()

  /** Stores everything: the id of the tree, and where it lies. `now` is when this begins. */
  save(fs: FileSystem, sink: ContentSink, now: number): Steps<{ readonly id: string; readonly packs: PackSet }> {
    return this.#save(fs, sink, now)
  }

  *#save(fs: FileSystem, sink: ContentSink, now: number): Steps<{ readonly id: string; readonly packs: PackSet }> {
    const root = yield* wait(fs.lstat('/'))
    const pass: Pass = { fs, sink, now, owner: root, known: this.#readings.get(fs), readings: new Map(), links: new Map(), bytes: 0 }
    const found = yield* list(pass, '/')
    yield* sink.begin(pass.bytes)
    const storing: NameStoring<Found> = { sink, known: null, entry: (of) => entryOf(pass, of, storing) }
    const union = new PackUnion()
    const names = yield* storeNames(found, storing)
    union.add(names.packs)
    const links: LinkGroup[] = []
    for (const { stat, paths } of pass.links.values()) {
      if (paths.length < 2) continue
      paths.sort()
      const { entry, packs } = yield* leafOf(pass, paths[0] as string, stat)
      union.add(packs)
      links.push({ entry, paths })
    }
    links.sort((a, b) => ((a.paths[0] as string) < (b.paths[0] as string) ? -1 : 1))
    const { mode, mtimeMs } = root
    const { hash, pack } = sink.add(
      encodeTree({ root: { type: 'directory', mode, mtimeMs, uid: null, gid: null, names: names.hash }, links }),
    )
    union.add(pack.alone)
    this.#readings.set(fs, pass.readings)
    return { id: hash, packs: union.done() }
  }
}

/** What is known of a file that was read. */
interface Reading {
  readonly stamp: string
  readonly content: StoredContent
  readonly packs: PackSet
}

/** One look at a whole file system. */
interface Pass {
  readonly fs: FileSystem
  readonly sink: ContentSink
  readonly now: number
  readonly owner: Pick<FileStat, 'uid' | 'gid'>
  readonly known: ReadonlyMap<string, Reading> | undefined
  readonly readings: Map<string, Reading>
  /** Files that have several names, by their numbers. */
  readonly links: Map<string, { readonly stat: FileStat; readonly paths: string[] }>
  /** Of all files that were found. */
  bytes: number
}

/** A name that was found; of a directory, with what it holds. */
interface Found {
  readonly path: string
  readonly stat: FileStat
  readonly below: NameMap<Found> | null
}

function* list(pass: Pass, directory: string): Steps<NameMap<Found>> {
  const owner = {}
  let names = emptyNames<Found>(owner)
  for (const { name } of yield* wait(pass.fs.readdir(directory))) {
    const path = join(directory, name)
    const stat = yield* wait(pass.fs.lstat(path))
    if (stat.type === 'character-device' || stat.type === 'fifo') throw new FileSystemError('ENOTSUP', path)
    if (stat.type === 'file') pass.bytes += stat.size
    if (stat.type !== 'directory' && stat.nlink > 1) {
      const key = linkKey(stat)
      const group = pass.links.get(key)
      if (group === undefined) pass.links.set(key, { stat, paths: [path] })
      else group.paths.push(path)
    }
    names = setName(names, name, { path, stat, below: stat.type === 'directory' ? yield* list(pass, path) : null }, owner)
  }
  return names
}

function* entryOf(pass: Pass, { path, stat, below }: Found, storing: NameStoring<Found>): Steps<StoredEntry> {
  if (below !== null) {
    const { hash, packs, hasLinks } = yield* storeNames(below, storing)
    return { entry: { type: 'directory', ...attributesOf(pass, stat), names: hash }, packs, hasLinks }
  }
  if (stat.nlink > 1 && (pass.links.get(linkKey(stat))?.paths.length ?? 0) > 1) {
    return { entry: { type: 'linked', kind: stat.type === 'symlink' ? 'symlink' : 'file' }, packs: [], hasLinks: true }
  }
  return { ...(yield* leafOf(pass, path, stat)), hasLinks: false }
}

function* leafOf(pass: Pass, path: string, stat: FileStat): Steps<{ entry: FileEntry | SymlinkEntry; packs: PackSet }> {
  const attributes = attributesOf(pass, stat)
  if (stat.type === 'symlink') return { entry: { type: 'symlink', ...attributes, target: yield* wait(pass.fs.readlink(path)) }, packs: [] }
  const stamp = [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino].join(' ')
  const known = pass.known?.get(path)
  const reading = known?.stamp === stamp && isStored(known.packs) ? known : { stamp, ...(yield* read(pass, path, stat.size)) }
  // A file that was changed just now may change again without its times telling.
  if (Math.max(stat.mtimeMs, stat.ctimeMs) + SETTLED_MS < pass.now) pass.readings.set(path, reading)
  return { entry: { type: 'file', ...attributes, content: reading.content }, packs: reading.packs }
}

function* read({ fs, sink }: Pass, path: string, size: number): Steps<{ content: StoredContent; packs: PackSet }> {
  if (size === 0) return { content: NO_CONTENT, packs: [] }
  if (size <= SHORT_CONTENT) return { content: { type: 'short', bytes: whole(path, size, yield* wait(fs.read(path))).slice() }, packs: [] }
  const union = new PackUnion()
  const runs: ContentRun[] = []
  for (let at = 0; at < size; at += CONTENT_RUN) {
    const length = Math.min(CONTENT_RUN, size - at)
    const bytes = whole(path, length, yield* wait(fs.read(path, at, length)))
    const { hash, pack } = sink.add(bytes)
    runs.push(hash)
    union.add(pack.alone)
    yield* sink.room()
  }
  return { content: { type: 'runs', size, runs }, packs: union.done() }
}

/** Fails where a file was changed while it was read. */
function whole(path: string, length: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length !== length) throw new FileSystemError('ESTALE', path)
  return bytes
}

function attributesOf({ owner }: Pass, { mode, mtimeMs, uid, gid }: FileStat): EntryAttributes {
  return { mode, mtimeMs, uid: uid === owner.uid ? null : uid, gid: gid === owner.gid ? null : gid }
}

function linkKey({ dev, ino }: FileStat): string {
  return `${dev}:${ino}`
}

/** Milliseconds after which a change would show in a file's times. */
const SETTLED_MS = 2000
