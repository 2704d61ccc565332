import type { StagedChange } from 'mirage-runtime'
import { button } from '../button.ts'
import { element, setAttributes } from '../element.ts'
import { formatBytes } from '../format.ts'
import { icon } from '../icon.ts'
import type { MenuItem } from '../menu.ts'
import { below, openMenu } from '../menu.ts'
import { fileKindOf } from '../viewer/file-kind.ts'
import type { ChangeRow } from './change-rows.ts'
import { changeRows } from './change-rows.ts'

/** What a person can do with a row. */
export interface ChangeTreeOptions {
  readonly label: string
  readonly open: (change: StagedChange) => void
  /** Applies a path and what is below it. */
  readonly apply: (path: string) => void
  readonly canApply: () => boolean
}

/** A tree of changes: arrows move, Enter shows the difference, Shift+F10 opens the menu. */
export interface ChangeTree {
  readonly element: HTMLElement
  draw(changes: readonly StagedChange[]): void
}

const KINDS: Readonly<Record<StagedChange['kind'], readonly [letter: string, word: string]>> = {
  added: ['A', 'added'],
  modified: ['M', 'modified'],
  deleted: ['D', 'deleted'],
  type_changed: ['T', 'of another type'],
  opaque: ['O', 'replaced'],
}

export function changeTree({ label, open, apply, canApply }: ChangeTreeOptions): ChangeTree {
  const closed = new Set<string>()
  let changes: readonly StagedChange[] = []
  let rows: readonly ChangeRow[] = []
  let selected = ''
  let shown = ''
  const tree = element('div', { class: 'tree change-tree', attributes: { role: 'tree', 'aria-label': label } })

  const rowAt = (path: string): HTMLElement | undefined =>
    [...tree.children].find((one): one is HTMLElement => one instanceof HTMLElement && one.dataset.path === path)
  const draw = (): void => {
    rows = changeRows(changes, closed)
    if (!rows.some(({ path }) => path === selected)) selected = rows[0]?.path ?? ''
    const hadFocus = tree.contains(document.activeElement)
    tree.replaceChildren(...rows.map(elementOf))
    mark()
    if (hadFocus) rowAt(selected)?.focus()
  }
  const mark = (): void => {
    for (const [index, row] of rows.entries()) {
      const target = tree.children[index]
      if (target !== undefined)
        setAttributes(target, { 'aria-selected': String(row.path === selected), tabindex: row.path === selected ? 0 : -1 })
    }
  }
  const select = (row: ChangeRow | undefined): void => {
    if (row === undefined) return
    selected = row.path
    mark()
    const target = rowAt(row.path)
    target?.focus()
    target?.scrollIntoView({ block: 'nearest' })
  }
  const setExpanded = (row: ChangeRow, expanded: boolean): void => {
    if (expanded) closed.delete(row.path)
    else closed.add(row.path)
    draw()
  }
  const act = (row: ChangeRow): void => {
    if (row.change !== null && row.expanded === null) open(row.change)
    else setExpanded(row, row.expanded === false)
  }
  const showMenu = (row: ChangeRow, at: { readonly x: number; readonly y: number }): void => {
    const { change } = row
    const items: MenuItem[] = []
    if (change !== null) items.push({ label: 'Show the difference', icon: 'diff', keys: 'Enter', run: () => open(change) })
    if (canApply())
      items.push({ label: row.expanded === null ? 'Apply this' : 'Apply this folder', icon: 'check', run: () => apply(row.path) })
    if (items.length > 0) openMenu(row.label, at, items)
  }
  const elementOf = (row: ChangeRow): HTMLElement => {
    const target = element(
      'div',
      {
        class: 'tree-row change-row',
        attributes: {
          role: 'treeitem',
          'aria-level': row.level,
          'aria-posinset': row.position,
          'aria-setsize': row.siblings,
          'aria-expanded': row.expanded === null ? undefined : String(row.expanded),
          'aria-label': nameOfRow(row),
          title: `/${row.path}`,
        },
        on: {
          click: (event) => {
            if (event.target instanceof Element && event.target.closest('button') !== null) return
            select(row)
            act(row)
          },
          contextmenu: (event) => {
            event.preventDefault()
            select(row)
            showMenu(row, { x: event.clientX, y: event.clientY })
          },
        },
      },
      element('span', { class: 'tree-twist' }, ...(row.expanded === null ? [] : [icon('chevron')])),
      icon(iconOf(row)),
      element('span', { class: 'tree-name' }, row.label),
      ...buttonsOf(row),
      kindMark(row),
    )
    target.style.setProperty('--level', String(row.level))
    target.dataset.path = row.path
    return target
  }
  const buttonsOf = (row: ChangeRow): readonly HTMLElement[] => {
    if (!canApply()) return []
    const one = button({ label: `Apply ${row.label}`, icon: 'check', compact: true, press: () => apply(row.path) })
    one.tabIndex = -1
    one.classList.add('change-apply')
    return [one]
  }
  tree.addEventListener('keydown', (event) => {
    if (event.target instanceof Element && event.target.closest('button') !== null) return
    const index = rows.findIndex(({ path }) => path === selected)
    const row = rows[index]
    if (row === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    const parent = (): ChangeRow | undefined => rows.slice(0, index).findLast(({ level }) => level < row.level)
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => select(rows[index + 1]),
      ArrowUp: () => select(rows[index - 1]),
      ArrowRight: () => (row.expanded === false ? setExpanded(row, true) : row.expanded === true ? select(rows[index + 1]) : undefined),
      ArrowLeft: () => (row.expanded === true ? setExpanded(row, false) : select(parent())),
      Home: () => select(rows[0]),
      End: () => select(rows.at(-1)),
      Enter: () => act(row),
      ' ': () => act(row),
      ContextMenu: () => showMenu(row, below(rowAt(row.path) ?? tree)),
      ...(event.shiftKey ? { F10: () => showMenu(row, below(rowAt(row.path) ?? tree)) } : {}),
    }
    const run = keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  })
  return {
    element: tree,
    draw: (next) => {
      const look = JSON.stringify([next, canApply()])
      if (look === shown) return
      shown = look
      changes = next
      draw()
    },
  }
}

function kindMark({ change, count }: ChangeRow): HTMLElement {
  if (change === null) return element('span', { class: 'change-count' }, String(count))
  const [letter, word] = KINDS[change.kind]
  return element('span', { class: `change-kind change-${change.kind}`, attributes: { title: word } }, letter)
}

function nameOfRow({ label, change, count }: ChangeRow): string {
  if (change === null) return `${label}, ${count} ${count === 1 ? 'change' : 'changes'}`
  const size = change.size_bytes === undefined ? '' : `, ${formatBytes(change.size_bytes)}`
  return `${label}, ${KINDS[change.kind][1]}${size}`
}

function iconOf({ change, expanded, path }: ChangeRow): 'folder' | 'link' | 'image' | 'file' {
  const type = change?.new_type ?? change?.old_type
  if (expanded !== null || type === 'directory') return 'folder'
  if (type === 'symlink') return 'link'
  return fileKindOf(path) === 'image' ? 'image' : 'file'
}
