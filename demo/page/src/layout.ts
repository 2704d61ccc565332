import type { View } from './app.ts'
import { button } from './button.ts'
import { element, part, setAttributes } from './element.ts'
import type { IconName } from './icon.ts'
import { icon } from './icon.ts'
import { remember, remembered } from './remembered.ts'
import { openSplitter } from './splitter.ts'
import { tabList } from './tab-list.ts'
import type { ThemeChoice, Themes } from './theme.ts'

/** Where things are in the page. */
export interface Layout {
  /** Brings a panel to the front, without the focus. */
  show(view: View): void
  /** The editor has files, or none: then it takes no room. */
  setEditing(open: boolean): void
  toggle(side: 'files' | 'inspector'): void
  /** Moves the focus to the next area, or with -1 to the one before. */
  stepArea(by: number): void
}

/** What the layout is made with. */
export interface LayoutOptions {
  readonly themes: Themes
  readonly focus: (view: View) => void
  readonly help: () => void
}

const VIEWS: readonly (readonly [view: View, label: string, icon: IconName])[] = [
  ['terminal', 'Terminal', 'terminal'],
  ['files', 'Files', 'folder'],
  ['editor', 'Editor', 'edit'],
  ['state', 'State', 'state'],
  ['history', 'History', 'history'],
  ['jobs', 'Jobs', 'jobs'],
]
/** The panels that are tabs of one area. */
const INSPECTED = ['state', 'history', 'jobs'] as const
type Inspected = (typeof INSPECTED)[number]
const AREAS: readonly (readonly [id: string, view: View])[] = [
  ['files-area', 'files'],
  ['editor-area', 'editor'],
  ['terminal-area', 'terminal'],
  ['inspector-area', 'state'],
]
const THEMES: Readonly<Record<ThemeChoice, readonly [next: ThemeChoice, icon: IconName, label: string]>> = {
  system: ['light', 'auto', 'Colours: as the system'],
  light: ['dark', 'sun', 'Colours: light'],
  dark: ['system', 'moon', 'Colours: dark'],
}

export function openLayout({ themes, focus, help }: LayoutOptions): Layout {
  const { body } = document
  const narrow = matchMedia('(max-width: 760px)')
  /** The session's panel lies over the others. */
  const medium = matchMedia('(max-width: 1080px)')
  let view: View = 'terminal'
  let inspected: Inspected = INSPECTED.find((name) => name === remembered('inspected')) ?? 'state'
  const open = {
    files: remembered('files') !== 'closed',
    inspector: !medium.matches && remembered('inspector') !== 'closed',
  }

  const inspector = tabList({
    label: 'Session',
    prefix: 'inspector',
    panel: (id) => `${id}-panel`,
    pick: (id) => {
      const wanted = INSPECTED.find((name) => name === id)
      if (wanted !== undefined) show(wanted)
    },
  })
  part('inspector-bar').append(inspector.element)
  const bring = (name: View): void => {
    show(name)
    focus(name)
  }
  const bar = VIEWS.map(([name, label, picture]) => {
    const made = element(
      'button',
      { class: 'view-button', attributes: { type: 'button' }, on: { click: () => bring(name) } },
      icon(picture),
      element('span', {}, label),
    )
    return [name, made] as const
  })
  part('view-bar').append(...bar.map(([, made]) => made))

  const filesButton = button({ label: 'Show files', icon: 'panel-left', compact: true, press: () => toggle('files') })
  const inspectorButton = button({ label: 'Show session', icon: 'panel-right', compact: true, press: () => toggle('inspector') })
  const themeButton = button({
    label: 'Colours',
    icon: 'auto',
    compact: true,
    press: () => themes.choice.update((choice) => THEMES[choice][0]),
  })
  filesButton.classList.add('wide-only')
  inspectorButton.classList.add('wide-only')
  part('top-actions').append(
    filesButton,
    inspectorButton,
    themeButton,
    button({ label: 'Keys and help', icon: 'help', compact: true, keys: 'F1', press: help }),
  )
  const drawTheme = (): void => {
    const [, picture, label] = THEMES[themes.choice.get()]
    themeButton.replaceChildren(icon(picture))
    setAttributes(themeButton, { 'aria-label': label, title: label })
  }
  themes.choice.watch(drawTheme)
  drawTheme()

  const draw = (): void => {
    body.dataset.view = view
    body.dataset.files = open.files ? 'open' : 'closed'
    body.dataset.inspector = open.inspector ? 'open' : 'closed'
    setAttributes(filesButton, { 'aria-pressed': String(open.files) })
    setAttributes(inspectorButton, { 'aria-pressed': String(open.inspector) })
    for (const [name, made] of bar) setAttributes(made, { 'aria-current': name === view ? 'page' : undefined })
    inspector.draw(
      VIEWS.flatMap(([id, label]) => (INSPECTED.some((name) => name === id) ? [{ id, label }] : [])),
      inspected,
    )
    for (const name of INSPECTED) part(`${name}-panel`).hidden = inspected !== name
  }
  const show = (wanted: View): void => {
    view = wanted
    if (wanted === 'files') setOpen('files', true)
    if ((wanted === 'terminal' || wanted === 'editor') && medium.matches) setOpen('inspector', false)
    const tab = INSPECTED.find((name) => name === wanted)
    if (tab !== undefined) {
      inspected = tab
      remember('inspected', wanted)
      setOpen('inspector', true)
    }
    draw()
  }
  const setOpen = (side: 'files' | 'inspector', value: boolean): void => {
    if (narrow.matches || open[side] === value) return
    open[side] = value
    if (side === 'files' || !medium.matches) remember(side, value ? 'open' : 'closed')
  }
  const toggle = (side: 'files' | 'inspector'): void => {
    setOpen(side, !open[side])
    draw()
  }
  openSplitter({
    id: 'splitter-left',
    label: 'Width of the files',
    property: '--files',
    initial: 248,
    min: 160,
    rest: 480,
    axis: 'x',
    direction: 1,
  })
  openSplitter({
    id: 'splitter-right',
    label: 'Width of the session',
    property: '--inspector',
    initial: 312,
    min: 220,
    rest: 480,
    axis: 'x',
    direction: -1,
  })
  openSplitter({
    id: 'splitter-row',
    label: 'Height of the editor',
    property: '--editor',
    initial: 360,
    min: 120,
    rest: 240,
    axis: 'y',
    direction: 1,
  })
  medium.addEventListener('change', () => {
    open.inspector = !medium.matches && remembered('inspector') !== 'closed'
    draw()
  })
  draw()
  return {
    show,
    toggle,
    setEditing: (isOpen) => {
      body.dataset.editing = isOpen ? 'yes' : 'no'
      part('splitter-row').hidden = !isOpen
      if (!isOpen && view === 'editor') show('terminal')
    },
    stepArea: (by) => {
      const shown = AREAS.filter(([id]) => part(id).getClientRects().length > 0)
      const at = shown.findIndex(([id]) => part(id).contains(document.activeElement))
      const next = shown.at((at === -1 && by < 0 ? by : at + by) % shown.length)
      if (narrow.matches) {
        const order = VIEWS.map(([name]) => name)
        const wanted = order.at((order.indexOf(view) + by) % order.length) ?? 'terminal'
        bring(wanted)
      } else if (next !== undefined) focus(next[1] === 'state' ? inspected : next[1])
    },
  }
}
