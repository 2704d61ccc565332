import { element, setAttributes } from '../element.ts'
import { icon } from '../icon.ts'
import { fileKindOf } from '../viewer/file-kind.ts'
import type { TreeRow } from './tree-model.ts'

/** Makes the element of a row; `drawRow` fills it. */
export function treeRowElement(): HTMLElement {
  return element('div', { class: 'tree-row', attributes: { role: 'treeitem', tabindex: -1 } })
}

/** Brings a row's element up to date; what is the same is left alone, so that focus and pointer stay. */
export function drawRow(target: HTMLElement, row: TreeRow, selected: boolean): void {
  const look = `${row.type}|${row.expanded}|${row.label}|${row.level}`
  setAttributes(target, {
    class: row.remark ? 'tree-row tree-remark' : 'tree-row',
    'aria-level': row.level,
    'aria-expanded': row.expanded === null ? undefined : String(row.expanded),
    'aria-selected': String(selected),
    'aria-posinset': row.position,
    'aria-setsize': row.siblings,
    'aria-disabled': row.remark ? 'true' : undefined,
    draggable: row.top || row.remark ? undefined : 'true',
    title: row.remark ? undefined : row.path,
  })
  target.dataset.path = row.path
  if (target.dataset.look === look) return
  target.dataset.look = look
  target.style.setProperty('--level', String(row.level))
  const name = element('span', { class: 'tree-name' }, row.label)
  if (row.remark) return target.replaceChildren(name)
  const twist = element('span', { class: 'tree-twist' }, ...(row.expanded === null ? [] : [icon('chevron')]))
  const hint = row.top && row.path !== '/' ? [element('span', { class: 'tree-hint' }, row.path)] : []
  target.replaceChildren(twist, icon(iconOf(row)), name, ...hint)
}

function iconOf(row: TreeRow): 'folder' | 'link' | 'image' | 'file' {
  if (row.type === 'symlink') return 'link'
  if (row.expanded !== null) return 'folder'
  return fileKindOf(row.path) === 'image' ? 'image' : 'file'
}
