import { element } from '../element.ts'

const KEYS: readonly (readonly [label: string, name: string, keys: string])[] = [
  ['Tab', 'Complete', '\t'],
  ['Ctrl C', 'Stop', '\x03'],
  ['↑', 'Earlier line', '\x1b[A'],
  ['↓', 'Later line', '\x1b[B'],
  ['←', 'Left', '\x1b[D'],
  ['→', 'Right', '\x1b[C'],
]

/** Keys that the keyboards of phones lack; the terminal keeps the focus, and so its keyboard. */
export function keyRow(type: (keys: string) => void): HTMLElement {
  return element(
    'div',
    { class: 'key-row', attributes: { role: 'toolbar', 'aria-label': 'Keys of the terminal' } },
    ...KEYS.map(([label, name, keys]) =>
      element(
        'button',
        {
          class: 'key-button mono',
          attributes: { type: 'button', 'aria-label': name },
          on: { pointerdown: (event) => event.preventDefault(), click: () => type(keys) },
        },
        label,
      ),
    ),
  )
}
