import { button } from './button.ts'
import { element } from './element.ts'

/** A choice of a dialog; `value` is what the dialog answers when it is taken. */
export interface Choice<T> {
  readonly label: string
  readonly value: T
  readonly kind?: 'plain' | 'primary' | 'danger'
}

/** What a dialog shows. */
export interface DialogOptions<T> {
  readonly title: string
  readonly body: readonly (Node | string)[]
  /** Enter takes the last one, or where that one destroys something, the first. */
  readonly choices: readonly Choice<T>[]
  readonly class?: string
}

let dialogs = 0

/** Asks; the value of the choice that was taken, or null for Escape and a press beside the dialog. The browser puts the focus back to where it was. */
export function ask<T>({ title, body, choices, class: extra = '' }: DialogOptions<T>): Promise<T | null> {
  dialogs += 1
  const titleId = `dialog-title-${dialogs}`
  return new Promise((resolve) => {
    let answer: T | null = null
    const take = (value: T | null): void => {
      answer = value
      dialog.close()
    }
    const buttons = choices.map(({ label, value, kind }) =>
      button({ label, press: () => take(value), ...(kind === undefined ? {} : { kind }) }),
    )
    const dialog = element(
      'dialog',
      {
        class: `dialog ${extra}`,
        attributes: { 'aria-labelledby': titleId },
        on: {
          close: () => {
            dialog.remove()
            resolve(answer)
          },
          click: (event) => {
            if (event.target === dialog) take(null)
          },
        },
      },
      element(
        'div',
        { class: 'dialog-box' },
        element('h2', { class: 'dialog-title', attributes: { id: titleId } }, title),
        element('div', { class: 'dialog-body', attributes: { tabindex: -1 } }, ...body),
        element('div', { class: 'dialog-choices' }, ...buttons),
      ),
    )
    document.body.append(dialog)
    dialog.showModal()
    buttons.at(choices.at(-1)?.kind === 'danger' ? 0 : -1)?.focus()
  })
}

/** Asks whether to do something; `false` also for Escape. */
export async function confirmed(title: string, text: string, action: string, kind: 'primary' | 'danger' = 'danger'): Promise<boolean> {
  const choices: readonly Choice<boolean>[] = [
    { label: 'Cancel', value: false },
    { label: action, value: true, kind },
  ]
  return (await ask({ title, body: [element('p', {}, text)], choices })) ?? false
}
