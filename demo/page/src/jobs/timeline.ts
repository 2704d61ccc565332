import { button } from '../button.ts'
import { element } from '../element.ts'
import type { IconName } from '../icon.ts'
import { icon } from '../icon.ts'

/** A moment that a timeline shows. */
export interface Moment {
  readonly id: string
  readonly title: string
  readonly facts: readonly string[]
  readonly icon: IconName
  /** What the rest of the panel shows is as it was then. */
  readonly shown?: boolean
  readonly actions: readonly MomentAction[]
}

export interface MomentAction {
  readonly label: string
  readonly icon: IconName
  readonly run: () => void
}

/** Moments, latest first. */
export interface Timeline {
  readonly element: HTMLElement
  draw(moments: readonly Moment[]): void
}

export function timeline(label: string): Timeline {
  const list = element('ol', { class: 'timeline', attributes: { 'aria-label': label, reversed: true } })
  return {
    element: list,
    draw: (moments) => {
      const focused = list.contains(document.activeElement) ? document.activeElement?.getAttribute('data-action') : null
      list.replaceChildren(...moments.map(momentElement))
      if (focused !== null) list.querySelector<HTMLElement>(`[data-action="${CSS.escape(focused ?? '')}"]`)?.focus()
    },
  }
}

function momentElement({ id, title, facts, icon: picture, shown, actions }: Moment): HTMLElement {
  return element(
    'li',
    { class: shown === true ? 'moment moment-shown' : 'moment', attributes: { 'aria-current': shown === true ? 'true' : undefined } },
    element('span', { class: 'moment-mark' }, icon(picture)),
    element(
      'div',
      { class: 'moment-text' },
      element('div', { class: 'moment-title' }, title),
      element('div', { class: 'history-facts' }, ...facts.map((fact) => element('span', {}, fact))),
    ),
    element(
      'div',
      { class: 'moment-actions' },
      ...actions.map((action) => {
        const made = button({ label: `${action.label}: ${title}`, icon: action.icon, compact: true, press: action.run })
        made.title = action.label
        made.dataset.action = `${id} ${action.label}`
        return made
      }),
    ),
  )
}
