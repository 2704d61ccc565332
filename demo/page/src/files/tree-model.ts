import type { FileSystem, FileType } from 'mirage-runtime'
import { codeOf, errorText } from 'mirage-runtime'
import { folderOf, nameOf, pathIn } from '../format.ts'
import { HOME } from '../open-workspace.ts'

/** A line of the tree. `key` tells lines apart that show the same path below different tops. */
export interface TreeRow {
  readonly key: string
  readonly path: string
  readonly label: string
  /** From 1. */
  readonly level: number
  readonly type: FileType
  /** Null for what can't be opened. */
  readonly expanded: boolean | null
  readonly position: number
  readonly siblings: number
  /** A top of the tree, which can't be renamed or deleted. */
  readonly top: boolean
  /** In place of a name: what stands below an open folder that shows nothing. */
  readonly remark: boolean
}

interface Entry {
  readonly name: string
  readonly type: FileType
  /** Type of what a link leads to. */
  readonly leadsTo: FileType
}

type Listing = { readonly entries: readonly Entry[] } | { readonly failure: string }

/** Names that one folder shows at most. */
const SHOWN = 1000
const SYSTEM = new Set(['/bin', '/dev', '/proc', '/sys', '/usr', '/.bash_history'])

/** Which folders are open, and what is in them. */
export class TreeModel {
  readonly #fs: FileSystem
  readonly #expanded: Set<string>
  readonly #listings = new Map<string, Listing>()
  #tops: readonly string[] = [HOME, '/']

  constructor(fs: FileSystem, expanded: Iterable<string>) {
    this.#fs = fs
    this.#expanded = new Set(expanded)
  }

  get expanded(): readonly string[] {
    return [...this.#expanded]
  }

  /** Shows another folder at the top level. */
  addTop(path: string): void {
    if (!this.#tops.includes(path)) this.#tops = [...this.#tops.slice(0, -1), path, '/']
  }

  removeTop(path: string): void {
    this.#tops = this.#tops.filter((top) => top !== path)
  }

  isExpanded(key: string): boolean {
    return this.#expanded.has(key)
  }

  setExpanded(key: string, expanded: boolean): void {
    if (expanded) this.#expanded.add(key)
    else this.#expanded.delete(key)
  }

  /** Opens the folders that lead to a path, and gives the key of its row. */
  reveal(path: string): string {
    const top = this.#tops.find((one) => one === '/' || path === one || path.startsWith(`${one}/`)) ?? '/'
    for (let folder = folderOf(path); path !== top; folder = folderOf(folder)) {
      this.#expanded.add(keyOf(top, folder))
      if (folder === top || folder === '/') break
    }
    return keyOf(top, path)
  }

  /** Reads the folders that are open again. */
  async refresh(): Promise<void> {
    const read = new Set<string>()
    const visit = async (top: string, path: string): Promise<void> => {
      if (!this.#expanded.has(keyOf(top, path))) return
      if (!read.has(path)) {
        read.add(path)
        this.#listings.set(path, await this.#list(path))
      }
      const listing = this.#listings.get(path)
      if (listing === undefined || 'failure' in listing) return
      await Promise.all(listing.entries.filter(({ leadsTo }) => leadsTo === 'directory').map(({ name }) => visit(top, pathIn(path, name))))
    }
    for (const top of this.#tops) await visit(top, top)
  }

  /** The rows as they are known now. */
  rows(): readonly TreeRow[] {
    const rows: TreeRow[] = []
    this.#tops.forEach((top, index) => {
      const key = keyOf(top, top)
      const base = { key, path: top, label: labelOfTop(top), level: 1, type: 'directory', top: true, remark: false } as const
      rows.push({ ...base, expanded: this.#expanded.has(key), position: index + 1, siblings: this.#tops.length })
      if (this.#expanded.has(key)) this.#addBelow(top, top, 2, rows)
    })
    return rows
  }

  #addBelow(top: string, path: string, level: number, rows: TreeRow[]): void {
    const listing = this.#listings.get(path)
    const remark = (label: string): void => {
      const base = { level, type: 'file', expanded: null, position: 1, siblings: 1, top: false, remark: true } as const
      rows.push({ ...base, key: `${keyOf(top, path)}:remark`, path, label })
    }
    if (listing === undefined) return
    if ('failure' in listing) return remark(listing.failure)
    if (listing.entries.length === 0) return remark('Empty folder')
    const shown = listing.entries.slice(0, SHOWN)
    shown.forEach(({ name, leadsTo, type }, index) => {
      const child = pathIn(path, name)
      const key = keyOf(top, child)
      const isFolder = leadsTo === 'directory'
      const expanded = isFolder ? this.#expanded.has(key) : null
      rows.push({
        key,
        path: child,
        label: name,
        level,
        type: type === 'symlink' ? 'symlink' : leadsTo,
        expanded,
        position: index + 1,
        siblings: shown.length,
        top: false,
        remark: false,
      })
      if (expanded === true) this.#addBelow(top, child, level + 1, rows)
    })
    const rest = listing.entries.length - shown.length
    if (rest > 0) remark(`and ${rest} more: use ls`)
  }

  async #list(path: string): Promise<Listing> {
    try {
      const found = await this.#fs.readdir(path)
      const entries = await Promise.all(
        found
          .filter(({ name }) => !SYSTEM.has(pathIn(path, name)))
          .map(async ({ name, type }) => ({ name, type, leadsTo: type === 'symlink' ? await this.#target(pathIn(path, name)) : type })),
      )
      return { entries: entries.sort(byKindAndName) }
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { entries: [] }
      return { failure: errorText(error) }
    }
  }

  async #target(path: string): Promise<FileType> {
    try {
      return (await this.#fs.stat(path)).type
    } catch {
      // A link that leads nowhere is shown as a link.
      return 'symlink'
    }
  }
}

function keyOf(top: string, path: string): string {
  return `${top}:${path}`
}

function labelOfTop(top: string): string {
  if (top === HOME) return 'home'
  return top === '/' ? 'all files' : nameOf(top)
}

function byKindAndName(a: Entry, b: Entry): number {
  const folders = Number(b.leadsTo === 'directory') - Number(a.leadsTo === 'directory')
  return folders === 0 ? a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.name < b.name ? -1 : 1) : folders
}
