import { element } from './element.ts'
import type { IconName } from './icon.ts'
import { icon } from './icon.ts'

/** An entry of a menu; `null` draws a line. */
export interface MenuItem {
  readonly label: string
  readonly run: () => void
  readonly icon?: IconName
  readonly keys?: string
  readonly kind?: 'plain' | 'danger'
}

/** Opens a menu at a point; arrows, Home, End and first letters move, Enter takes, Escape and a press beside it close. Focus goes back. */
export function openMenu(label: string, at: { readonly x: number; readonly y: number }, items: readonly (MenuItem | null)[]): void {
  const before = document.activeElement
  const close = (back: boolean): void => {
    if (!layer.isConnected) return
    layer.remove()
    if (back && before instanceof HTMLElement && before.isConnected) before.focus()
  }
  const take = (item: MenuItem): void => {
    close(true)
    item.run()
  }
  const rows = items.map((item) => {
    if (item === null) return element('div', { class: 'menu-line', attributes: { role: 'separator' } })
    return element(
      'button',
      {
        class: item.kind === 'danger' ? 'menu-item menu-item-danger' : 'menu-item',
        attributes: { type: 'button', role: 'menuitem', tabindex: -1 },
        on: { click: () => take(item) },
      },
      ...(item.icon === undefined ? [] : [icon(item.icon)]),
      element('span', { class: 'menu-label' }, item.label),
      ...(item.keys === undefined ? [] : [element('kbd', {}, item.keys)]),
    )
  })
  const choices = rows.filter((row) => row instanceof HTMLButtonElement)
  const move = (to: number): void => choices.at(to % choices.length)?.focus()
  const menu = element(
    'div',
    {
      class: 'menu',
      attributes: { role: 'menu', 'aria-label': label },
      on: {
        keydown: (event) => {
          const current = choices.indexOf(document.activeElement as HTMLButtonElement)
          if (event.key === 'ArrowDown') move(current + 1)
          else if (event.key === 'ArrowUp') move(current - 1)
          else if (event.key === 'Home') move(0)
          else if (event.key === 'End') move(-1)
          else if (event.key === 'Escape' || event.key === 'Tab') close(true)
          else if (event.key.length === 1 && event.key !== ' ') {
            const first = event.key.toLowerCase()
            const order = [...choices.slice(current + 1), ...choices.slice(0, current + 1)]
            order.find((choice) => choice.textContent?.trim().toLowerCase().startsWith(first))?.focus()
          } else return
          event.preventDefault()
          event.stopPropagation()
        },
      },
    },
    ...rows,
  )
  const layer = element(
    'div',
    {
      class: 'menu-layer',
      on: {
        pointerdown: (event) => {
          if (event.target === layer) close(true)
        },
        contextmenu: (event) => event.preventDefault(),
      },
    },
    menu,
  )
  document.body.append(layer)
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${Math.max(4, Math.min(at.x, innerWidth - width - 4))}px`
  menu.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`
  move(0)
}

/** Where a menu of this element opens. */
export function below(target: Element): { x: number; y: number } {
  const { left, bottom } = target.getBoundingClientRect()
  return { x: left, y: bottom + 4 }
}
