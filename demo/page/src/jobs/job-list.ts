import { button } from '../button.ts'
import { element } from '../element.ts'
import { formatAge, formatDuration } from '../format.ts'
import type { SeenJob } from './job-reader.ts'
import { commandOf, stageOf, stateOf } from './job-words.ts'

/** The list of Jobs, latest first. */
export interface JobList {
  readonly element: HTMLElement
  draw(jobs: readonly SeenJob[], total: number): void
  /** Puts the focus on a Job. */
  focus(id: string): boolean
}

export function jobList(options: { readonly open: (id: string) => void; readonly more: () => void }): JobList {
  const list = element('ul', { class: 'job-list plain-list', attributes: { 'aria-label': 'Jobs, latest first' } })
  const more = button({ label: 'Show more', press: options.more })
  const empty = element('p', { class: 'job-empty muted' }, 'No Job yet. What a line changes as a Job waits until it is applied.')
  const items = new Map<string, { readonly look: string; readonly item: HTMLElement }>()
  /** The item of a Job, the one that is there where it would look the same: who is about to press it can. */
  const itemOf = (seen: SeenJob, now: number): HTMLElement => {
    const look = JSON.stringify([
      seen.status.run.state,
      seen.status.live,
      stageOf(seen.status),
      formatAge(seen.status.run.started_at_unix_ms, now),
    ])
    const known = items.get(seen.job.id)
    if (known?.look === look) return known.item
    const item = element('li', {}, rowOf(seen, now, options.open))
    items.set(seen.job.id, { look, item })
    return item
  }
  const buttonOf = (id: string): HTMLElement | undefined =>
    [...list.querySelectorAll<HTMLElement>('.job-row')].find(({ dataset }) => dataset.id === id)
  return {
    element: element('div', {}, list, more, empty),
    draw: (jobs, total) => {
      const focused = list.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.id : undefined
      const now = Date.now()
      const wanted = jobs.map((seen) => itemOf(seen, now))
      if (wanted.length !== list.children.length || wanted.some((item, index) => list.children[index] !== item))
        list.replaceChildren(...wanted)
      more.hidden = jobs.length >= total
      empty.hidden = total > 0
      if (focused !== undefined) buttonOf(focused)?.focus()
    },
    focus: (id) => {
      const found = buttonOf(id)
      found?.focus()
      return found !== undefined
    },
  }
}

function rowOf({ job, status }: SeenJob, now: number, open: (id: string) => void): HTMLElement {
  const { text, kind } = stateOf(status)
  const { started_at_unix_ms: from, finished_at_unix_ms: to } = status.run
  const row = element(
    'button',
    { class: 'job-row', attributes: { type: 'button' }, on: { click: () => open(job.id) } },
    element('code', { class: 'history-command' }, status.run.name ?? commandOf(status)),
    element(
      'span',
      { class: 'history-facts' },
      element('span', { class: `job-state job-${kind}` }, text),
      element('span', {}, stageOf(status)),
      element('span', {}, formatAge(from, now)),
      ...(to === null ? [] : [element('span', {}, formatDuration(to - from))]),
    ),
  )
  row.dataset.id = job.id
  return row
}
