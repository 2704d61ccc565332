import type { StagedChange } from 'mirage-runtime'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { formatAge, formatDuration } from '../format.ts'
import type { ChangeTree } from './change-tree.ts'
import { changeTree } from './change-tree.ts'
import type { SeenJob } from './job-reader.ts'
import { isRunning } from './job-reader.ts'
import { commandOf, countOf, stateOf } from './job-words.ts'

/** What a person can do with the Job that is shown. */
export interface JobViewOptions {
  readonly back: () => void
  readonly stop: (seen: SeenJob) => void
  readonly compare: (seen: SeenJob, change: StagedChange) => void
}

/** All there is of one Job. */
export interface JobView {
  readonly element: HTMLElement
  draw(seen: SeenJob, changes: readonly StagedChange[], output: string): void
  setOutput(text: string): void
  focus(): void
}

export function jobView(options: JobViewOptions): JobView {
  let shown: SeenJob | null = null
  const back = button({ label: 'All Jobs', icon: 'back', press: options.back })
  const head = element('div', { class: 'job-head' })
  const actions = element('div', { class: 'job-actions' })
  const tree: ChangeTree = changeTree({
    label: 'Changes of the Job',
    open: (change) => (shown === null ? undefined : options.compare(shown, change)),
  })
  const changesTitle = element('h3', { class: 'job-title' })
  const nothing = element('p', { class: 'job-empty muted' })
  const output = element('pre', { class: 'job-output mono', attributes: { tabindex: 0, 'aria-label': 'Output of the Job' } })
  const outputPart = element('section', {}, element('h3', { class: 'job-title' }, 'Output'), output)
  const root = element(
    'div',
    { class: 'job-view' },
    element('div', { class: 'job-top' }, back),
    head,
    actions,
    changesTitle,
    tree.element,
    nothing,
    outputPart,
  )

  const setOutput = (text: string): void => {
    outputPart.hidden = text === ''
    const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 4
    output.textContent = text
    if (atEnd) output.scrollTop = output.scrollHeight
  }
  return {
    element: root,
    setOutput,
    focus: () => back.focus(),
    draw: (seen, changes, text) => {
      const isOther = shown?.job.id !== seen.job.id
      const isNews = isOther || JSON.stringify(shown?.status) !== JSON.stringify(seen.status)
      shown = seen
      const { status } = seen
      head.replaceChildren(...headOf(seen))
      // What is about to be pressed stays where it is.
      if (isNews)
        actions.replaceChildren(
          ...(isRunning(seen) ? [button({ label: 'Stop the Job', icon: 'stop', press: () => options.stop(seen) })] : []),
        )
      actions.hidden = actions.children.length === 0
      changesTitle.textContent = changes.length === 0 ? 'Changes' : `${countOf(changes.length, 'change')} to review`
      tree.draw(changes)
      tree.element.hidden = changes.length === 0
      nothing.hidden = changes.length > 0
      nothing.textContent = whyNothing(seen)
      setOutput(text)
      if (isOther) root.scrollTop = 0
      root.setAttribute('aria-label', `Job ${commandOf(status)}`)
    },
  }
}

function headOf({ job, status }: SeenJob): readonly Node[] {
  const { text, kind } = stateOf(status)
  const { run } = status
  const took =
    run.finished_at_unix_ms === null ? [] : [element('span', {}, formatDuration(run.finished_at_unix_ms - run.started_at_unix_ms))]
  return [
    element('code', { class: 'job-command' }, commandOf(status)),
    element(
      'div',
      { class: 'history-facts' },
      element('span', { class: `job-state job-${kind}`, attributes: { role: 'status' } }, text),
      element(
        'span',
        { attributes: { title: new Date(run.started_at_unix_ms).toLocaleString() } },
        formatAge(run.started_at_unix_ms, Date.now()),
      ),
      ...took,
    ),
    element('div', { class: 'job-id mono' }, job.id),
  ]
}

function whyNothing({ status }: SeenJob): string {
  if (status.run.state === 'running') return 'They are shown when the Job has stopped.'
  switch (status.filesystem?.state) {
    case undefined:
      return 'It ran without a stage: what it changed is changed.'
    case 'applied':
      return 'All of them are applied.'
    case 'discarded':
      return 'They were dropped.'
    default:
      return 'It changed nothing.'
  }
}
