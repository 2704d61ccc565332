import { ask } from '../dialog.ts'
import { element } from '../element.ts'

/** Asks for a line of shell; null where none is given. */
export async function askLine(title: string, text: string, action: string, initial: string): Promise<string | null> {
  const input = element('input', {
    class: 'text-input mono job-line',
    attributes: {
      type: 'text',
      'aria-label': 'Line to run',
      value: initial,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    },
    on: {
      keydown: (event) => {
        if (event.key !== 'Enter') return
        // The key would press the button that the focus goes back to.
        event.preventDefault()
        input.closest('dialog')?.querySelector<HTMLElement>('.button-primary')?.click()
      },
    },
  })
  queueMicrotask(() => {
    input.focus()
    input.select()
  })
  const answer = await ask<boolean>({
    title,
    body: [element('p', {}, text), input],
    choices: [
      { label: 'Cancel', value: false },
      { label: action, value: true, kind: 'primary' },
    ],
  })
  const line = input.value.trim()
  return answer === true && line !== '' ? line : null
}
