import { element, setAttributes } from './element.ts'
import { icon } from './icon.ts'

/** One tab. */
export interface Tab {
  readonly id: string
  readonly label: string
  /** Longer than the label. */
  readonly tip?: string
  /** A dot in the tab, and what it says to those who listen. */
  readonly mark?: string
}

/** What a row of tabs does. */
export interface TabListOptions {
  readonly label: string
  /** Prefix of the tabs' ids in the page: `PREFIX-ID`. */
  readonly prefix: string
  /** Id of the panel of a tab. */
  readonly panel: (id: string) => string
  readonly pick: (id: string) => void
  readonly close?: (id: string) => void
}

/** A row of tabs: arrows, Home and End move and pick, Delete closes. */
export interface TabList {
  readonly element: HTMLElement
  draw(tabs: readonly Tab[], active: string): void
  focus(): void
}

export function tabList({ label, prefix, panel, pick, close }: TabListOptions): TabList {
  const shown = new Map<string, HTMLElement>()
  let tabs: readonly Tab[] = []
  let active = ''
  const buttonOf = (id: string): HTMLElement | null => shown.get(id)?.querySelector<HTMLElement>('[role=tab]') ?? null
  const list = element('div', {
    class: 'tabs',
    attributes: { role: 'tablist', 'aria-label': label },
    on: {
      keydown: (event) => {
        const index = tabs.findIndex(({ id }) => id === active)
        const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key]
        if (to !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
          const id = tabs.at(to % Math.max(1, tabs.length))?.id
          if (id === undefined) return
          event.preventDefault()
          pick(id)
          buttonOf(id)?.focus()
        } else if (event.key === 'Delete' && close !== undefined) {
          event.preventDefault()
          close(active)
        }
      },
    },
  })
  const make = (id: string): HTMLElement => {
    const tab = element('button', {
      class: 'tab-button',
      attributes: { type: 'button', role: 'tab', id: `${prefix}-${id}`, 'aria-controls': panel(id) },
      on: {
        click: () => pick(id),
        auxclick: (event) => {
          if (event.button === 1) close?.(id)
        },
      },
    })
    const closer =
      close === undefined
        ? []
        : [
            element(
              'button',
              { class: 'tab-close', attributes: { type: 'button', tabindex: -1 }, on: { click: () => close(id) } },
              icon('close'),
            ),
          ]
    return element('div', { class: 'tab', attributes: { role: 'presentation' } }, tab, ...closer)
  }
  return {
    element: list,
    draw: (next, nextActive) => {
      tabs = next
      active = nextActive
      for (const [id, stale] of shown) {
        if (next.some((tab) => tab.id === id)) continue
        stale.remove()
        shown.delete(id)
      }
      for (const { id, label: text, tip, mark } of next) {
        const holder = shown.get(id) ?? make(id)
        shown.set(id, holder)
        const tab = holder.querySelector('[role=tab]')
        if (tab === null) continue
        const isActive = id === nextActive
        holder.classList.toggle('tab-active', isActive)
        setAttributes(tab, { 'aria-selected': String(isActive), tabindex: isActive ? 0 : -1, title: tip })
        const closer = holder.querySelector('.tab-close')
        if (closer !== null) setAttributes(closer, { 'aria-label': `Close ${text}`, title: `Close ${text}` })
        const look = `${text}|${mark ?? ''}`
        if (holder.dataset.look === look) continue
        holder.dataset.look = look
        const dot = mark === undefined ? [] : [element('span', { class: 'tab-mark', attributes: { role: 'img', 'aria-label': mark } })]
        tab.replaceChildren(element('span', { class: 'tab-label' }, text), ...dot)
      }
      const order = next.map(({ id }) => shown.get(id)).filter((one) => one !== undefined)
      if (order.some((one, index) => list.children[index] !== one)) list.replaceChildren(...order)
      shown.get(nextActive)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    },
    focus: () => buttonOf(active)?.focus(),
  }
}
