import { element } from '../element.ts'
import { notify } from '../notices.ts'
import { faultOfName } from './file-actions.ts'

/** How a name is asked for. */
export interface NameFieldOptions {
  /** Of the row that it stands for. */
  readonly level: number
  readonly initial: string
  /** Called once: with a new name, or null where nothing is to be done; `byKey`: the focus is to go back. */
  readonly done: (name: string | null, byKey: boolean) => void
}

/** A row of the tree in which a name is typed: Enter takes it, Escape doesn't, leaving it takes it where it is a good one. */
export function nameField({ level, initial, done }: NameFieldOptions): { readonly row: HTMLElement; begin(): void } {
  const input = element('input', {
    class: 'tree-input mono',
    attributes: { type: 'text', value: initial, 'aria-label': 'Name', spellcheck: 'false', autocomplete: 'off' },
  })
  const row = element('div', { class: 'tree-row tree-editing' }, element('span', { class: 'tree-twist' }), input)
  row.style.setProperty('--level', String(level))
  let over = false
  const finish = (save: boolean, byKey: boolean): void => {
    if (over) return
    const name = input.value.trim()
    const isNew = save && name !== initial
    const fault = isNew ? faultOfName(name) : null
    if (fault !== null && byKey) return void notify({ kind: 'info', title: fault })
    over = true
    row.remove()
    done(isNew && fault === null ? name : null, byKey)
  }
  input.addEventListener('keydown', (event) => {
    event.stopPropagation()
    if (event.key === 'Enter') finish(true, true)
    else if (event.key === 'Escape') finish(false, true)
  })
  input.addEventListener('blur', () => finish(true, false))
  return {
    row,
    begin: () => {
      input.focus()
      const dot = initial.lastIndexOf('.')
      input.setSelectionRange(0, dot > 0 ? dot : initial.length)
    },
  }
}
