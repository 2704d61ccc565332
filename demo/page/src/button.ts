import { element } from './element.ts'
import type { IconName } from './icon.ts'
import { icon } from './icon.ts'

/** How a button looks and what it does. */
export interface ButtonOptions {
  readonly label: string
  readonly press: (event: MouseEvent) => void
  readonly icon?: IconName
  /** Only the icon is shown; the label is its name and its tip. */
  readonly compact?: boolean
  readonly kind?: 'plain' | 'primary' | 'danger'
  /** Shown in the tip, as `Ctrl+S`. */
  readonly keys?: string
}

/** A button. */
export function button(options: ButtonOptions): HTMLButtonElement {
  const { label, compact = false, kind = 'plain', keys } = options
  const tip = keys === undefined ? label : `${label} (${keys})`
  return element(
    'button',
    {
      class: compact ? 'icon-button' : `button button-${kind}`,
      attributes: { type: 'button', 'aria-label': compact ? label : undefined, title: compact || keys !== undefined ? tip : undefined },
      on: { click: options.press },
    },
    ...(options.icon === undefined ? [] : [icon(options.icon)]),
    ...(compact ? [] : [label]),
  )
}
