import { isHole, readContent } from '../fs/content.ts'
import type { Steps } from '../fs/maybe.ts'
import type { DirectoryNode, Entry, FileNode, Leaf, LinkedNode, SymlinkNode, Tree } from '../fs/memory-nodes.ts'
import { getName, type NameMap, partsOf } from '../fs/name-map.ts'
import { join } from '../fs/path.ts'
import type { ContentRun, DirectoryEntry, EntryAttributes, LinkGroup, StoredContent } from './content-entries.ts'
import { CONTENT_RUN, encodeTree, NO_CONTENT, SHORT_CONTENT } from './content-entries.ts'
import { type NameStoring, type StoredEntry, type StoredPart, storeNames } from './content-names.ts'
import { isStored, type PackSet, PackUnion } from './content-packs.ts'
import type { ContentSink } from './content-sink.ts'

interface KeptContent {
  readonly content: StoredContent
  readonly packs: PackSet
}

/**
 * Versions of trees in memory as stored content. What was stored once is known again by its nodes, which never change: so a version costs what is new in it.
 */
export class MemoryContent {
  readonly #names = new WeakMap<NameMap<Entry>, StoredPart>()
  readonly #contents = new WeakMap<FileNode, KeptContent>()

  /** Says what a part of a tree that was made of stored content is. */
  keepNames(map: NameMap<Entry>, stored: StoredPart): void {
    this.#names.set(map, stored)
  }

  namesOf(map: NameMap<Entry>): StoredPart | undefined {
    return this.#names.get(map)
  }

  keepContent(node: FileNode, kept: KeptContent): void {
    this.#contents.set(node, kept)
  }

  /** Stores a version: its id, and where it lies. */
  *save(tree: Tree, sink: ContentSink): Steps<{ readonly id: string; readonly packs: PackSet }> {
    const storing: NameStoring<Entry> = { sink, known: this.#names, entry: (entry) => this.#entry(entry, storing) }
    yield* sink.begin(tree.bytes)
    const union = new PackUnion()
    const names = yield* storeNames(tree.root.children, storing)
    union.add(names.packs)
    const links: LinkGroup[] = []
    for (const [key, paths] of names.hasLinks ? this.#linkedPaths(tree) : []) {
      const { entry, packs } = yield* this.#entry(getName(tree.links, key) as Leaf, storing)
      if (entry.type !== 'file' && entry.type !== 'symlink') continue
      union.add(packs)
      links.push({ entry, paths: paths.sort() })
    }
    links.sort((a, b) => ((a.paths[0] as string) < (b.paths[0] as string) ? -1 : 1))
    const root: DirectoryEntry = { type: 'directory', ...attributesOf(tree.root), names: names.hash }
    const { hash, pack } = sink.add(encodeTree({ root, links }))
    union.add(pack.alone)
    return { id: hash, packs: union.done() }
  }

  *#entry(node: Entry, storing: NameStoring<Entry>): Steps<StoredEntry> {
    switch (node.type) {
      case 'linked':
        return { entry: { type: 'linked', kind: node.kind }, packs: [], hasLinks: true }
      case 'symlink':
        return { entry: { type: 'symlink', ...attributesOf(node), target: node.target }, packs: [], hasLinks: false }
      case 'directory': {
        const { hash, packs, hasLinks } = yield* storeNames(node.children, storing)
        return { entry: { type: 'directory', ...attributesOf(node), names: hash }, packs, hasLinks }
      }
      case 'file': {
        const { content, packs } = yield* this.#content(node, storing.sink)
        return { entry: { type: 'file', ...attributesOf(node), content }, packs, hasLinks: false }
      }
      default:
        return node satisfies never
    }
  }

  *#content(node: FileNode, sink: ContentSink): Steps<KeptContent> {
    if (node.size === 0) return EMPTY
    if (node.size <= SHORT_CONTENT) return { content: { type: 'short', bytes: readContent(node, 0, node.size) }, packs: [] }
    const known = this.#contents.get(node)
    if (known !== undefined && isStored(known.packs)) return known
    const union = new PackUnion()
    const runs: ContentRun[] = []
    for (let at = 0; at < node.size; at += CONTENT_RUN) {
      const end = Math.min(at + CONTENT_RUN, node.size)
      if (end - at === CONTENT_RUN && isHole(node, at, end)) {
        addZeros(runs)
        continue
      }
      const { hash, pack } = sink.add(readContent(node, at, end))
      runs.push(hash)
      union.add(pack.alone)
      yield* sink.room()
    }
    const kept: KeptContent = { content: { type: 'runs', size: node.size, runs }, packs: union.done() }
    this.#contents.set(node, kept)
    return kept
  }

  /** The paths of the names whose files have several, by the file's key. */
  #linkedPaths(tree: Tree): ReadonlyMap<string, string[]> {
    const found = new Map<string, string[]>()
    const add = ({ key }: LinkedNode, path: string): void => {
      const paths = found.get(key)
      if (paths === undefined) found.set(key, [path])
      else paths.push(path)
    }
    const waiting: [path: string, map: NameMap<Entry>][] = [['/', tree.root.children]]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [path, map] = next
      if (this.#names.get(map)?.hasLinks === false) continue
      const made = partsOf(map)
      if (made.type === 'parts') {
        for (const part of made.parts) if (part !== undefined) waiting.push([path, part])
        continue
      }
      for (const [name, entry] of made.names) {
        if (entry.type === 'linked') add(entry, join(path, name))
        else if (entry.type === 'directory') waiting.push([join(path, name), entry.children])
      }
    }
    return found
  }
}

const EMPTY: KeptContent = { content: NO_CONTENT, packs: [] }

/** Adds a run of zeros. */
export function addZeros(runs: ContentRun[]): void {
  const last = runs.at(-1)
  if (typeof last === 'number') runs[runs.length - 1] = last + 1
  else runs.push(1)
}

function attributesOf({ mode, mtimeMs, rare }: DirectoryNode | FileNode | SymlinkNode): EntryAttributes {
  return { mode, mtimeMs, uid: rare?.uid ?? null, gid: rare?.gid ?? null }
}
