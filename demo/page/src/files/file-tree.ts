import type { App } from '../app.ts'
import { button } from '../button.ts'
import { element, part } from '../element.ts'
import { folderOf, pathIn, shellWord } from '../format.ts'
import type { MenuItem } from '../menu.ts'
import { below, openMenu } from '../menu.ts'
import { notifyFailure } from '../notices.ts'
import { HOME } from '../open-workspace.ts'
import { remember, remembered } from '../remembered.ts'
import { download } from './download.ts'
import { chosenFiles } from './dropped-files.ts'
import { create, move, remove } from './file-actions.ts'
import type { FolderMounts } from './folder-mounts.ts'
import type { NameFieldOptions } from './name-field.ts'
import { nameField } from './name-field.ts'
import { allowDrops } from './tree-drop.ts'
import type { TreeRow } from './tree-model.ts'
import { TreeModel } from './tree-model.ts'
import { drawRow, treeRowElement } from './tree-row.ts'
import { upload } from './upload.ts'

/** The panel of files. */
export interface FileTree {
  /** Reads what is shown again; calls that come while it does lead to one more. */
  refresh(): Promise<void>
  focus(): void
  /** Shows another folder at the top. */
  addTop(path: string): void
  uploadHere(kind: 'files' | 'folder'): void
}

/** Builds the tree: arrows move, Enter opens, F2 renames, Delete deletes, Shift+F10 opens the menu. */
export function openFileTree(app: App, { folders }: { readonly folders: FolderMounts }): FileTree {
  const model = new TreeModel(app.fs, JSON.parse(remembered('expanded') ?? JSON.stringify([`${HOME}:${HOME}`])) as string[])
  const elements = new Map<string, HTMLElement>()
  const rowOf = new WeakMap<Element, TreeRow>()
  const tree = element('div', { class: 'tree', attributes: { role: 'tree', 'aria-label': 'Files' } })
  const chooser = element('input', {
    attributes: { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true', id: 'file-chooser' },
  })
  const body = part('files-body')
  body.append(tree, chooser)
  let rows: readonly TreeRow[] = []
  let selected = `${HOME}:${HOME}`
  let typed = ''
  let typedAt = 0
  let running: Promise<void> | null = null
  let again = false

  const draw = (): void => {
    rows = model.rows()
    const keys = new Set(rows.map(({ key }) => key))
    const focused = document.activeElement
    const hadFocus = focused !== null && tree.contains(focused) && !focused.classList.contains('tree-input')
    if (!keys.has(selected)) selected = nearest(keys, selected)
    for (const [key, stale] of elements) {
      if (keys.has(key)) continue
      stale.remove()
      elements.delete(key)
    }
    let previous: Element | null = null
    for (const row of rows) {
      let target = elements.get(row.key)
      if (target === undefined) {
        target = treeRowElement()
        elements.set(row.key, target)
      }
      rowOf.set(target, row)
      drawRow(target, row, row.key === selected)
      target.tabIndex = row.key === selected ? 0 : -1
      let place: Element | null = previous === null ? tree.firstElementChild : previous.nextElementSibling
      if (place?.classList.contains('tree-editing') === true) place = place.nextElementSibling
      if (place !== target) tree.insertBefore(target, place)
      previous = target
    }
    if (hadFocus && !tree.contains(document.activeElement)) elements.get(selected)?.focus()
  }

  const refresh = (): Promise<void> => {
    if (running !== null) {
      again = true
      return running
    }
    running = (async () => {
      do {
        again = false
        await model.refresh()
      } while (again)
    })()
      .catch((error: unknown) => notifyFailure('Could not read the files', error))
      .finally(() => {
        running = null
        draw()
      })
    return running
  }

  const current = (): TreeRow | undefined => rows.find(({ key }) => key === selected)
  const select = (row: TreeRow | undefined): void => {
    if (row === undefined) return
    selected = row.key
    draw()
    const target = elements.get(row.key)
    // Whoever went elsewhere while files were read stays there.
    if (document.activeElement === document.body || part('files-area').contains(document.activeElement)) target?.focus()
    target?.scrollIntoView({ block: 'nearest' })
  }
  const selectPath = async (path: string): Promise<void> => {
    const key = model.reveal(path)
    keep()
    await refresh()
    select(rows.find((row) => row.key === key))
  }
  const keep = (): void => remember('expanded', JSON.stringify(model.expanded))
  const setExpanded = (row: TreeRow, expanded: boolean): void => {
    model.setExpanded(row.key, expanded)
    keep()
    draw()
    if (expanded) void refresh()
  }
  const open = (row: TreeRow): void => {
    if (row.remark) return
    if (row.expanded === null) app.openFile(row.path)
    else setExpanded(row, !row.expanded)
  }
  /** The folder that a new file goes into. */
  const folderAt = (row: TreeRow | undefined): string => {
    if (row === undefined) return HOME
    return row.expanded === null && !row.remark ? folderOf(row.path) : row.path
  }

  /** Lets a name be typed in the place of a row, or in a new row below one. */
  const editName = (after: Element, options: Omit<NameFieldOptions, 'done'>, take: (name: string) => Promise<string | null>): void => {
    const done = async (name: string | null, byKey: boolean): Promise<void> => {
      if (after instanceof HTMLElement) after.hidden = false
      const path = name === null ? null : await take(name)
      if (path !== null) await selectPath(path)
      else if (byKey) select(current())
    }
    const field = nameField({ ...options, done: (name, byKey) => void done(name, byKey) })
    after.after(field.row)
    field.begin()
  }
  const makeNew = async (type: 'file' | 'folder', row: TreeRow | undefined): Promise<void> => {
    const folder = folderAt(row)
    const key = model.reveal(pathIn(folder, 'x')).slice(0, -2)
    const folderKey = rows.find((one) => one.path === folder)?.key ?? key
    if (!model.isExpanded(folderKey)) {
      model.setExpanded(folderKey, true)
      keep()
      await refresh()
    }
    const level = (rows.find((one) => one.key === folderKey)?.level ?? 1) + 1
    const parent = elements.get(folderKey)
    if (parent === undefined) return
    editName(parent, { level, initial: '' }, async (name) => {
      const path = await create(app, folder, name, type)
      if (path !== null && type === 'file') app.openFile(path)
      return path
    })
  }
  const rename = (row: TreeRow): void => {
    if (row.top || row.remark || folders.isMount(row.path)) return
    const target = elements.get(row.key)
    if (target === undefined) return
    editName(target, { level: row.level, initial: row.label }, (name) => move(app, row.path, pathIn(folderOf(row.path), name)))
    target.hidden = true
  }
  const removeRow = async (row: TreeRow): Promise<void> => {
    if (row.top || row.remark || folders.isMount(row.path)) return
    const index = rows.findIndex(({ key }) => key === row.key)
    const next = rows.slice(index + 1).find((one) => one.level <= row.level && !one.remark) ?? rows[index - 1]
    if (!(await remove(app, row.path, row.expanded !== null))) return
    await refresh()
    select(rows.find(({ key }) => key === next?.key) ?? rows[0])
  }
  const letGo = async (row: TreeRow): Promise<void> => {
    model.removeTop(row.path)
    await folders.close(row.path)
    await refresh()
    select(rows[0])
  }
  const uploadInto = (kind: 'files' | 'folder', folder: string): void => {
    chooser.value = ''
    chooser.webkitdirectory = kind === 'folder'
    chooser.onchange = async () => {
      if (chooser.files === null) return
      const written = await upload(app, chosenFiles(chooser.files), folder)
      if (written[0] !== undefined) await selectPath(written[0])
    }
    chooser.click()
  }
  const itemsFor = (row: TreeRow): readonly (MenuItem | null)[] => {
    const isFolder = row.expanded !== null
    const folder = folderAt(row)
    return [
      ...(isFolder ? [] : [{ label: 'Open', icon: 'edit', keys: 'Enter', run: () => open(row) } as const]),
      ...(isFolder ? [{ label: 'Open in terminal', icon: 'terminal', run: () => app.run(`cd ${shellWord(row.path)}`) } as const] : []),
      { label: 'Insert path in terminal', icon: 'insert', run: () => app.insert(`${shellWord(row.path)} `) },
      { label: isFolder ? 'Download as .tar' : 'Download', icon: 'download', run: () => void download(app.fs, row.path) },
      null,
      { label: 'New file', icon: 'new-file', run: () => void makeNew('file', row) },
      { label: 'New folder', icon: 'new-folder', run: () => void makeNew('folder', row) },
      { label: 'Upload files here', icon: 'upload', run: () => uploadInto('files', folder) },
      { label: 'Upload a folder here', icon: 'upload', run: () => uploadInto('folder', folder) },
      ...(folders.isMount(row.path) ? [null, { label: 'Let go of this folder', icon: 'close', run: () => void letGo(row) } as const] : []),
      ...(row.top || folders.isMount(row.path)
        ? []
        : [
            null,
            { label: 'Rename', icon: 'edit', keys: 'F2', run: () => rename(row) } as const,
            { label: 'Delete', icon: 'close', keys: 'Delete', kind: 'danger', run: () => void removeRow(row) } as const,
          ]),
    ]
  }
  const menuAt = (row: TreeRow, at: { x: number; y: number }): void => {
    if (!row.remark) openMenu(row.label, at, itemsFor(row))
  }
  const rowAt = (target: EventTarget | null): TreeRow | undefined => {
    const found = target instanceof Element ? target.closest('.tree-row') : null
    return found === null ? undefined : rowOf.get(found)
  }

  const step = (by: number): void => {
    let index = rows.findIndex(({ key }) => key === selected)
    do index += by
    while (rows[index]?.remark === true)
    select(rows[index])
  }
  const keys: Readonly<Record<string, (row: TreeRow) => void>> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Home: () => select(rows[0]),
    End: () => select(rows.findLast(({ remark }) => !remark)),
    ArrowRight: (row) => {
      if (row.expanded === false) setExpanded(row, true)
      else if (row.expanded === true) step(1)
    },
    ArrowLeft: (row) => {
      if (row.expanded === true) return setExpanded(row, false)
      const index = rows.findIndex(({ key }) => key === row.key)
      select(rows.slice(0, index).findLast(({ level }) => level < row.level))
    },
    Enter: open,
    ' ': open,
    F2: rename,
    Delete: (row) => void removeRow(row),
    ContextMenu: (row) => menuAt(row, below(elements.get(row.key) ?? tree)),
  }
  tree.addEventListener('keydown', (event) => {
    const row = current()
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const name = event.key === 'F10' && event.shiftKey ? 'ContextMenu' : event.key
    const act = keys[name]
    if (act !== undefined) {
      event.preventDefault()
      return act(row)
    }
    if (event.key.length !== 1) return
    typed = event.timeStamp - typedAt > 700 ? event.key.toLowerCase() : typed + event.key.toLowerCase()
    typedAt = event.timeStamp
    const index = rows.findIndex(({ key }) => key === selected)
    const from = typed.length === 1 ? index + 1 : index
    select([...rows.slice(from), ...rows.slice(0, from)].find((one) => !one.remark && one.label.toLowerCase().startsWith(typed)))
  })
  tree.addEventListener('click', (event) => {
    const row = rowAt(event.target)
    if (row === undefined || row.remark) return
    select(row)
    open(row)
  })
  tree.addEventListener('contextmenu', (event) => {
    const row = rowAt(event.target)
    if (row === undefined) return
    event.preventDefault()
    select(row)
    menuAt(row, event.clientX === 0 ? below(elements.get(row.key) ?? tree) : { x: event.clientX, y: event.clientY })
  })

  /** The row of the folder that a drop on a row goes into. */
  const dropRow = (target: EventTarget | null): TreeRow | undefined => {
    const row = rowAt(target)
    if (row === undefined) return rows[0]
    const folder = folderAt(row)
    return row.path === folder ? row : rows.findLast((one) => one.path === folder && one.expanded !== null)
  }
  allowDrops(app, {
    tree,
    place: body,
    source: (target) => {
      const row = rowAt(target)
      return row === undefined || row.top ? null : row.path
    },
    target: (target) => {
      const row = dropRow(target)
      return { path: row?.path ?? HOME, row: elements.get(row?.key ?? '') ?? null }
    },
    arrived: (path) => void selectPath(path),
  })

  part('files-actions').append(
    button({ label: 'New file', icon: 'new-file', compact: true, press: () => void makeNew('file', current()) }),
    button({ label: 'New folder', icon: 'new-folder', compact: true, press: () => void makeNew('folder', current()) }),
    button({ label: 'Upload files', icon: 'upload', compact: true, press: () => uploadInto('files', folderAt(current())) }),
    button({
      label: 'More file actions',
      icon: 'more',
      compact: true,
      press: (event) => {
        const row = current() ?? rows[0]
        if (row === undefined || !(event.currentTarget instanceof Element)) return
        openMenu('File actions', below(event.currentTarget), [
          ...itemsFor(row),
          null,
          { label: 'Refresh', icon: 'refresh', run: () => void refresh() },
          ...(folders.possible
            ? [{ label: 'Open a folder of this machine', icon: 'folder', run: () => void folders.open() } as const]
            : []),
        ])
      },
    }),
  )
  app.changes.on((change) => {
    if (change.type === 'files' || change.type === 'line' || change.type === 'restored') void refresh()
  })
  return {
    refresh,
    focus: () => elements.get(selected)?.focus(),
    addTop: (path) => {
      model.addTop(path)
      void refresh()
    },
    uploadHere: (kind) => uploadInto(kind, folderAt(current())),
  }
}

/** The row of the nearest folder above a row that is gone. */
function nearest(keys: ReadonlySet<string>, gone: string): string {
  const colon = gone.indexOf(':')
  const top = gone.slice(0, colon)
  for (let path = folderOf(gone.slice(colon + 1)); path !== '/'; path = folderOf(path)) {
    if (keys.has(`${top}:${path}`)) return `${top}:${path}`
  }
  return `${top}:${top}`
}
