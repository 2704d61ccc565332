import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import { ByteReader, ByteWriter } from './content-bytes.ts'

/** What a stored tree says of a name. */
export type ContentEntry = FileEntry | SymlinkEntry | DirectoryEntry | LinkedEntry

/** What files, links and directories have in common. */
export interface EntryAttributes {
  readonly mode: number
  readonly mtimeMs: number
  /** Null: whoever the file system gives new files to. */
  readonly uid: number | null
  readonly gid: number | null
}

export interface FileEntry extends EntryAttributes {
  readonly type: 'file'
  readonly content: StoredContent
}

export interface SymlinkEntry extends EntryAttributes {
  readonly type: 'symlink'
  readonly target: string
}

export interface DirectoryEntry extends EntryAttributes {
  readonly type: 'directory'
  /** Hash of the names it holds. */
  readonly names: string
}

/** One of the names of a file or link that has several: what it is stands in the tree's own record. */
export interface LinkedEntry {
  readonly type: 'linked'
  readonly kind: 'file' | 'symlink'
}

/** The bytes of a file: short ones as they are, others as runs of {@link CONTENT_RUN} bytes of which the last may be shorter. */
export type StoredContent =
  | { readonly type: 'short'; readonly bytes: Uint8Array }
  | { readonly type: 'runs'; readonly size: number; readonly runs: readonly ContentRun[] }

/** The hash of a run's bytes, or how many runs of zeros come here. */
export type ContentRun = string | number

export const CONTENT_RUN: number = 1024 * 1024
/** Most bytes that stand in the directory itself. */
export const SHORT_CONTENT = 128
export const NO_CONTENT: StoredContent = { type: 'short', bytes: new Uint8Array(0) }

/** Names of a directory, or of the part of one: either up to 64 of them, or eight parts by the next bits of the names' hashes. */
export type StoredNames =
  | { readonly type: 'names'; readonly names: readonly (readonly [name: string, entry: ContentEntry])[] }
  | { readonly type: 'parts'; readonly parts: readonly (string | null)[] }

/** A whole tree. */
export interface StoredTree {
  readonly root: DirectoryEntry
  readonly links: readonly LinkGroup[]
}

/** A file or link that has several names. */
export interface LinkGroup {
  readonly entry: FileEntry | SymlinkEntry
  /** Absolute, sorted. */
  readonly paths: readonly string[]
}

export function encodeNames(names: StoredNames): Uint8Array {
  const writer = new ByteWriter()
  if (names.type === 'parts') {
    writer.number(PARTS)
    writer.number(names.parts.length)
    for (const part of names.parts) {
      writer.number(part === null ? 0 : 1)
      if (part !== null) writer.hash(part)
    }
    return writer.done()
  }
  writer.number(NAMES)
  writer.number(names.names.length)
  for (const [name, entry] of names.names) {
    writer.text(name)
    writeEntry(writer, entry)
  }
  return writer.done()
}

export function decodeNames(bytes: Uint8Array): StoredNames {
  const reader = new ByteReader(bytes)
  const type = reader.number()
  const count = reader.number()
  if (type === PARTS) {
    const parts: (string | null)[] = []
    for (let i = 0; i < count; i++) parts.push(reader.number() === 0 ? null : reader.hash())
    reader.end()
    return { type: 'parts', parts }
  }
  if (type !== NAMES) throw unknown('a directory', type)
  const names: [string, ContentEntry][] = []
  for (let i = 0; i < count; i++) names.push([reader.text(), readEntry(reader)])
  reader.end()
  return { type: 'names', names }
}

export function encodeTree({ root, links }: StoredTree): Uint8Array {
  const writer = new ByteWriter()
  writer.number(TREE)
  writeEntry(writer, root)
  writer.number(links.length)
  for (const { entry, paths } of links) {
    writeEntry(writer, entry)
    writer.number(paths.length)
    for (const path of paths) writer.text(path)
  }
  return writer.done()
}

export function decodeTree(bytes: Uint8Array): StoredTree {
  const reader = new ByteReader(bytes)
  const type = reader.number()
  if (type !== TREE) throw unknown('a tree', type)
  const root = readEntry(reader)
  if (root.type !== 'directory') throw unknown('a root', root.type)
  const links: LinkGroup[] = []
  for (let count = reader.number(); count > 0; count--) {
    const entry = readEntry(reader)
    if (entry.type !== 'file' && entry.type !== 'symlink') throw unknown('a link', entry.type)
    const paths: string[] = []
    for (let names = reader.number(); names > 0; names--) paths.push(reader.text())
    links.push({ entry, paths })
  }
  reader.end()
  return { root, links }
}

const NAMES = 1
const PARTS = 2
const TREE = 3

const FILE = 0
const DIRECTORY = 1
const SYMLINK = 2
const LINKED_FILE = 3
const LINKED_SYMLINK = 4
/** Added to the kind of an entry that has an owner, or runs. */
const HAS_UID = 8
const HAS_GID = 16
const HAS_RUNS = 32

function writeEntry(writer: ByteWriter, entry: ContentEntry): void {
  if (entry.type === 'linked') {
    writer.number(entry.kind === 'file' ? LINKED_FILE : LINKED_SYMLINK)
    return
  }
  const { uid, gid } = entry
  const kind = entry.type === 'file' ? FILE : entry.type === 'directory' ? DIRECTORY : SYMLINK
  const hasRuns = entry.type === 'file' && entry.content.type === 'runs'
  writer.number(kind + (uid === null ? 0 : HAS_UID) + (gid === null ? 0 : HAS_GID) + (hasRuns ? HAS_RUNS : 0))
  writer.number(entry.mode)
  writer.float(entry.mtimeMs)
  if (uid !== null) writer.number(uid)
  if (gid !== null) writer.number(gid)
  switch (entry.type) {
    case 'file':
      writeContent(writer, entry.content)
      break
    case 'directory':
      writer.hash(entry.names)
      break
    case 'symlink':
      writer.bytes(encode(entry.target))
      break
    default:
      entry satisfies never
  }
}

function writeContent(writer: ByteWriter, content: StoredContent): void {
  if (content.type === 'short') {
    writer.bytes(content.bytes)
    return
  }
  writer.number(content.size)
  writer.number(content.runs.length)
  for (const run of content.runs) {
    writer.number(typeof run === 'number' ? run : 0)
    if (typeof run === 'string') writer.hash(run)
  }
}

function readEntry(reader: ByteReader): ContentEntry {
  const head = reader.number()
  const kind = head % HAS_UID
  if (kind === LINKED_FILE) return { type: 'linked', kind: 'file' }
  if (kind === LINKED_SYMLINK) return { type: 'linked', kind: 'symlink' }
  const attributes: EntryAttributes = {
    mode: reader.number(),
    mtimeMs: reader.float(),
    uid: (head & HAS_UID) === 0 ? null : reader.number(),
    gid: (head & HAS_GID) === 0 ? null : reader.number(),
  }
  if (kind === FILE) return { type: 'file', ...attributes, content: readContent(reader, (head & HAS_RUNS) !== 0) }
  if (kind === DIRECTORY) return { type: 'directory', ...attributes, names: reader.hash() }
  if (kind === SYMLINK) return { type: 'symlink', ...attributes, target: decode(reader.bytes()) }
  throw unknown('an entry', kind)
}

function readContent(reader: ByteReader, hasRuns: boolean): StoredContent {
  if (!hasRuns) return { type: 'short', bytes: reader.bytes() }
  const size = reader.number()
  const runs: ContentRun[] = []
  for (let count = reader.number(); count > 0; count--) {
    const zeros = reader.number()
    runs.push(zeros > 0 ? zeros : reader.hash())
  }
  return { type: 'runs', size, runs }
}

function unknown(what: string, found: string | number): WorkspaceError {
  return new WorkspaceError('CORRUPT', `stored content has ${what} of the unknown kind ${found}`)
}
