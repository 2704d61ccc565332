import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { button } from '../button.ts'
import { ask } from '../dialog.ts'
import { element, part, setAttributes } from '../element.ts'
import { download } from '../files/download.ts'
import { nameOf } from '../format.ts'
import { notify, notifyFailure } from '../notices.ts'
import { remember, remembered } from '../remembered.ts'
import { tabList } from '../tab-list.ts'
import type { ValueStore } from '../value-store.ts'
import { valueStore } from '../value-store.ts'
import type { FileView } from './file-view.ts'
import { openView } from './open-view.ts'

/** The panel of open files. */
export interface EditorPanel {
  /** Opens a file, or brings it to the front. */
  open(path: string): Promise<void>
  /** Opens what was open the last time, without the focus; what is gone is left out. */
  reopen(): Promise<void>
  /** Brings something that is no file to the front, such as a comparison, in place of what its tab showed. */
  show(tab: EditorTab): Promise<void>
  /** Saves the file in front. */
  save(): Promise<void>
  focus(): void
  /** How many files are open. */
  readonly count: ValueStore<number>
}

/** A tab of the panel that shows no file of its own. */
export interface EditorTab {
  /** Tells it from files, which have absolute paths. */
  readonly id: string
  readonly label: string
  /** Another tip says that the tab shows something else. */
  readonly tip: string
  readonly make: () => Promise<FileView>
}

interface Opened {
  /** Of the file, or the id of what is none. */
  readonly path: string
  readonly view: FileView
  /** Null for a file. */
  readonly tab: EditorTab | null
}

/** Builds the panel; it is hidden while no file is open. */
export function openEditorPanel(app: App): EditorPanel {
  const area = part('editor-area')
  const files = new Map<string, Opened>()
  const opening = new Set<string>()
  const count = valueStore(0)
  let active = ''
  let restored = false

  const body = element('div', { class: 'editor-body', attributes: { role: 'tabpanel', id: 'editor-panel' } })
  const empty = element(
    'div',
    { class: 'empty' },
    element('p', {}, 'No file is open.'),
    button({ label: 'Choose one', press: () => app.show('files') }),
  )
  const tabs = tabList({
    label: 'Open files',
    prefix: 'file',
    panel: () => 'editor-panel',
    pick: (path) => front(path),
    close: (path) => void close(path),
  })
  const saver = button({ label: 'Save', press: () => void save(), keys: 'Ctrl+S' })
  const actions = element(
    'div',
    { class: 'panel-actions' },
    saver,
    button({ label: 'Download', icon: 'download', compact: true, press: () => void download(app.fs, active) }),
  )
  area.append(element('div', { class: 'tab-bar' }, tabs.element, actions), body)

  const draw = (): void => {
    const paths = [...files.values()].filter(({ tab }) => tab === null).map(({ path }) => path)
    const names = paths.map(nameOf)
    const shown = [...files.values()].map(({ path, view, tab }) => ({
      id: path,
      label: tab?.label ?? (names.filter((name) => name === nameOf(path)).length > 1 ? path : nameOf(path)),
      tip: tab?.tip ?? path,
      ...(view.dirty.get() ? { mark: 'not saved' } : {}),
    }))
    tabs.draw(shown, active)
    const current = files.get(active)
    setAttributes(body, { 'aria-labelledby': current === undefined ? undefined : `file-${active}` })
    const wanted = current?.view.element ?? empty
    if (body.firstElementChild !== wanted || body.children.length > 1) body.replaceChildren(wanted)
    actions.hidden = current === undefined || current.tab !== null
    saver.disabled = current === undefined || !current.view.dirty.get()
    count.set(files.size)
    const kept = paths.includes(active) || paths.length === 0 ? active : (paths[0] ?? '')
    if (restored) remember('open-files', paths.length === 0 ? null : JSON.stringify([...paths, kept]))
  }
  const front = (path: string): void => {
    active = path
    draw()
  }
  const drop = (path: string): void => {
    const order = [...files.keys()]
    const next = order[order.indexOf(path) + 1] ?? order[order.indexOf(path) - 1] ?? ''
    files.get(path)?.view.close()
    files.delete(path)
    if (active === path) active = next
    draw()
  }
  const close = async (path: string): Promise<void> => {
    const file = files.get(path)
    if (file === undefined) return
    if (file.view.dirty.get()) {
      const answer = await ask<'drop' | 'save'>({
        title: `Save ${nameOf(path)}?`,
        body: [element('p', {}, 'It has changes that are not saved.')],
        choices: [
          { label: 'Throw away', value: 'drop', kind: 'danger' },
          { label: 'Save', value: 'save', kind: 'primary' },
        ],
      })
      if (answer === null || (answer === 'save' && !(await file.view.save()))) return
    }
    drop(path)
    if (files.size > 0) tabs.focus()
    else app.show('terminal')
  }
  const save = async (): Promise<void> => {
    const file = files.get(active)
    if (file?.view.dirty.get() !== true) return
    if (await file.view.save()) notify({ kind: 'success', title: `Saved ${nameOf(file.path)}` })
    draw()
  }
  /** Another view in place of one that fits the file no more. */
  const replace = async (path: string): Promise<void> => {
    files.get(path)?.view.close()
    await add(path)
    draw()
  }
  const refreshAll = async (): Promise<void> => {
    for (const { path, view, tab } of [...files.values()]) {
      try {
        if (await view.refresh()) continue
        if (tab === null) await replace(path)
        else drop(path)
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') notifyFailure(`Could not read ${tab?.label ?? nameOf(path)}`, error)
        // What is gone and has no changes needs no tab.
        else if (!view.dirty.get()) drop(path)
      }
    }
  }
  app.changes.on((change) => {
    if (change.type === 'files') void follow(change.moved).then(refreshAll)
    else if (change.type === 'line' || change.type === 'jobs' || change.type === 'restored') void refreshAll()
  })
  /** Files that were moved stay open under their new names; what is not saved stays where it was. */
  const follow = async (moved: { readonly from: string; readonly to: string } | undefined): Promise<void> => {
    if (moved === undefined) return
    for (const { path, view, tab } of [...files.values()]) {
      if (tab !== null || (path !== moved.from && !path.startsWith(`${moved.from}/`)) || view.dirty.get()) continue
      const next = `${moved.to}${path.slice(moved.from.length)}`
      const wasActive = active === path
      try {
        await add(next)
        drop(path)
        if (wasActive) front(next)
      } catch (error) {
        notifyFailure(`Could not open ${nameOf(next)}`, error)
      }
    }
  }
  addEventListener('beforeunload', (event) => {
    if ([...files.values()].some(({ view }) => view.dirty.get())) event.preventDefault()
  })
  const add = async (path: string): Promise<void> => {
    const view = await openView({ fs: app.fs, path, written: () => app.changes.tell({ type: 'files' }) })
    view.dirty.watch(draw)
    files.set(path, { path, view, tab: null })
  }
  /** Brings a tab to the front, made where there is none. */
  const bring = async (path: string, label: string, make: () => Promise<void>, anew = false): Promise<void> => {
    if (opening.has(path)) return
    opening.add(path)
    try {
      if (anew || !files.has(path)) await make()
      front(path)
      app.show('editor')
    } catch (error) {
      notifyFailure(`Could not open ${label}`, error)
    } finally {
      opening.delete(path)
    }
  }
  draw()
  return {
    reopen: async () => {
      const paths = JSON.parse(remembered('open-files') ?? '[]') as readonly string[]
      for (const path of new Set(paths)) {
        try {
          if (!files.has(path)) await add(path)
        } catch (error) {
          if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') notifyFailure(`Could not open ${nameOf(path)} again`, error)
        }
      }
      restored = true
      const last = paths.at(-1) ?? ''
      if (active === '') active = files.has(last) ? last : ([...files.keys()][0] ?? '')
      draw()
    },
    count,
    save,
    focus: () => (files.get(active)?.view ?? { focus: () => area.focus() }).focus(),
    open: (path) => bring(path, nameOf(path), () => add(path)),
    show: async (tab) => {
      const old = files.get(tab.id)
      const isOther = old !== undefined && old.tab?.tip !== tab.tip
      await bring(
        tab.id,
        tab.label,
        async () => {
          files.set(tab.id, { path: tab.id, view: await tab.make(), tab })
          if (isOther) old.view.close()
        },
        isOther,
      )
    },
  }
}
