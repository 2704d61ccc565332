import type { FileSystem, StagedChange } from 'mirage-runtime'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { nameOf } from '../format.ts'
import { valueStore } from '../value-store.ts'
import type { FileView } from '../viewer/file-view.ts'
import { lineDiff } from '../viewer/line-diff.ts'
import type { ChangedSide } from './changed-side.ts'
import { changedSide } from './changed-side.ts'
import type { DiffTable } from './diff-table.ts'
import { diffTable } from './diff-table.ts'

/** A change, and where its two sides are read. */
export interface ChangeViewOptions {
  readonly change: StagedChange
  readonly before: FileSystem
  readonly after: () => Promise<FileSystem>
  /** Whether the change is there still; left out where it always is. */
  readonly isThere?: () => Promise<boolean>
  readonly titles: readonly [left: string, right: string]
  /** Applies it; left out where that can't be. */
  readonly apply?: () => void
}

/** A change as its two sides beside each other. */
export async function changeView({ change, before, after, isThere, titles, apply }: ChangeViewOptions): Promise<FileView> {
  const path = `/${change.path}`
  const counts = element('span', { class: 'diff-counts', attributes: { role: 'status' } })
  const remark = element('span', { class: 'diff-what' })
  const body = element('div', { class: 'diff-body' })
  let table: DiffTable | null = null
  let urls: readonly string[] = []
  let shown: readonly ChangedSide[] = []
  const previous = button({ label: 'Change before', icon: 'up', compact: true, keys: 'P', press: () => table?.step(-1) })
  const next = button({ label: 'Next change', icon: 'down', compact: true, keys: 'N', press: () => table?.step(1) })
  const root = element(
    'div',
    {
      class: 'change-view',
      on: {
        keydown: (event) => {
          if (event.ctrlKey || event.altKey || event.metaKey) return
          if (event.key === 'n') table?.step(1)
          else if (event.key === 'p') table?.step(-1)
        },
      },
    },
    element(
      'div',
      { class: 'view-bar-line' },
      element('span', { class: `change-kind change-${change.kind}` }, change.kind.replace('_', ' ')),
      remark,
      counts,
      previous,
      next,
      ...(apply === undefined ? [] : [button({ label: 'Apply this file', kind: 'primary', press: apply })]),
    ),
    body,
  )
  const forget = (): void => {
    for (const url of urls) URL.revokeObjectURL(url)
    urls = []
  }
  const draw = async (left: ChangedSide, right: ChangedSide): Promise<void> => {
    forget()
    table = null
    counts.replaceChildren()
    remark.textContent = [path, ...modeText(left, right)].join(' · ')
    const rows = isText(left) && isText(right) ? await lineDiff(textOf(left), textOf(right)) : []
    if (rows.length > 0) {
      table = diffTable(rows, titles, `Differences of ${nameOf(path)}`)
      counts.append(
        element('span', { class: 'diff-plus', attributes: { title: 'lines added' } }, `+${table.added}`),
        element('span', { class: 'diff-minus', attributes: { title: 'lines removed' } }, `−${table.removed}`),
      )
      body.replaceChildren(table.element)
    } else {
      const sides = [left, right].map((side, index) => sideElement(side, titles[index] ?? ''))
      body.replaceChildren(element('div', { class: 'diff-sides', attributes: { tabindex: 0 } }, ...sides.map(({ box }) => box)))
      urls = sides.flatMap(({ url }) => (url === null ? [] : [url]))
    }
    previous.hidden = next.hidden = table === null
  }
  const refresh = async (): Promise<void> => {
    const sides = await Promise.all([changedSide(before, path), after().then((fs) => changedSide(fs, path))])
    if (shown.length > 0 && sides.every((side, index) => isSame(side, shown[index]))) return
    shown = sides
    await draw(...sides)
  }
  await refresh()
  return {
    element: root,
    dirty: valueStore(false),
    focus: () => body.querySelector<HTMLElement>('[tabindex]')?.focus(),
    save: async () => true,
    refresh: async () => {
      if (!((await isThere?.()) ?? true)) return false
      await refresh()
      return true
    },
    close: forget,
  }
}

function isText(side: ChangedSide): boolean {
  return side.type === 'text' || side.type === 'absent'
}

function textOf(side: ChangedSide): string {
  return side.type === 'text' ? side.text : ''
}

function isSame(a: ChangedSide, b: ChangedSide | undefined): boolean {
  if (a.type !== 'image' || b?.type !== 'image') return JSON.stringify(a) === JSON.stringify(b)
  return a.mode === b.mode && a.bytes.length === b.bytes.length && a.bytes.every((byte, index) => byte === b.bytes[index])
}

/** What there is to say besides the content. */
function modeText(left: ChangedSide, right: ChangedSide): readonly string[] {
  if (left.type === 'absent' || right.type === 'absent' || left.mode === right.mode) return []
  const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')
  return [`mode ${octal(left.mode)} → ${octal(right.mode)}`]
}

function sideElement(side: ChangedSide, title: string): { readonly box: HTMLElement; readonly url: string | null } {
  const box = element('figure', { class: 'diff-side' }, element('figcaption', {}, title))
  if (side.type !== 'image') {
    box.append(element('p', { class: 'muted' }, whatIs(side)))
    return { box, url: null }
  }
  const url = URL.createObjectURL(new Blob([new Uint8Array(side.bytes)], { type: side.media }))
  box.append(element('div', { class: 'image-frame' }, element('img', { attributes: { src: url, alt: title } })))
  return { box, url }
}

function whatIs(side: Exclude<ChangedSide, { type: 'image' }>): string {
  switch (side.type) {
    case 'absent':
      return 'Nothing.'
    case 'other':
      return `${side.what}.`
    case 'text':
      return side.text === '' ? 'An empty file.' : 'A text.'
    default:
      return side satisfies never
  }
}
