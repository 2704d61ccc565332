import type { HistoryEntry } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { button } from '../button.ts'
import { element, part, setAttributes } from '../element.ts'
import { formatAge, formatDuration } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import type { HistoryFilter } from './history-filter.ts'
import { filterHistory } from './history-filter.ts'
import { historyReader } from './history-reader.ts'

/** The panel of what was run. */
export interface HistoryPanel {
  refresh(): Promise<void>
  /** As `refresh`, of what one session ran last. */
  refreshSession(id: string): Promise<void>
  focus(): void
}

/** Rows that are shown at first, and more at a time. */
const PORTION = 200
const HOUR = 3_600_000
const STATUSES = { any: 'Any status', succeeded: 'Succeeded', failed: 'Failed' } as const
const AGES = [
  [0, 'Any time'],
  [HOUR, 'Last hour'],
  [24 * HOUR, 'Last day'],
  [7 * 24 * HOUR, 'Last week'],
] as const

/** Builds the panel: search and filters; arrows move, Enter runs a line again, Space or a click inserts it at the prompt. */
export function openHistoryPanel(app: App): HistoryPanel {
  let entries: readonly HistoryEntry[] = []
  let found: readonly HistoryEntry[] = []
  let limit = PORTION
  let current = ''
  let reading: Promise<void> = Promise.resolve()
  const reader = historyReader(app)

  const search = element('input', {
    class: 'text-input history-search',
    attributes: { type: 'search', placeholder: 'Search history', 'aria-label': 'Search history', autocomplete: 'off', spellcheck: 'false' },
    on: {
      input: () => restart(),
      keydown: (event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
        event.preventDefault()
        if (event.key === 'ArrowDown') move(0)
        else if (found[0] !== undefined) app.run(found[0].command)
      },
    },
  })
  const session = element('select', { attributes: { 'aria-label': 'Session' }, on: { change: () => restart() } })
  const status = select('Status', Object.entries(STATUSES), () => restart())
  const age = select(
    'Time',
    AGES.map(([ms, label]) => [String(ms), label]),
    () => restart(),
  )
  const list = element('div', { class: 'history-list', attributes: { role: 'listbox', 'aria-label': 'Lines that were run, newest first' } })
  const more = button({ label: 'Show more', press: () => draw(limit + PORTION) })
  const foot = element('p', { class: 'history-foot muted', attributes: { role: 'status' } })
  part('history-panel').append(
    element('div', { class: 'history-top' }, search, element('div', { class: 'history-filters' }, session, status, age)),
    list,
    more,
    foot,
  )

  const filter = (): HistoryFilter => ({
    text: search.value,
    session: session.value,
    status: status.value === 'succeeded' || status.value === 'failed' ? status.value : 'any',
    age: Number(age.value),
  })
  const restart = (): void => {
    limit = PORTION
    current = ''
    draw()
  }
  const rowAt = (index: number): HTMLElement | null => {
    const row = list.children[index]
    return row instanceof HTMLElement ? row : null
  }
  const mark = (): void => {
    for (const row of list.children) {
      const isCurrent = row instanceof HTMLElement && row.dataset.id === current
      setAttributes(row, { tabindex: isCurrent ? 0 : -1, 'aria-selected': String(isCurrent) })
    }
  }
  const move = (index: number): void => {
    const row = rowAt(Math.max(0, Math.min(index, list.children.length - 1)))
    if (row === null) return
    current = row.dataset.id ?? ''
    mark()
    row.focus()
    row.scrollIntoView({ block: 'nearest' })
  }
  const draw = (most = limit): void => {
    limit = most
    const now = Date.now()
    found = filterHistory(entries, filter(), now)
    const shown = found.slice(0, limit)
    if (!shown.some(({ id }) => id === current)) current = shown[0]?.id ?? ''
    const hadFocus = list.contains(document.activeElement)
    const known = new Map([...list.children].flatMap((row) => (row instanceof HTMLElement ? [[row.dataset.id, row] as const] : [])))
    list.replaceChildren(...shown.map((entry) => drawRow(known.get(entry.id) ?? historyRow(entry, app), entry, now)))
    mark()
    if (hadFocus) rowAt(shown.findIndex(({ id }) => id === current))?.focus()
    more.hidden = found.length <= limit
    list.hidden = shown.length === 0
    foot.textContent =
      entries.length === 0
        ? 'Nothing was run yet. What you run in the terminal comes here.'
        : found.length === 0
          ? 'Nothing fits. Take away a filter.'
          : `${found.length} of ${entries.length} · Enter runs, Space inserts`
    foot.classList.toggle('empty', found.length === 0)
  }
  const drawSessions = (): void => {
    const names = [...new Set([...app.sessions.get(), ...entries.map((entry) => entry.session)])]
    const wanted = names.includes(session.value) ? session.value : ''
    const options = [['', 'All sessions'] as const, ...names.map((name) => [name, name] as const)]
    session.replaceChildren(...options.map(([value, label]) => element('option', { attributes: { value } }, label)))
    session.value = wanted
  }
  list.addEventListener('keydown', (event) => {
    const index = [...list.children].indexOf(document.activeElement as Element)
    const entry = found[index]
    if (entry === undefined) return
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(index + 1),
      ArrowUp: () => (index === 0 ? search.focus() : move(index - 1)),
      Home: () => move(0),
      End: () => move(list.children.length - 1),
      Enter: () => app.run(entry.command),
      ' ': () => app.insert(entry.command),
    }
    const act = keys[event.key]
    if (act === undefined || event.target !== document.activeElement || (event.target as Element).tagName === 'BUTTON') return
    event.preventDefault()
    act()
  })
  const refresh = (): Promise<void> => take(() => reader.all())
  /** One reading after the other. */
  const take = (read: () => Promise<readonly HistoryEntry[]>): Promise<void> => {
    reading = reading.then(async () => {
      try {
        entries = await read()
      } catch (error) {
        // A session or workspace that is closed meanwhile has nothing new to tell.
        if (codeOf(error) !== 'NOT_FOUND' && codeOf(error) !== 'CLOSED') notifyFailure('Could not read the history', error)
      }
      drawSessions()
      draw()
    })
    return reading
  }
  app.changes.on((change, from) => {
    if (change.type === 'sessions' || change.type === 'restored') void refresh()
    else if (change.type === 'line' && from === 'here') void take(() => reader.after(change.session))
  })
  draw()
  return { refresh, refreshSession: (id) => take(() => reader.after(id)), focus: () => search.focus() }
}

function select(label: string, options: readonly (readonly [value: string, label: string])[], change: () => void): HTMLSelectElement {
  const rows = options.map(([value, text]) => element('option', { attributes: { value } }, text))
  return element('select', { attributes: { 'aria-label': label }, on: { change } }, ...rows)
}

function historyRow(entry: HistoryEntry, app: App): HTMLElement {
  const { command, cwd, session, timestamp, durationMs, exitCode } = entry
  const failed = exitCode !== 0
  const row = element(
    'div',
    {
      class: failed ? 'history-row history-failed' : 'history-row',
      attributes: { role: 'option', title: `${new Date(timestamp).toLocaleString()} in ${cwd}` },
      on: {
        click: (event) => {
          if (!(event.target instanceof Element && event.target.closest('button') !== null)) app.insert(command)
        },
      },
    },
    element('code', { class: 'history-command' }, command),
    element(
      'div',
      { class: 'history-facts' },
      element('span', { class: 'history-status', attributes: { title: `exit status ${exitCode}` } }, failed ? `exit ${exitCode}` : 'ok'),
      element('span', {}, session),
      element('time', { attributes: { datetime: new Date(timestamp).toISOString() } }),
      element('span', {}, formatDuration(durationMs)),
    ),
    element('div', { class: 'history-buttons' }, button({ label: 'Run again', icon: 'run', compact: true, press: () => app.run(command) })),
  )
  for (const one of row.querySelectorAll('button')) one.tabIndex = -1
  row.dataset.id = entry.id
  return row
}

function drawRow(row: HTMLElement, { timestamp }: HistoryEntry, now: number): HTMLElement {
  const time = row.querySelector('time')
  if (time !== null) time.textContent = formatAge(timestamp, now)
  return row
}
