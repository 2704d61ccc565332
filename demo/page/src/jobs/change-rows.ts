import type { StagedChange } from 'mirage-runtime'

/** A row of the tree of changes. */
export interface ChangeRow {
  /** Path of the file, or of the deepest folder that the row stands for, without a leading slash. */
  readonly path: string
  readonly label: string
  /** Null for a folder that only holds changes. */
  readonly change: StagedChange | null
  /** Null for what holds nothing. */
  readonly expanded: boolean | null
  /** Changes at it and below it. */
  readonly count: number
  readonly level: number
  readonly position: number
  readonly siblings: number
}

interface Folder {
  readonly path: string
  readonly label: string
  change: StagedChange | null
  readonly below: Map<string, Folder>
}

/** Changes as rows of a tree: folders first, those that hold nothing but one folder together with it. */
export function changeRows(changes: readonly StagedChange[], closed: ReadonlySet<string>): readonly ChangeRow[] {
  const root: Folder = { path: '', label: '', change: null, below: new Map() }
  for (const change of changes) {
    let at = root
    for (const name of change.path.split('/')) at = folderIn(at, name)
    at.change = change
  }
  const rows: ChangeRow[] = []
  addRows(root, { rows, closed, level: 1 })
  return rows
}

function folderIn(parent: Folder, name: string): Folder {
  const known = parent.below.get(name)
  if (known !== undefined) return known
  const made: Folder = { path: parent.path === '' ? name : `${parent.path}/${name}`, label: name, change: null, below: new Map() }
  parent.below.set(name, made)
  return made
}

interface Place {
  readonly rows: ChangeRow[]
  readonly closed: ReadonlySet<string>
  readonly level: number
}

/** Adds the rows below a folder; how many changes they stand for. */
function addRows(folder: Folder, { rows, closed, level }: Place): number {
  const all = [...folder.below.values()].map(joined).sort(foldersFirst)
  let total = 0
  for (const [index, node] of all.entries()) {
    const at = rows.length
    const isOpen = !closed.has(node.path)
    const below: ChangeRow[] = []
    const count = addRows(node, { rows: below, closed, level: level + 1 }) + (node.change === null ? 0 : 1)
    rows[at] = {
      path: node.path,
      label: node.label,
      change: node.change,
      expanded: node.below.size === 0 ? null : isOpen,
      count,
      level,
      position: index + 1,
      siblings: all.length,
    }
    if (isOpen) for (const row of below) rows.push(row)
    total += count
  }
  return total
}

function joined(node: Folder): Folder {
  const [only, ...others] = node.below.values()
  if (node.change !== null || only === undefined || others.length > 0 || only.below.size === 0) return node
  return joined({ ...only, label: `${node.label}/${only.label}` })
}

function foldersFirst(a: Folder, b: Folder): number {
  if (a.below.size > 0 !== b.below.size > 0) return a.below.size > 0 ? -1 : 1
  return a.label < b.label ? -1 : 1
}
