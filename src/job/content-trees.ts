import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Piece } from '../fs/content.ts'
import { DirectoryNode, type Entry, FileNode, type Leaf, LinkedNode, SymlinkNode, saltOf, Tree } from '../fs/memory-nodes.ts'
import { emptyNames, mapOfParts, type NameMap, setName } from '../fs/name-map.ts'
import { join } from '../fs/path.ts'
import type { ContentEntry, ContentRun, DirectoryEntry, EntryAttributes, FileEntry, StoredTree, SymlinkEntry } from './content-entries.ts'
import { CONTENT_RUN, decodeNames } from './content-entries.ts'
import type { MemoryContent } from './content-memory.ts'
import type { StoredPart } from './content-names.ts'
import { type ContentPacks, type PackSet, PackUnion } from './content-packs.ts'

/** Makes trees in memory of stored ones. What two of them have in common they share. */
export class ContentTrees {
  readonly #memory: MemoryContent
  readonly #packs: ContentPacks
  /** What was made, by hash, as long as somebody has it. */
  readonly #made = new Map<string, WeakRef<NameMap<Entry>>>()
  readonly #parts = new WeakMap<NameMap<Entry>, Part>()
  #sweepAt = 1024
  #nextIno = 2
  #copies = 0

  constructor(memory: MemoryContent, packs: ContentPacks) {
    this.#memory = memory
    this.#packs = packs
  }

  /** CORRUPT where an object is missing. */
  make(stored: StoredTree, objects: ReadonlyMap<string, Uint8Array>): Tree {
    const making: Making = { owner: {}, objects, links: new Map() }
    const leaves = stored.links.map(({ entry, paths }) => {
      const node = this.#leaf(entry, making)
      node.rare = { atimeMs: node.mtimeMs, ctimeMs: node.mtimeMs, uid: entry.uid, gid: entry.gid, nlink: paths.length }
      const link = new LinkedNode(String(node.ino), node.type)
      for (const path of paths) making.links.set(path, link)
      return node
    })
    const part = this.#part(stored.root.names, '/', making)
    const tree = new Tree(making.owner, this.#directory(stored.root, part, making))
    for (const node of leaves) {
      tree.links = setName<Leaf>(tree.links, String(node.ino), node, making.owner)
      tree.linkCount += 1
      tree.linkedBytes += node.size
    }
    tree.nextIno = this.#nextIno
    tree.copies = this.#copies
    return tree
  }

  #part(hash: string, path: string, making: Making): Part {
    const made = this.#made.get(hash)?.deref()
    const known = made === undefined ? undefined : this.#parts.get(made)
    if (known !== undefined) return known
    const names = decodeNames(objectOf(making.objects, hash))
    const part = names.type === 'names' ? this.#few(hash, names.names, path, making) : this.#many(hash, names.parts, path, making)
    this.#memory.keepNames(part.map, part.stored)
    // What has links belongs to one tree and one place in it.
    if (!part.stored.hasLinks) this.#keep(hash, part)
    return part
  }

  #many(hash: string, parts: readonly (string | null)[], path: string, making: Making): Part {
    const sum = this.#sum(hash)
    const slots = parts.map((below) => {
      if (below === null) return undefined
      const part = this.#part(below, path, making)
      sum.add(part.stored.packs, part, part.stored.hasLinks)
      return part.map
    })
    return sum.done(mapOfParts(making.owner, { parts: slots }))
  }

  #few(hash: string, names: readonly (readonly [string, ContentEntry])[], path: string, making: Making): Part {
    const sum = this.#sum(hash)
    const entries = new Map<string, Entry>()
    for (const [name, entry] of names) {
      if (name === '' || name === '.' || name === '..' || name.includes('/'))
        throw new WorkspaceError('CORRUPT', `stored content has the name '${name}'`)
      const at = join(path, name)
      switch (entry.type) {
        case 'linked': {
          const link = making.links.get(at)
          if (link === undefined) throw new WorkspaceError('CORRUPT', `stored content doesn't say what '${at}' is`)
          entries.set(name, link)
          sum.add([], { ...NOTHING, names: 1, namesBelow: 1 }, true)
          break
        }
        case 'directory': {
          const part = this.#part(entry.names, at, making)
          entries.set(name, this.#directory(entry, part, making))
          const { bytesBelow, namesBelow } = part
          sum.add(part.stored.packs, { names: 1, directories: 1, bytesBelow, namesBelow: namesBelow + 1 }, part.stored.hasLinks)
          break
        }
        case 'file':
        case 'symlink': {
          const node = this.#leaf(entry, making)
          entries.set(name, node)
          sum.add(this.#packsOf(entry), { ...NOTHING, names: 1, namesBelow: 1, bytesBelow: node.size }, false)
          break
        }
        default:
          entry satisfies never
      }
    }
    return sum.done(names.length === 0 ? emptyNames(making.owner) : mapOfParts(making.owner, { names: entries }))
  }

  #directory(entry: DirectoryEntry, part: Part, { owner }: Making): DirectoryNode {
    const { mode, mtimeMs } = entry
    const node = new DirectoryNode(owner, this.#nextIno++, mode, mtimeMs, part.map)
    // What is below may be in other places, too, and has other numbers there.
    node.salt = saltOf(++this.#copies)
    node.rare = rareOf(entry)
    node.names = part.names
    node.directories = part.directories
    node.bytesBelow = part.bytesBelow
    node.namesBelow = part.namesBelow
    return node
  }

  #leaf(entry: FileEntry | SymlinkEntry, { owner, objects }: Making): FileNode | SymlinkNode {
    const { mode, mtimeMs } = entry
    const ino = this.#nextIno++
    if (entry.type === 'symlink') {
      const node = new SymlinkNode(owner, ino, entry.target, encode(entry.target).length, mtimeMs)
      node.mode = mode
      node.rare = rareOf(entry)
      return node
    }
    const node = new FileNode(owner, ino, mode, mtimeMs)
    node.rare = rareOf(entry)
    const { content } = entry
    if (content.type === 'short') fill(node, content.bytes)
    else {
      fillRuns(node, content.size, content.runs, objects)
      this.#memory.keepContent(node, { content, packs: this.#packsOf(entry) })
    }
    return node
  }

  #packsOf(entry: FileEntry | SymlinkEntry): PackSet {
    const union = new PackUnion()
    if (entry.type === 'file' && entry.content.type === 'runs')
      for (const run of entry.content.runs) if (typeof run === 'string') union.add(this.#place(run))
    return union.done()
  }

  #place(hash: string): PackSet {
    const pack = this.#packs.find(hash)
    if (pack === undefined) throw missing(hash)
    return pack.alone
  }

  #sum(hash: string): { add(packs: PackSet, of: Totals, hasLinks: boolean): void; done(map: NameMap<Entry>): Part } {
    const union = new PackUnion()
    let hasLinks = false
    let { names, directories, bytesBelow, namesBelow } = NOTHING
    return {
      add: (packs, of, withLinks) => {
        union.add(packs)
        hasLinks ||= withLinks
        names += of.names
        directories += of.directories
        bytesBelow += of.bytesBelow
        namesBelow += of.namesBelow
      },
      done: (map) => {
        union.add(this.#place(hash))
        return { map, names, directories, bytesBelow, namesBelow, stored: { hash, packs: union.done(), hasLinks } }
      },
    }
  }

  #keep(hash: string, part: Part): void {
    this.#parts.set(part.map, part)
    this.#made.set(hash, new WeakRef(part.map))
    if (this.#made.size < this.#sweepAt) return
    for (const [old, made] of this.#made) if (made.deref() === undefined) this.#made.delete(old)
    this.#sweepAt = Math.max(1024, this.#made.size * 2)
  }
}

/** What a directory sums up. */
interface Totals {
  readonly names: number
  readonly directories: number
  readonly bytesBelow: number
  readonly namesBelow: number
}

/** Names that were made, with their sums. */
interface Part extends Totals {
  readonly map: NameMap<Entry>
  readonly stored: StoredPart
}

interface Making {
  readonly owner: object
  readonly objects: ReadonlyMap<string, Uint8Array>
  /** Names of files that have several, by path. */
  readonly links: Map<string, LinkedNode>
}

const NOTHING: Totals = { names: 0, directories: 0, bytesBelow: 0, namesBelow: 0 }

function rareOf({ mtimeMs, uid, gid }: EntryAttributes): FileNode['rare'] {
  return uid === null && gid === null ? null : { atimeMs: mtimeMs, ctimeMs: mtimeMs, uid, gid, nlink: 0 }
}

function fill(node: FileNode, bytes: Uint8Array): void {
  if (bytes.length === 0) return
  node.size = bytes.length
  node.chunk = { bytes, used: bytes.length, owner: null }
}

function fillRuns(node: FileNode, size: number, runs: readonly ContentRun[], objects: ReadonlyMap<string, Uint8Array>): void {
  const [only] = runs
  if (runs.length === 1 && typeof only === 'string') {
    fill(node, runOf(objects, only, size))
    return
  }
  const pieces: Piece[] = []
  let start = 0
  for (const run of runs) {
    const length = Math.min(typeof run === 'number' ? run * CONTENT_RUN : CONTENT_RUN, size - start)
    const bytes = typeof run === 'number' ? null : runOf(objects, run, length)
    pieces.push({ start, length, chunk: bytes === null ? null : { bytes, used: length, owner: null }, at: 0 })
    start += length
  }
  if (start !== size) throw new WorkspaceError('CORRUPT', `stored content has ${start} bytes of a file of ${size}`)
  node.size = size
  node.pieces = pieces
}

function runOf(objects: ReadonlyMap<string, Uint8Array>, hash: string, length: number): Uint8Array {
  const bytes = objectOf(objects, hash)
  if (bytes.length !== length) throw new WorkspaceError('CORRUPT', `stored content ${hash} has ${bytes.length} bytes instead of ${length}`)
  return bytes
}

function objectOf(objects: ReadonlyMap<string, Uint8Array>, hash: string): Uint8Array {
  const bytes = objects.get(hash)
  if (bytes === undefined) throw missing(hash)
  return bytes
}

function missing(hash: string): WorkspaceError {
  return new WorkspaceError('CORRUPT', `stored content ${hash} is missing`)
}
