import type { Session } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { button } from '../button.ts'
import { confirmed } from '../dialog.ts'
import { part } from '../element.ts'
import { notify, notifyFailure } from '../notices.ts'
import { HOME } from '../open-workspace.ts'
import { remember, remembered } from '../remembered.ts'
import { tabList } from '../tab-list.ts'
import { forgetScreen, keptScreen } from './kept-screen.ts'
import { keyRow } from './key-row.ts'
import { allowTerminalDrops } from './terminal-drop.ts'
import type { TerminalView } from './terminal-view.ts'
import { terminalView } from './terminal-view.ts'

/** The panel of sessions: a tab and a terminal for each. */
export interface SessionsPanel {
  /** Reads which sessions there are. */
  refresh(): Promise<void>
  open(id: string): Promise<void>
  openNew(): Promise<void>
  closeActive(): void
  /** Shows the session so many tabs further. */
  step(by: number): void
  focus(): void
  /** A session that has a terminal by now. */
  session(id: string): Session | undefined
  /** A line runs in one of them. */
  readonly busy: boolean
  /** Shows what others changed in a session. */
  takeOver(id: string): Promise<void>
  insert(text: string): void
  run(line: string): void
  /** Calls with the session that is shown whenever it, or what it knows, has changed. */
  onState(listener: (session: Session) => void): void
}

/** What the panel is made with. */
export interface SessionsPanelOptions {
  readonly isShortcut: (event: KeyboardEvent) => boolean
  /** What the first terminal says. */
  readonly welcome: ((columns: number) => string) | null
}

const FIRST = 'main'

export function openSessionsPanel(app: App, { isShortcut, welcome }: SessionsPanelOptions): SessionsPanel {
  const { workspace, sessions, active } = app
  const place = part('terminal-views')
  const views = new Map<string, TerminalView>()
  const opening = new Map<string, Promise<void>>()
  const listeners: ((session: Session) => void)[] = []
  let greeting = welcome
  let wanted = ''

  const tabs = tabList({
    label: 'Sessions',
    prefix: 'session',
    panel: (id) => `terminal-${id}`,
    pick: (id) => void open(id),
    close: (id) => void close(id),
  })
  const adder = button({ label: 'New session', icon: 'plus', compact: true, keys: 'Alt+Shift+N', press: () => void openNew() })
  adder.hidden = true
  part('session-bar').append(tabs.element, adder)

  const draw = (): void => {
    const shown = sessions.get().map((id) => ({ id, label: id, ...(views.get(id)?.shell.busy === true ? { mark: 'running' } : {}) }))
    tabs.draw(shown, active.get())
    adder.hidden = shown.length === 0
    for (const [id, view] of views) view.show(id === active.get())
  }
  const tellState = (): void => {
    const view = views.get(active.get())
    if (view !== undefined) for (const listener of listeners) listener(view.session)
  }
  const list = async (): Promise<void> => {
    const found = await workspace.listSessions()
    const known = sessions.get()
    const kept = known.filter((id) => found.includes(id) || opening.has(id))
    const added = found.filter((id) => !known.includes(id)).sort(firstThenByNumber)
    const next = known.length === 0 ? [...added] : [...kept, ...added]
    if (next.join('\n') !== known.join('\n')) sessions.set(next)
  }
  const refresh = async (): Promise<void> => {
    await list()
    for (const id of [...views.keys()]) if (!sessions.get().includes(id)) dropView(id)
    if (!sessions.get().includes(active.get())) await open(sessions.get()[0] ?? FIRST)
    draw()
  }
  const dropView = (id: string): void => {
    views.get(id)?.close()
    views.delete(id)
  }

  const makeView = (session: Session, words: (columns: number) => string): TerminalView => {
    const { id } = session
    return terminalView(place, {
      session,
      theme: app.themes.shown.get(),
      readAloud: app.readAloud.get(),
      greeting: words,
      isShortcut,
      started: draw,
      finished: () => {
        draw()
        if (id === active.get()) tellState()
        app.changes.tell({ type: 'line', session: id })
      },
      ended: () => restart(id, () => '\x1b[90mThe shell ended; the session is as it was. Close its tab to drop it.\x1b[0m\r\n'),
      failed: (error) => {
        if (codeOf(error) === 'CLOSED') return
        notifyFailure(`The terminal of ${id} stopped`, error)
        restart(id, () => '')
      },
    })
  }
  /** Another shell in place of one that ended. */
  const restart = (id: string, words: (columns: number) => string): void => {
    const old = views.get(id)
    if (old === undefined) return
    const hadFocus = old.element.contains(document.activeElement)
    dropView(id)
    views.set(id, makeView(old.session, words))
    draw()
    if (hadFocus) views.get(id)?.focus()
  }
  const openSession = async (id: string): Promise<void> => {
    const exists = (await workspace.listSessions()).includes(id)
    const session = await workspace.session(id, exists ? {} : { cwd: HOME }).catch((error: unknown) => {
      // Another tab was as quick.
      if (codeOf(error) === 'EEXIST') return workspace.session(id)
      throw error
    })
    document.getElementById('opening')?.remove()
    for (const view of views.values()) view.show(false)
    views.set(id, makeView(session, exists ? () => keptScreen(id) : (greeting ?? (() => ''))))
    greeting = null
    if (!sessions.get().includes(id)) sessions.update((ids) => [...ids, id])
    if (!exists) app.changes.tell({ type: 'sessions' })
  }
  const open = async (id: string): Promise<void> => {
    const hadTabs = tabs.element.contains(document.activeElement)
    wanted = id
    try {
      if (!views.has(id)) {
        const work = opening.get(id) ?? openSession(id)
        opening.set(id, work)
        await work.finally(() => opening.delete(id))
      }
      if (wanted !== id) return draw()
      active.set(id)
      remember('session', id)
      draw()
      tellState()
      if (hadTabs) tabs.focus()
    } catch (error) {
      notifyFailure(`Could not open session ${id}`, error, { label: 'Try again', run: () => void open(id) })
    }
  }
  const openNew = async (): Promise<void> => {
    await list()
    const taken = new Set(sessions.get())
    let number = 2
    while (taken.has(`shell-${number}`)) number += 1
    await open(taken.size === 0 ? FIRST : `shell-${number}`)
    app.show('terminal')
  }
  const close = async (id: string): Promise<void> => {
    const running = views.get(id)?.shell.busy === true ? 'What runs in it is ended. ' : ''
    const text = `${running}Its directory, variables, functions and aliases will be gone. Files and history stay.`
    if (!(await confirmed(`Close session ${id}?`, text, 'Close session'))) return
    const order = sessions.get()
    const next = order[order.indexOf(id) + 1] ?? order[order.indexOf(id) - 1] ?? FIRST
    dropView(id)
    forgetScreen(id)
    try {
      await workspace.closeSession(id)
    } catch (error) {
      if (codeOf(error) !== 'NOT_FOUND') notifyFailure(`Could not close session ${id}`, error)
    }
    sessions.update((ids) => ids.filter((one) => one !== id))
    if (active.get() === id) await open(next)
    app.changes.tell({ type: 'sessions' })
    draw()
    views.get(active.get())?.focus()
  }

  const keepScreens = (): void => {
    for (const view of views.values()) view.keep()
  }
  addEventListener('pagehide', keepScreens)
  document.addEventListener('visibilitychange', keepScreens)
  const current = (): TerminalView | undefined => views.get(active.get())
  const whenFree = (use: (view: TerminalView) => void): void => {
    const view = current()
    if (view === undefined) return
    if (view.shell.busy)
      return void notify({ kind: 'info', title: `${active.get()} is busy`, text: 'Wait for its line to end, or stop it with Ctrl+C.' })
    app.show('terminal')
    use(view)
  }

  app.themes.shown.watch((theme) => {
    for (const view of views.values()) view.setTheme(theme)
  })
  app.readAloud.watch((on) => {
    for (const view of views.values()) view.setReadAloud(on)
  })
  sessions.watch(draw)
  const takeOver = async (id: string): Promise<void> => {
    const view = views.get(id)
    if (view === undefined || view.shell.busy) return
    try {
      await view.shell.refresh()
      if (id === active.get()) tellState()
    } catch (error) {
      if (codeOf(error) === 'NOT_FOUND') await refresh()
      else if (codeOf(error) !== 'CLOSED') notifyFailure(`Could not read session ${id}`, error)
    }
  }
  app.changes.on((change, from) => {
    // What was shown goes, too.
    if (change.type === 'reset') for (const id of [...views.keys()]) dropView(id)
    if (change.type === 'restored') {
      const all = refresh().then(() => Promise.all([...views.keys()].map(takeOver)))
      all.catch((error: unknown) => notifyFailure('Could not read the sessions', error))
    }
    if (from === 'here') return
    if (change.type === 'sessions') refresh().catch((error: unknown) => notifyFailure('Could not read the sessions', error))
  })

  part('terminal-area').append(
    keyRow((keys) => {
      current()?.type(keys)
      current()?.focus()
    }),
  )
  allowTerminalDrops(app, {
    place,
    folder: () => current()?.session.fields.cwd ?? HOME,
    insert: (text) => {
      current()?.shell.insert(text)
      current()?.focus()
    },
  })

  return {
    refresh,
    open,
    openNew,
    closeActive: () => void close(active.get()),
    step: (by) => {
      const order = sessions.get()
      const next = order.at((order.indexOf(active.get()) + by) % Math.max(1, order.length))
      if (next !== undefined) void open(next).then(() => app.show('terminal'))
    },
    focus: () => current()?.focus(),
    session: (id) => views.get(id)?.session,
    get busy() {
      return [...views.values()].some(({ shell }) => shell.busy)
    },
    takeOver,
    insert: (text) =>
      whenFree((view) => {
        view.shell.insert(text)
        view.focus()
      }),
    run: (line) =>
      whenFree((view) => {
        view.shell.run(line)
        view.focus()
      }),
    onState: (listener) => {
      listeners.push(listener)
    },
  }
}

/** The session that was shown last, or the first one. */
export function rememberedSession(ids: readonly string[]): string {
  const last = remembered('session')
  return last !== null && ids.includes(last) ? last : ids.includes(FIRST) ? FIRST : (ids[0] ?? FIRST)
}

function firstThenByNumber(a: string, b: string): number {
  if (a === FIRST || b === FIRST) return a === FIRST ? -1 : 1
  return a.localeCompare(b, 'en', { numeric: true })
}
