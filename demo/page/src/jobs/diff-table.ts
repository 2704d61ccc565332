import { button } from '../button.ts'
import { element } from '../element.ts'
import type { DiffLine, DiffRow } from '../viewer/line-diff.ts'

/** Lines that are the same and are shown around a change. */
const AROUND = 3
/** Rows that are shown at first, and more at a time. */
const PORTION = 1000

/** Two texts beside each other, or where there is little room, one below the other. */
export interface DiffTable {
  readonly element: HTMLElement
  readonly added: number
  readonly removed: number
  /** Goes to the next change, or with -1 to the one before. */
  step(by: 1 | -1): void
}

export function diffTable(rows: readonly DiffRow[], titles: readonly [left: string, right: string], caption: string): DiffTable {
  const body = element('tbody', {})
  const table = element(
    'table',
    { class: 'diff-table' },
    element('caption', { class: 'unseen' }, caption),
    element(
      'colgroup',
      {},
      ...['diff-number', 'diff-text', 'diff-number', 'diff-text'].map((name) => element('col', { class: `${name}-column` })),
    ),
    element(
      'thead',
      {},
      element('tr', {}, ...titles.map((title) => element('th', { attributes: { colspan: 2, scope: 'colgroup' } }, title))),
    ),
    body,
  )
  const root = element('div', { class: 'diff-scroll', attributes: { tabindex: 0, role: 'region', 'aria-label': caption } }, table)
  const more = button({ label: 'Show more', press: () => show() })
  const pieces = hunks(rows)
  let shown = 0
  const show = (): void => {
    more.remove()
    let count = 0
    for (; shown < pieces.length && count < PORTION; shown += 1) {
      const piece = pieces[shown]
      if (piece === undefined) break
      count += piece.hidden ? 1 : piece.rows.length
      body.append(...(piece.hidden ? [gap(piece.rows)] : piece.rows.map((row, index) => rowElement(row, index === 0 && !row.same))))
    }
    if (shown < pieces.length) root.append(more)
  }
  show()
  return {
    element: root,
    added: rows.filter(({ same, right }) => !same && right !== null).length,
    removed: rows.filter(({ same, left }) => !same && left !== null).length,
    step: (by) => {
      const top = root.getBoundingClientRect().top + 40
      const places = [...body.querySelectorAll('.diff-first')]
      const offset = (one: Element): number => one.getBoundingClientRect().top - top
      const next = by > 0 ? places.find((one) => offset(one) > 4) : places.findLast((one) => offset(one) < -4)
      if (next !== undefined) root.scrollBy({ top: offset(next) })
    },
  }
}

interface Piece {
  readonly hidden: boolean
  readonly rows: readonly DiffRow[]
}

/** Runs of rows that are the same, cut where they are far from any change, and runs that are not; long runs of changes in parts. */
function hunks(rows: readonly DiffRow[]): readonly Piece[] {
  const pieces: Piece[] = []
  for (let from = 0; from < rows.length; ) {
    const same = rows[from]?.same
    let to = from
    while (to < rows.length && rows[to]?.same === same) to += 1
    const head = from === 0 ? from : from + AROUND
    const tail = to === rows.length ? to : to - AROUND
    if (same !== true)
      for (let at = from; at < to; at += PORTION) pieces.push({ hidden: false, rows: rows.slice(at, Math.min(to, at + PORTION)) })
    else if (tail - head < 4) pieces.push({ hidden: false, rows: rows.slice(from, to) })
    else {
      if (head > from) pieces.push({ hidden: false, rows: rows.slice(from, head) })
      pieces.push({ hidden: true, rows: rows.slice(head, tail) })
      if (to > tail) pieces.push({ hidden: false, rows: rows.slice(tail, to) })
    }
    from = to
  }
  return pieces
}

/** Stands for rows that are the same on both sides, and shows them when it is pressed. */
function gap(rows: readonly DiffRow[]): HTMLElement {
  const row = element(
    'tr',
    { class: 'diff-gap' },
    element(
      'td',
      { attributes: { colspan: 4 } },
      button({
        label: `${rows.length} lines that are the same`,
        press: () => {
          row.closest<HTMLElement>('.diff-scroll')?.focus()
          row.replaceWith(...rows.map((one) => rowElement(one, false)))
        },
      }),
    ),
  )
  return row
}

function rowElement({ same, left, right }: DiffRow, isFirst: boolean): HTMLElement {
  const names = [same ? 'diff-same' : 'diff-changed', ...(isFirst ? ['diff-first'] : [])]
  return element('tr', { class: names.join(' ') }, ...sideOf(left, same ? 'same' : 'removed'), ...sideOf(right, same ? 'same' : 'added'))
}

function sideOf(line: DiffLine | null, kind: 'same' | 'added' | 'removed'): readonly HTMLElement[] {
  if (line === null) return [element('td', { class: 'diff-number diff-none' }), element('td', { class: 'diff-text diff-none' })]
  const side = kind === 'same' ? '' : ` diff-${kind}`
  const text = element('td', { class: `diff-text${side}` })
  if (kind !== 'same') text.append(element('span', { class: 'unseen' }, `${kind}: `))
  for (const part of line.parts()) text.append(part.marked ? element('mark', {}, part.text) : part.text)
  if (line.unended) text.append(element('span', { class: 'diff-remark' }, ' no line feed at the end'))
  return [element('td', { class: `diff-number${side}` }, String(line.number)), text]
}
