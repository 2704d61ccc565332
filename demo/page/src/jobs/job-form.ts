import { button } from '../button.ts'
import { element } from '../element.ts'

/** Asks for a line to run as a Job. */
export interface JobForm {
  readonly element: HTMLElement
  /** Says where a line would run. */
  setFolder(folder: string): void
  focus(): void
}

export function jobForm(run: (line: string) => void): JobForm {
  const input = element('input', {
    class: 'text-input mono job-line',
    attributes: {
      type: 'text',
      placeholder: 'bash scripts/report.sh > report.txt',
      'aria-label': 'Line to run as a Job',
      'aria-describedby': 'job-where',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    },
  })
  const where = element('p', { class: 'muted job-where', attributes: { id: 'job-where' } })
  const root = element(
    'form',
    {
      class: 'job-form',
      on: {
        submit: (event) => {
          event.preventDefault()
          const line = input.value.trim()
          if (line === '') return input.focus()
          input.value = ''
          run(line)
        },
      },
    },
    input,
    button({ label: 'Run staged', kind: 'primary', press: () => root.requestSubmit() }),
    where,
  )
  return {
    element: root,
    setFolder: (folder) => {
      where.textContent = `Runs in ${folder}. What it changes waits for you.`
    },
    focus: () => input.focus(),
  }
}
