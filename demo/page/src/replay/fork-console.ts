import type { Workspace } from 'mirage-runtime'
import { errorText } from 'mirage-runtime'
import { element } from '../element.ts'
import { valueStore } from '../value-store.ts'
import type { FileView } from '../viewer/file-view.ts'

/** A workspace that was forked from a step: lines run in it, and it is gone when its tab is closed. */
export function forkConsole(workspace: Workspace, ordinal: number): FileView {
  const output = element('div', { class: 'fork-output mono', attributes: { role: 'log', 'aria-label': 'What lines wrote', tabindex: 0 } })
  const input = element('input', {
    class: 'text-input mono',
    attributes: {
      type: 'text',
      'aria-label': 'Line to run in the fork',
      placeholder: 'ls -l',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    },
  })
  const run = async (line: string): Promise<void> => {
    output.append(element('p', { class: 'fork-line' }, `$ ${line}`))
    try {
      const { stdoutText, stderrText, exitCode } = await workspace.shell(line)
      const status = exitCode === 0 ? '' : `[exit status ${exitCode}]\n`
      output.append(element('pre', {}, `${stdoutText}${stderrText}${status}`))
    } catch (error) {
      output.append(element('pre', { class: 'job-bad' }, errorText(error)))
    }
    output.scrollTop = output.scrollHeight
  }
  const form = element(
    'form',
    {
      class: 'fork-form',
      on: {
        submit: (event) => {
          event.preventDefault()
          const line = input.value.trim()
          input.value = ''
          if (line !== '') void run(line)
        },
      },
    },
    input,
  )
  return {
    element: element(
      'div',
      { class: 'fork-console' },
      element(
        'p',
        { class: 'muted fork-remark' },
        `A workspace of its own, forked from step ${ordinal}. It is in memory, and gone when this tab is closed.`,
      ),
      output,
      form,
    ),
    dirty: valueStore(false),
    focus: () => input.focus(),
    save: async () => true,
    refresh: async () => true,
    close: () => void workspace.delete(),
  }
}
